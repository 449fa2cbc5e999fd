//! Exponential numbers.
//! Source: `Tensor.exponential_`.

use super::mcg31::Mcg31;
use super::{Family, Generator, RandomFloat};

/// Fills `out` with exponential numbers of rate `lambda`: `Tensor.exponential_`. With an infinite
/// `lambda` both families use the book's algorithm, as PyTorch does.
pub fn exponential<T: RandomFloat>(generator: &mut Generator, family: Family, out: &mut [T], lambda: f64) {
    if out.is_empty() {
        return;
    }
    match family {
        Family::Mkl if lambda > 0.0 && lambda.is_finite() => {
            let mut stream = Mcg31::new(T::mkl_seed(generator));
            for x in out {
                *x = T::mkl_exponential(stream.draw(), lambda);
            }
        }
        _ => {
            for x in out {
                *x = T::from_f64(-1.0 / lambda * (-generator.unit()).ln_1p());
            }
        }
    }
}
