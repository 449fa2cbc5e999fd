//! Two kinds of float, one text: operations written once for float32 and float64.
//! Half-width floats are computed in float32 and rounded when the tensor is made.

use std::cell::Ref;
use std::ops::Deref;

use crate::kernel::reduce::sum_all;
use crate::kernel::{Real, buffer_pool};
use crate::tensor::{Buffer, DType, Error, Result, Tensor};

/// A tensor's elements row-major.
pub enum Seen<'a, T: Float> {
    /// As they lie in the storage.
    InPlace(Ref<'a, [T]>),
    /// Gathered or converted.
    Copied(Vec<T>),
}

impl<T: Float> Deref for Seen<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Seen::InPlace(data) => data,
            Seen::Copied(data) => data,
        }
    }
}

impl<T: Float> Drop for Seen<'_, T> {
    fn drop(&mut self) {
        if let Seen::Copied(data) = self {
            buffer_pool::recycle(std::mem::take(data));
        }
    }
}

/// A kind of number the kernel computes with, as tensors hold it.
pub trait Float: Real {
    /// The elements row-major, converted where they are of another kind. Copies.
    fn of(tensor: &Tensor) -> Vec<Self>;
    /// The elements of a buffer of this type. Panics for another type.
    fn elements(buffer: &Buffer) -> &[Self];
    /// The elements row-major: where they lie so, in place.
    fn seen(tensor: &Tensor) -> Seen<'_, Self>;
    /// A buffer of these.
    fn buffer(values: Vec<Self>) -> Buffer;

    /// A row-major tensor of these elements.
    fn tensor(values: Vec<Self>, shape: impl Into<Vec<usize>>, dtype: DType) -> Tensor {
        Tensor::new(Self::buffer(values), shape, dtype)
    }

    /// The elements of a tensor that may be missing.
    fn of_some(tensor: Option<&Tensor>) -> Option<Vec<Self>> {
        tensor.map(Self::of)
    }
}

impl Float for f32 {
    fn of(tensor: &Tensor) -> Vec<f32> {
        tensor.to_f32_vec()
    }

    fn elements(buffer: &Buffer) -> &[f32] {
        match buffer {
            Buffer::F32(values) => values,
            _ => unreachable!("the caller has checked the dtype"),
        }
    }

    fn seen(tensor: &Tensor) -> Seen<'_, f32> {
        let whole = |buffer: &Buffer| matches!(buffer, Buffer::F32(_)) && tensor.is_contiguous();
        let range = tensor.layout().offset..tensor.layout().offset + tensor.numel();
        let inside = Ref::filter_map(tensor.storage().read(), |buffer| match buffer {
            Buffer::F32(data) if whole(buffer) => data.get(range),
            _ => None,
        });
        inside.map_or_else(|_| Seen::Copied(Self::of(tensor)), Seen::InPlace)
    }

    fn buffer(values: Vec<f32>) -> Buffer {
        Buffer::F32(values)
    }
}

impl Float for f64 {
    fn of(tensor: &Tensor) -> Vec<f64> {
        tensor.to_f64_vec()
    }

    fn elements(buffer: &Buffer) -> &[f64] {
        match buffer {
            Buffer::F64(values) => values,
            _ => unreachable!("the caller has checked the dtype"),
        }
    }

    fn seen(tensor: &Tensor) -> Seen<'_, f64> {
        let whole = |buffer: &Buffer| matches!(buffer, Buffer::F64(_)) && tensor.is_contiguous();
        let range = tensor.layout().offset..tensor.layout().offset + tensor.numel();
        let inside = Ref::filter_map(tensor.storage().read(), |buffer| match buffer {
            Buffer::F64(data) if whole(buffer) => data.get(range),
            _ => None,
        });
        inside.map_or_else(|_| Seen::Copied(Self::of(tensor)), Seen::InPlace)
    }

    fn buffer(values: Vec<f64>) -> Buffer {
        Buffer::F64(values)
    }
}

/// Runs `$body` with `$T` standing for the kind of float that `$dtype` is computed in.
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

/// Errors: a dtype that is no float, in the words of PyTorch's `kernel`.
pub fn only(kernel: &str, dtype: DType) -> Result<()> {
    if dtype.is_float() {
        return Ok(());
    }
    Err(Error::runtime(format!("\"{kernel}\" not implemented for '{}'", dtype.cpp_name())))
}

/// What is left of a loss for each element: all of it, its sum, or its mean.
pub fn reduced<T: Float>(values: Vec<T>, shape: &[usize], dtype: DType, reduction: Reduction) -> Tensor {
    match reduction {
        Reduction::None => T::tensor(values, shape, dtype),
        Reduction::Sum => T::tensor(vec![sum_all(&values)], [], dtype),
        Reduction::Mean => T::tensor(vec![sum_all(&values) / T::from_f64(values.len() as f64)], [], dtype),
    }
}

/// How a loss is brought to one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reduction {
    /// `"none"`
    None,
    /// `"mean"`
    Mean,
    /// `"sum"`
    Sum,
}

impl Reduction {
    /// The reduction of this name. Errors: `ValueError`, as PyTorch words it.
    pub fn named(name: &str) -> Result<Reduction> {
        match name {
            "none" => Ok(Reduction::None),
            "mean" | "elementwise_mean" => Ok(Reduction::Mean),
            "sum" => Ok(Reduction::Sum),
            other => Err(Error::value(format!("{other} is not a valid value for reduction"))),
        }
    }
}
