//! Exponential and truncated normal numbers.
//! Source: `Tensor.exponential_`; `nn.init.trunc_normal_`.

use super::mcg31::Mcg31;
use super::special::erfinv;
use super::{Family, Generator, RandomFloat, uniform};
use std::f64::consts::SQRT_2;

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

/// Fills `out` with normals in [a, b]: `nn.init.trunc_normal_`. Each element is the inverse error function of a
/// uniform number between the probabilities of the bounds.
pub fn trunc_normal<T: RandomFloat>(
    generator: &mut Generator,
    out: &mut [T],
    mean: f64,
    std: f64,
    a: f64,
    b: f64,
) {
    let below = |x: f64| (1.0 + libm::erf((x - mean) / std / SQRT_2)) / 2.0;
    let (low, high) = (below(a), below(b));
    uniform(generator, out, 2.0 * low - 1.0, 2.0 * high - 1.0);
    let (scale, shift) = (T::from_f64(std * SQRT_2), T::from_f64(mean));
    let (least, most) = (T::from_f64(a), T::from_f64(b));
    for x in out {
        let y = T::from_f64(erfinv(x.to_f64())) * scale + shift;
        *x = if y < least {
            least
        } else if y > most {
            most
        } else {
            y
        };
    }
}
