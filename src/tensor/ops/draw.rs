//! Filling tensors with random numbers in the right order of elements. The caller checks the bounds of a distribution.
//! Source: PyTorch's CPU distributions. They fill a tensor in the order of its memory, and use scalar normals if it is not
//! contiguous.

use crate::kernel::elementwise::PIECE;
use crate::kernel::random::{self, Family, Generator, IntegerKind};
use crate::kernel::{buffer_pool, threads};
use crate::tensor::{Buffer, DType, Layout, Result, Storage, Tensor, allow};

/// The same elements with the largest stride first, so that row-major order is the order in memory. View.
pub fn memory_order(layout: &Layout) -> Layout {
    let mut axes: Vec<usize> = (0..layout.ndim()).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(layout.strides[axis]));
    layout.permute(&axes)
}

/// Zeros with the shape of this tensor and its order in memory. As `torch.empty_like`.
pub(crate) fn empty_like(x: &Tensor, dtype: DType) -> Result<Tensor> {
    let len = allow(x.shape(), dtype)?;
    Ok(Tensor::from_parts(Storage::new(Buffer::zeros(dtype, len)), x.layout().preserved(), dtype))
}

/// Writes values of `dtype`, which are in the order of the memory of `target`, converted to its dtype.
fn place(target: &Tensor, generator: &mut Generator, values: Buffer, dtype: DType) -> Result<()> {
    generator.count(values.len());
    let layout = memory_order(target.layout());
    let values = Tensor::new(values, layout.shape.clone(), dtype);
    let (values, target) = (super::cast::to_dtype(&values, target.dtype()), target.with_layout(layout));
    match super::exchange(&target, values) {
        Ok(before) => drop(Storage::new(before)),
        Err(values) => super::write(&target, &values)?,
    }
    Ok(())
}

/// Uniform in [from, to). In place. As `Tensor.uniform_` on floats.
pub(crate) fn uniform(target: &Tensor, generator: &mut Generator, from: f64, to: f64) -> Result<()> {
    let (n, dtype) = (target.numel(), target.dtype());
    let values = if dtype == DType::Float64 {
        let mut values = buffer_pool::take(n);
        random::uniform(generator, &mut values, from, to);
        Buffer::F64(values)
    } else {
        let mut values = buffer_pool::take(n);
        match dtype.half() {
            Some(kind) => kind.uniform(generator, &mut values, from, to),
            None => random::uniform(generator, &mut values, from, to),
        }
        Buffer::F32(values)
    };
    place(target, generator, values, dtype)
}

/// Normal. In place. As `Tensor.normal_` on floats.
pub(crate) fn normal(target: &Tensor, generator: &mut Generator, mean: f64, std: f64) -> Result<()> {
    let (n, dtype, straight) = (target.numel(), target.dtype(), target.is_contiguous());
    let values = if dtype == DType::Float64 {
        let mut values = buffer_pool::take(n);
        match straight {
            true => random::normal(generator, &mut values, mean, std),
            false => random::normal_each(generator, &mut values, mean, std),
        }
        Buffer::F64(values)
    } else {
        let mut values = buffer_pool::take(n);
        match (dtype.half(), straight) {
            (Some(kind), true) => kind.normal(generator, &mut values, mean, std),
            (Some(kind), false) => kind.normal_each(generator, &mut values, mean, std),
            (None, true) => random::normal(generator, &mut values, mean, std),
            (None, false) => random::normal_each(generator, &mut values, mean, std),
        }
        Buffer::F32(values)
    };
    place(target, generator, values, dtype)
}

/// A distribution that is drawn in float32 or float64 and rounded.
macro_rules! drawn {
    ($target:expr, $generator:ident, |$values:ident| $fill:expr) => {{
        let (n, dtype) = ($target.numel(), $target.dtype());
        let values = if dtype == DType::Float64 {
            let mut $values = buffer_pool::take::<f64>(n);
            $fill;
            Buffer::F64($values)
        } else {
            let mut $values = buffer_pool::take::<f32>(n);
            $fill;
            Buffer::F32($values)
        };
        place($target, $generator, values, dtype)
    }};
}

/// Exponential of rate `lambda`. In place. As `Tensor.exponential_`.
pub(crate) fn exponential(
    target: &Tensor,
    generator: &mut Generator,
    family: Family,
    lambda: f64,
) -> Result<()> {
    if family == Family::Mkl && !target.is_contiguous() {
        // MKL fills a row-major tensor, which is copied.
        let rows = Tensor::zeros(target.shape(), target.dtype())?;
        exponential(&rows, generator, family, lambda)?;
        return super::write(target, &rows);
    }
    drawn!(target, generator, |values| random::exponential(generator, family, &mut values, lambda))
}

