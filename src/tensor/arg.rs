//! Reading the arguments of operations.

use super::buffer::Buffer;
use super::dtype::{Category, DType, Lane, Operand};
use super::graph::{Arg, Index, Tensor};

impl From<&Tensor> for Arg {
    fn from(tensor: &Tensor) -> Arg {
        Arg::Tensor(tensor.clone())
    }
}

impl From<&Arg> for Arg {
    fn from(arg: &Arg) -> Arg {
        arg.clone()
    }
}

impl Arg {
    /// The tensor, if it is one.
    pub(crate) fn tensor(&self) -> Option<&Tensor> {
        match self {
            Arg::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    pub fn tensors(&self) -> &[Tensor] {
        match self {
            Arg::Tensor(tensor) => std::slice::from_ref(tensor),
            Arg::Tensors(tensors) => tensors,
            _ => &[],
        }
    }

    /// The tensors of the index expression that it is.
    pub(crate) fn indices(&self) -> impl Iterator<Item = &Tensor> {
        let parts = match self {
            Arg::Index(parts) => &parts[..],
            _ => &[],
        };
        parts.iter().filter_map(|part| match part {
            Index::Tensor(index) => Some(index),
            _ => None,
        })
    }

    /// The number in it, if it is a Python number.
    pub(crate) fn number(&self) -> Option<f64> {
        match *self {
            Arg::Bool(value) => Some(f64::from(u8::from(value))),
            Arg::Int(value) => Some(value as f64),
            Arg::Float(value) => Some(value),
            _ => None,
        }
    }

    /// The whole number in it, if it is one.
    pub(crate) fn int(&self) -> Option<i64> {
        match *self {
            Arg::Int(value) => Some(value),
            Arg::Bool(value) => Some(i64::from(value)),
            _ => None,
        }
    }

    /// Sizes or dims; one int is a list of one.
    pub(crate) fn ints(&self) -> Option<Vec<i64>> {
        match self {
            Arg::Ints(values) => Some(values.clone()),
            Arg::Int(value) => Some(vec![*value]),
            _ => None,
        }
    }

    /// Numbers in the lane of `dtype`; floats are truncated where it has whole numbers.
    pub(crate) fn buffer(numbers: &[Arg], dtype: DType) -> Buffer {
        let float = |number: &Arg| number.number().unwrap_or(0.0);
        let int = |number: &Arg| match *number {
            Arg::Int(value) => value,
            ref other => float(other) as i64,
        };
        match dtype.lane() {
            Lane::F32 => Buffer::F32(numbers.iter().map(|it| float(it) as f32).collect()),
            Lane::F64 => Buffer::F64(numbers.iter().map(float).collect()),
            Lane::I64 => Buffer::I64(numbers.iter().map(int).collect()),
            Lane::Bool => Buffer::Bool(numbers.iter().map(|it| float(it) != 0.0).collect()),
        }
    }

    /// How dtype promotion sees it; `None` for what is no operand.
    pub(crate) fn operand(&self) -> Option<Operand> {
        Some(match self {
            Arg::Tensor(tensor) if tensor.ndim() == 0 => Operand::ZeroDim(tensor.dtype()),
            Arg::Tensor(tensor) => Operand::Dimensioned(tensor.dtype()),
            Arg::Bool(_) => Operand::Number(Category::Bool),
            Arg::Int(_) => Operand::Number(Category::Integer),
            Arg::Float(_) => Operand::Number(Category::Float),
            _ => return None,
        })
    }
}
