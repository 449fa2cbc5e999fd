//! Filling tensors with random numbers in the right order of elements. The caller checks the bounds of a distribution.
//! Source: PyTorch's CPU distributions. They fill a tensor in the order of its memory, and use scalar normals if it is not
//! contiguous.

use std::ops::Range;

use crate::each_lane;
use crate::kernel::elementwise::PIECE;
use crate::kernel::random::{self, Family, Generator};
use crate::kernel::threads;
use crate::tensor::{Buffer, DType, Layout, Result, Storage, Tensor};

/// The same elements with the largest stride first, so that row-major order is the order in memory. View.
pub fn memory_order(layout: &Layout) -> Layout {
    memory_order_as(layout, layout)
}

/// Writes numbers that `draw` makes in the order of the memory of `target`: into that memory itself if it is one piece.
fn drawn(
    target: &Tensor,
    generator: &mut Generator,
    draw: impl FnOnce(&mut Generator, &mut Buffer, Range<usize>),
) -> Result<()> {
    let n = target.numel();
    generator.count(n);
    let target = target.with_layout(memory_order(target.layout()));
    if n > 0 && target.is_contiguous() {
        let first = target.layout().offset;
        draw(generator, &mut target.storage().write(), first..first + n);
        return Ok(());
    }
    let values = Tensor::zeros(target.shape(), target.dtype())?;
    draw(generator, &mut values.storage().write(), 0..n);
    super::write(&target, &values)
}

/// Writes values of `dtype`, which are in the order of the memory of `target`, converted to its dtype.
fn place(target: &Tensor, generator: &mut Generator, values: Buffer, dtype: DType) -> Result<()> {
    generator.count(values.len());
    let target = target.with_layout(memory_order(target.layout()));
    let values = Tensor::new(values, target.shape(), dtype);
    let values =
        if dtype == target.dtype() { values } else { super::cast::converted(&values, target.dtype()) };
    match super::exchange(&target, values) {
        Ok(before) => drop(Storage::new(before)),
        Err(values) => super::write(&target, &values)?,
    }
    Ok(())
}

/// Evaluates `$draw` with the numbers of a buffer of floats, which the caller has checked that it is.
macro_rules! floats {
    ($buffer:ident[$place:ident], $numbers:ident => $draw:expr) => {
        match $buffer {
            Buffer::F32(data) => {
                let $numbers = &mut data[$place];
                $draw
            }
            Buffer::F64(data) => {
                let $numbers = &mut data[$place];
                $draw
            }
            _ => unreachable!("the operation refuses other dtypes"),
        }
    };
}

/// Uniform in [from, to). In place. As `Tensor.uniform_` on floats.
pub(crate) fn uniform(target: &Tensor, generator: &mut Generator, from: f64, to: f64) -> Result<()> {
    let half = target.dtype().half();
    drawn(target, generator, |generator, buffer, place| match (buffer, half) {
        (Buffer::F32(data), Some(kind)) => kind.uniform(generator, &mut data[place], from, to),
        (buffer, _) => floats!(buffer[place], numbers => random::uniform(generator, numbers, from, to)),
    })
}

/// Normal. In place. As `Tensor.normal_` on floats.
pub(crate) fn normal(target: &Tensor, generator: &mut Generator, mean: f64, std: f64) -> Result<()> {
    let (half, straight) = (target.dtype().half(), target.is_contiguous());
    drawn(target, generator, |generator, buffer, place| match (buffer, half) {
        (Buffer::F32(data), Some(kind)) if straight => kind.normal(generator, &mut data[place], mean, std),
        (Buffer::F32(data), Some(kind)) => kind.normal_each(generator, &mut data[place], mean, std),
        (buffer, _) if straight => {
            floats!(buffer[place], numbers => random::normal(generator, numbers, mean, std))
        }
        (buffer, _) => floats!(buffer[place], numbers => random::normal_each(generator, numbers, mean, std)),
    })
}

/// Rounds what was drawn in float32 to a half type.
fn round(dtype: DType, buffer: &mut Buffer, place: Range<usize>) {
    if let (Some(kind), Buffer::F32(data)) = (dtype.half(), buffer) {
        data[place].iter_mut().for_each(|number| *number = kind.round(*number));
    }
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
    drawn(target, generator, |generator, buffer, place| {
        let part = place.clone();
        floats!(buffer[part], numbers => random::exponential(generator, family, numbers, lambda));
        round(target.dtype(), buffer, place);
    })
}

/// True with probability `p`. In place. As `Tensor.bernoulli_(p)`.
pub(crate) fn bernoulli(target: &Tensor, generator: &mut Generator, family: Family, p: f64) -> Result<()> {
    if family == Family::Mkl && !target.is_contiguous() {
        let rows = Tensor::zeros(target.shape(), target.dtype())?;
        bernoulli(&rows, generator, family, p)?;
        return super::write(target, &rows);
    }
    drawn(target, generator, |generator, buffer, place| {
        each_lane!(buffer, data => random::bernoulli(generator, family, p, &mut data[place]));
    })
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
    integers(target, generator, target.dtype().most_whole() as u64 + 1, 0)
}

/// The factors of dropout with probability `p` (0 < p < 1): 1 / (1 - p) where an element is kept, otherwise 0, in the
/// order of `x` in memory. As the noise of `F.dropout`.
pub(crate) fn dropout_noise(x: &Tensor, generator: &mut Generator, family: Family, p: f64) -> Result<Tensor> {
    let noise = x.zeros_like(x.dtype())?;
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
