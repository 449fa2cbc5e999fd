//! Operations that are written once for float32 and float64.
//! Half-precision floats are computed in float32 and rounded when the tensor is made.

use std::cell::Ref;
use std::ops::Deref;

use crate::kernel::attention::Fused;
use crate::kernel::buffer_pool;
use crate::kernel::reduce::sum_all;
use crate::tensor::{Buffer, DType, Error, Result, Tensor};

/// The elements of a tensor, row-major.
pub(crate) enum RowMajor<'a, T: Float> {
    /// In the storage of the tensor.
    InPlace(Ref<'a, [T]>),
    /// Copied in this order or converted.
    Copied(Vec<T>),
}

impl<T: Float> Deref for RowMajor<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            RowMajor::InPlace(data) => data,
            RowMajor::Copied(data) => data,
        }
    }
}

impl<T: Float> Drop for RowMajor<'_, T> {
    fn drop(&mut self) {
        if let RowMajor::Copied(data) = self {
            buffer_pool::recycle(std::mem::take(data));
        }
    }
}

/// A float type of the kernel as an element type of tensors.
pub(crate) trait Float: Fused {
    /// The dtype of tensors of these elements.
    const DTYPE: DType;
    /// The elements row-major, converted from other types. Copies.
    fn of(tensor: &Tensor) -> Vec<Self>;
    /// The elements of a buffer of this type. Panics for another type.
    fn elements(buffer: &Buffer) -> &[Self];
    /// The elements row-major; copied only if they are not row-major or of another type.
    fn row_major(tensor: &Tensor) -> RowMajor<'_, Self>;
    /// A buffer of these.
    fn buffer(values: Vec<Self>) -> Buffer;

    /// A row-major tensor of these elements.
    fn tensor(values: Vec<Self>, shape: impl AsRef<[usize]>, dtype: DType) -> Tensor {
        Tensor::new(Self::buffer(values), shape, dtype)
    }

    /// The elements of an optional tensor.
    fn of_some(tensor: Option<&Tensor>) -> Option<Vec<Self>> {
        tensor.map(Self::of)
    }
}

impl Float for f32 {
    const DTYPE: DType = DType::Float32;

    fn of(tensor: &Tensor) -> Vec<f32> {
        tensor.to_f32_vec()
    }

    fn elements(buffer: &Buffer) -> &[f32] {
        match buffer {
            Buffer::F32(values) => values,
            _ => unreachable!("the caller has checked the dtype"),
        }
    }

    fn row_major(tensor: &Tensor) -> RowMajor<'_, f32> {
        let whole = |buffer: &Buffer| matches!(buffer, Buffer::F32(_)) && tensor.is_contiguous();
        let range = tensor.layout().offset..tensor.layout().offset + tensor.numel();
        let inside = Ref::filter_map(tensor.storage().read(), |buffer| match buffer {
            Buffer::F32(data) if whole(buffer) => data.get(range),
            _ => None,
        });
        inside.map_or_else(|_| RowMajor::Copied(Self::of(tensor)), RowMajor::InPlace)
    }

    fn buffer(values: Vec<f32>) -> Buffer {
        Buffer::F32(values)
    }
}

impl Float for f64 {
    const DTYPE: DType = DType::Float64;

    fn of(tensor: &Tensor) -> Vec<f64> {
        tensor.to_f64_vec()
    }

    fn elements(buffer: &Buffer) -> &[f64] {
        match buffer {
            Buffer::F64(values) => values,
            _ => unreachable!("the caller has checked the dtype"),
        }
    }

    fn row_major(tensor: &Tensor) -> RowMajor<'_, f64> {
        let whole = |buffer: &Buffer| matches!(buffer, Buffer::F64(_)) && tensor.is_contiguous();
        let range = tensor.layout().offset..tensor.layout().offset + tensor.numel();
        let inside = Ref::filter_map(tensor.storage().read(), |buffer| match buffer {
            Buffer::F64(data) if whole(buffer) => data.get(range),
            _ => None,
        });
        inside.map_or_else(|_| RowMajor::Copied(Self::of(tensor)), RowMajor::InPlace)
    }

    fn buffer(values: Vec<f64>) -> Buffer {
        Buffer::F64(values)
    }
}

/// Runs `$body` with `$T` as the float type in which `$dtype` is computed.
#[macro_export]
macro_rules! in_floats {
    ($dtype:expr, $T:ident => $body:expr) => {
        if $dtype == $crate::tensor::DType::Float64 {
            type $T = f64;
            $body
        } else {
            type $T = f32;
            $body
        }
    };
}

/// Checks that a dtype is a float. Errors: as PyTorch's `kernel`.
pub(crate) fn only_floats(kernel: &str, dtype: DType) -> Result<()> {
    if dtype.is_float() {
        return Ok(());
    }
    Err(Error::unsupported_dtype(kernel, dtype))
}

/// The losses of all elements, their sum or their mean.
pub(crate) fn reduced<T: Float>(
    values: Vec<T>,
    shape: &[usize],
    dtype: DType,
    reduction: Reduction,
) -> Tensor {
    match reduction {
        Reduction::None => T::tensor(values, shape, dtype),
        Reduction::Sum => T::tensor(vec![sum_all(&values)], [], dtype),
        Reduction::Mean => T::tensor(vec![sum_all(&values) / T::from_f64(values.len() as f64)], [], dtype),
    }
}

/// The reduction of a loss to one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reduction {
    /// `"none"`
    None,
    /// `"mean"`
    Mean,
    /// `"sum"`
    Sum,
}

impl Reduction {
    /// The reduction of this name. Errors: `ValueError`, as PyTorch words it.
    pub(crate) fn named(name: &str) -> Result<Reduction> {
        match name {
            "none" => Ok(Reduction::None),
            "mean" | "elementwise_mean" => Ok(Reduction::Mean),
            "sum" => Ok(Reduction::Sum),
            other => Err(Error::value(format!("{other} is not a valid value for reduction"))),
        }
    }
}
