//! Operations that are written once for float32 and float64.
//! Half-precision floats are computed in float32 and rounded when the tensor is made.

use std::cell::Ref;
use std::ops::Deref;

use crate::kernel::attention::Fused;
use crate::kernel::buffer_pool;
use crate::kernel::reduce::sum_all;
use crate::tensor::buffer::Number;
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
pub(crate) trait Float: Fused + Number {
    /// The dtype of tensors of these elements.
    const DTYPE: DType;
    /// The elements row-major, converted from other types. Copies.
    fn of(tensor: &Tensor) -> Vec<Self>;
    /// The elements of a buffer of this type, to write. Panics for another type.
    fn written(buffer: &mut Buffer) -> &mut [Self];

    /// The elements row-major; copied only if they are not row-major or of another type.
    fn row_major(tensor: &Tensor) -> RowMajor<'_, Self> {
        let range = tensor.layout().offset..tensor.layout().offset + tensor.numel();
        let inside = Ref::filter_map(tensor.storage().read(), |buffer| {
            Self::slice(buffer).filter(|_| tensor.is_contiguous())?.get(range)
        });
        inside.map_or_else(|_| RowMajor::Copied(Self::of(tensor)), RowMajor::InPlace)
    }

    /// A row-major tensor of these elements.
    fn tensor(values: Vec<Self>, shape: impl AsRef<[usize]>, dtype: DType) -> Tensor {
        Tensor::new(Self::buffer(values), shape, dtype)
    }
}

macro_rules! float {
    ($float:ty, $dtype:ident, $lane:ident, $of:ident) => {
        impl Float for $float {
            const DTYPE: DType = DType::$dtype;

            fn of(tensor: &Tensor) -> Vec<$float> {
                tensor.$of()
            }

            fn written(buffer: &mut Buffer) -> &mut [$float] {
                let Buffer::$lane(values) = buffer else { unreachable!("the caller has checked the dtype") };
                values
            }
        }
    };
}

float!(f32, Float32, F32, to_f32_vec);
float!(f64, Float64, F64, to_f64_vec);

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
    None,
    Mean,
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