/// Normal, truncated to [a, b]. In place. As `nn.init.trunc_normal_`.
pub(crate) fn trunc_normal(
    target: &Tensor,
    generator: &mut Generator,
    [mean, std, a, b]: [f64; 4],
) -> Result<()> {
    drawn!(target, generator, |values| random::trunc_normal(generator, &mut values, mean, std, a, b))
}

/// True with probability `p`. In place. As `Tensor.bernoulli_(p)`.
pub(crate) fn bernoulli(target: &Tensor, generator: &mut Generator, family: Family, p: f64) -> Result<()> {
    let values = Buffer::Bool(random::bernoulli(generator, family, p, target.numel()));
    match family {
        Family::Book => place(target, generator, values, DType::Bool),
        Family::Mkl => {
            generator.count(target.numel());
            super::write(target, &Tensor::new(values, target.shape(), DType::Bool))
        }
    }
}

/// True with the probability in `p` for each element. In place. As `Tensor.bernoulli_(tensor)`.
pub(crate) fn bernoulli_each(target: &Tensor, generator: &mut Generator, p: &Tensor) -> Result<()> {
    let ordered = p.with_layout(memory_order_as(target.layout(), p.layout()));
    let values = match p.dtype() {
        DType::Float64 => random::bernoulli_each(generator, &ordered.to_f64_vec()),
        _ => random::bernoulli_each(generator, &ordered.to_f32_vec()),
    };
    place(target, generator, Buffer::Bool(values), DType::Bool)
}

/// `layout`, of the same shape as `leader`, with its dimensions in the order of `leader`'s memory. View.
fn memory_order_as(leader: &Layout, layout: &Layout) -> Layout {
    let mut axes: Vec<usize> = (0..leader.ndim()).collect();
    axes.sort_by_key(|&axis| std::cmp::Reverse(leader.strides[axis]));
    layout.permute(&axes)
}

/// Integers `base + draw mod range`; range 0 means 2^64. In place. As `Tensor.random_` with bounds.
pub(crate) fn integers(target: &Tensor, generator: &mut Generator, range: u64, base: i64) -> Result<()> {
    let drawn = Buffer::I64(random::raw_integers(generator, range, base, target.numel()));
    place(target, generator, drawn, DType::Int64)
}

/// Integers over the whole range of the dtype. In place. As `Tensor.random_()`.
pub(crate) fn all_integers(target: &Tensor, generator: &mut Generator) -> Result<()> {
    let kind = match target.dtype() {
        DType::Bool => IntegerKind::Bool,
        DType::UInt8 => IntegerKind::UInt8,
        DType::Int8 => IntegerKind::Int8,
        DType::Int16 => IntegerKind::Int16,
        DType::Int32 => IntegerKind::Int32,
        DType::Int64 => IntegerKind::Int64,
        DType::Float16 => IntegerKind::Float16,
        DType::BFloat16 => IntegerKind::BFloat16,
        DType::Float32 => IntegerKind::Float32,
        DType::Float64 => IntegerKind::Float64,
    };
    let drawn = Buffer::I64(random::full_range(generator, kind, target.numel()));
    place(target, generator, drawn, DType::Int64)
}

/// The factors of dropout with probability `p` (0 < p < 1): 1 / (1 - p) where an element is kept, otherwise 0, in the
/// order of `x` in memory. As the noise of `F.dropout`.
pub(crate) fn dropout_noise(x: &Tensor, generator: &mut Generator, family: Family, p: f64) -> Result<Tensor> {
    let noise = empty_like(x, x.dtype())?;
    bernoulli(&noise, generator, family, 1.0 - p)?;
    let kept = match x.dtype() {
        DType::Float64 => 1.0 / (1.0 - p),
        dtype => f64::from(dtype.round_f32(1.0 / (1.0 - p) as f32)),
    };
    match &mut *noise.storage().write() {
        Buffer::F32(data) => {
            let scaled = |data: &mut [f32]| data.iter_mut().for_each(|value| *value *= kept as f32);
            threads::share(data.chunks_mut(PIECE), scaled);
        }
        Buffer::F64(data) => data.iter_mut().for_each(|value| *value *= kept),
        _ => {}
    }
    Ok(noise)
}
