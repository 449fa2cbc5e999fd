//! Reductions: axes and dtypes; the kernel computes the numbers.
//! Source: PyTorch's reductions; integers are summed as int64.

use ndarray::{ArrayViewD, IxDyn, ShapeBuilder};

use super::cast::to_dtype;
use crate::kernel::Real;
use crate::kernel::reduce;
pub(crate) use crate::kernel::reduce::End;
use crate::tensor::layout::wrap_dims;
use crate::tensor::{Buffer, DType, Error, Layout, Result, Tensor};
use crate::{each_lane, map_lane};

/// A strided view of a tensor's elements for the kernel.
fn view<'a, T>(data: &'a [T], layout: &'a Layout) -> ArrayViewD<'a, T> {
    let data = if layout.numel() == 0 { &[] } else { &data[layout.offset..] };
    let strides = if layout.numel() == 0 { vec![0; layout.ndim()] } else { layout.strides.to_vec() };
    ArrayViewD::from_shape(IxDyn(&layout.shape).strides(IxDyn(&strides)), data)
        .expect("a layout lies within its storage")
}

/// The axes of a reduction and the shape of its result.
pub(crate) struct ReductionAxes {
    /// The axes reduced, in order.
    pub(crate) axes: Vec<usize>,
    pub(crate) shape: Vec<usize>,
}

impl ReductionAxes {
    /// All axes if `dims` is empty. Errors: dims out of range or repeated.
    pub(crate) fn new(x: &Tensor, dims: &[i64], keepdim: bool) -> Result<ReductionAxes> {
        let mut axes = if dims.is_empty() { (0..x.ndim()).collect() } else { wrap_dims(dims, x.ndim())? };
        axes.retain(|&axis| axis < x.ndim());
        axes.sort_unstable();
        let kept = x.shape().iter().enumerate();
        let shape = kept
            .filter_map(|(axis, &size)| if axes.contains(&axis) { keepdim.then_some(1) } else { Some(size) })
            .collect();
        Ok(ReductionAxes { axes, shape })
    }
}

/// A reduction of a tensor of floats, in either precision.
pub(crate) fn floats(
    x: &Tensor,
    over: &ReductionAxes,
    f32: impl Fn(ArrayViewD<f32>, &[usize]) -> Vec<f32>,
    f64: impl Fn(ArrayViewD<f64>, &[usize]) -> Vec<f64>,
) -> Tensor {
    let layout = x.layout();
    let buffer = match &*x.storage().read() {
        Buffer::F32(data) => Buffer::F32(f32(view(data, layout), &over.axes)),
        Buffer::F64(data) => Buffer::F64(f64(view(data, layout), &over.axes)),
        _ => unreachable!("callers convert to a float dtype"),
    };
    Tensor::new(buffer, over.shape.clone(), x.dtype())
}

/// The dtype of sums and products: integers and bools become int64.
fn accumulated(x: &Tensor, dtype: Option<DType>) -> DType {
    dtype.unwrap_or(if x.dtype().is_float() { x.dtype() } else { DType::Int64 })
}

/// The sum over axes. As `torch.sum`.
pub(crate) fn sum(x: &Tensor, over: &ReductionAxes, dtype: Option<DType>) -> Tensor {
    numbers(x, over, dtype, reduce::sum, reduce::sum, reduce::sum_i64)
}

/// The product over axes. As `torch.prod`.
pub(crate) fn prod(x: &Tensor, over: &ReductionAxes, dtype: Option<DType>) -> Tensor {
    numbers(x, over, dtype, reduce::prod, reduce::prod, reduce::prod_i64)
}

/// A reduction of floats, or of whole numbers as int64.
fn numbers(
    x: &Tensor,
    over: &ReductionAxes,
    dtype: Option<DType>,
    f32: impl Fn(ArrayViewD<f32>, &[usize]) -> Vec<f32>,
    f64: impl Fn(ArrayViewD<f64>, &[usize]) -> Vec<f64>,
    i64: impl Fn(ArrayViewD<i64>, &[usize]) -> Vec<i64>,
) -> Tensor {
    let x = to_dtype(x, accumulated(x, dtype));
    if x.dtype().is_float() {
        return floats(&x, over, f32, f64);
    }
    let wide = to_dtype(&x, DType::Int64);
    let found = match &*wide.storage().read() {
        Buffer::I64(data) => i64(view(data, wide.layout()), &over.axes),
        _ => unreachable!("int64 lies in its own lane"),
    };
    to_dtype(&Tensor::from_i64(found, over.shape.clone()), x.dtype())
}

/// The largest or smallest over axes; `None` without elements.
pub(crate) fn extreme(x: &Tensor, over: &ReductionAxes, end: End) -> Option<Tensor> {
    let buffer = map_lane!(&*x.storage().read(), data => {
        reduce::extremes(view(data, x.layout()), &over.axes, end)?
    });
    Some(Tensor::new(buffer, over.shape.clone(), x.dtype()))
}

/// The largest or smallest over axes and its position; `None` without elements.
pub(crate) fn extreme_and_place(x: &Tensor, over: &ReductionAxes, end: End) -> Option<(Tensor, Tensor)> {
    let places;
    let buffer = map_lane!(&*x.storage().read(), data => {
        let found = reduce::extremes_and_places(view(data, x.layout()), &over.axes, end)?;
        places = found.1;
        found.0
    });
    let values = Tensor::new(buffer, over.shape.clone(), x.dtype());
    Some((values, Tensor::from_i64(places, over.shape.clone())))
}

/// Whether any, or all, over axes are not zero.
pub(crate) fn truth(x: &Tensor, over: &ReductionAxes, all: bool) -> Tensor {
    let values = each_lane!(&*x.storage().read(), data => {
        reduce::truths(view(data, x.layout()), &over.axes, all)
    });
    Tensor::from_bool(values, over.shape.clone())
}

/// Cumulative sums or products along an axis; same shape.
pub(crate) fn running(x: &Tensor, axis: usize, dtype: Option<DType>, product: bool) -> Tensor {
    fn of<T: Real>(view: ArrayViewD<T>, axis: usize, product: bool) -> Vec<T> {
        if product { reduce::cumprod(view, axis) } else { reduce::cumsum(view, axis) }
    }
    let x = to_dtype(x, accumulated(x, dtype));
    if x.ndim() == 0 {
        return super::copy(&x);
    }
    let layout = x.layout();
    let buffer = match &*x.storage().read() {
        Buffer::F32(data) => Buffer::F32(of(view(data, layout), axis, product)),
        Buffer::F64(data) => Buffer::F64(of(view(data, layout), axis, product)),
        Buffer::I64(data) if product => Buffer::I64(reduce::cumprod_i64(view(data, layout), axis)),
        Buffer::I64(data) => Buffer::I64(reduce::cumsum_i64(view(data, layout), axis)),
        Buffer::Bool(_) => unreachable!("bools are summed as int64"),
    };
    Tensor::new(buffer, x.shape(), x.dtype())
}

/// The error of a reduction without elements that needs one.
pub(crate) fn needs_elements(name: &str, x: &Tensor, over: &ReductionAxes) -> Error {
    let empty = over.axes.iter().find(|&&axis| x.shape()[axis] == 0).copied().unwrap_or(0);
    if over.axes.len() == x.ndim() {
        return Error::runtime(format!(
            "{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with \
             the 'dim' argument."
        ));
    }
    no_elements_along(name, empty)
}

/// The error of a dimension without elements.
pub(crate) fn no_elements_along(name: &str, axis: usize) -> Error {
    Error::index(format!("{name}(): Expected reduction dim {axis} to have non-zero size."))
}
