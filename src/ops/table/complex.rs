//! Arithmetic of complex numbers, for arrays and tensors of them: pairs in the last dimension, real part and imaginary part.

use crate::in_floats;
use crate::kernel::{buffer_pool, complex};
use crate::ops::op::{Call, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, OpFamily, whole};
use crate::tensor::explanation::Explanation;
use crate::tensor::ops::float::Float;
use crate::tensor::{Result, layout};

/// A function of each pair of numbers, broadcast.
fn binary<T: Float>(c: &Call, f: impl FnOnce(&[T], &[T], &mut [T])) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    let shape = layout::broadcast(a.shape(), b.shape())?;
    let [a, b] = [a, b].map(|x| x.with_layout(x.layout().broadcast_to(&shape)));
    let mut out = buffer_pool::take(a.numel());
    f(&T::row_major(&a), &T::row_major(&b), &mut out);
    Ok(T::tensor(out, shape, a.dtype()).into())
}

fn abs(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let shape = &x.shape()[..x.ndim() - 1];
    in_floats!(x.dtype(), T => {
        let sizes = T::row_major(x).as_chunks::<2>().0.iter().map(|&[re, im]| T::hypot(re, im)).collect();
        Ok(T::tensor(sizes, shape, x.dtype()).into())
    })
}

fn exp(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    in_floats!(x.dtype(), T => {
        let mut out = buffer_pool::take::<T>(x.numel());
        let pairs = T::row_major(x);
        for (out, &[re, im]) in out.as_chunks_mut::<2>().0.iter_mut().zip(pairs.as_chunks::<2>().0) {
            *out = [re.exp() * im.cos(), re.exp() * im.sin()];
        }
        Ok(T::tensor(out, x.shape(), x.dtype()).into())
    })
}

/// Real numbers with imaginary parts that are 0.
fn of_real(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let shape: Vec<usize> = x.shape().iter().copied().chain([2]).collect();
    in_floats!(x.dtype(), T => {
        let mut out: Vec<T> = vec![0.0; 2 * x.numel()];
        out.as_chunks_mut::<2>().0.iter_mut().zip(&*T::row_major(x)).for_each(|(pair, &value)| pair[0] = value);
        Ok(T::tensor(out, shape, x.dtype()).into())
    })
}

const PAIR: &[&str] = &["Tensor input, Tensor other"];

/// A product of complex numbers.
const fn product(name: &'static str) -> Descriptor {
    Descriptor::new(name, OpFamily::LinearAlgebra, Explanation::ComplexProduct)
}

rows![
    op(whole("complex_of_real", OpFamily::LinearAlgebra), 0, of_real)
        .doc("Real numbers as complex ones: (...) to (..., 2)."),
    op(product("complex_mul").grad("Mul"), 0, |c| {
        let fused = c.bool(2);
        in_floats!(c.tensor(0)?.dtype(), T => {
            binary::<T>(c, |a, b, out| complex::product(a, b, out, fused))
        })
    })
    .forms(&["Tensor input, Tensor other, *, bool fused=False"])
    .doc("Products of complex numbers, (..., 2)."),
    op(whole("complex_div", OpFamily::LinearAlgebra), 0, |c| {
        in_floats!(c.tensor(0)?.dtype(), T => binary::<T>(c, complex::quotient))
    })
    .forms(PAIR)
    .doc("Quotients of complex numbers, (..., 2)."),
    op(whole("complex_abs", OpFamily::LinearAlgebra), 0, abs)
        .doc("Sizes of complex numbers: (..., 2) to (...)."),
    op(whole("complex_exp", OpFamily::LinearAlgebra), 0, exp)
        .doc("e to the power of complex numbers, (..., 2)."),
];
