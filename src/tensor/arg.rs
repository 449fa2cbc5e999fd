//! Reading the arguments of operations.

use super::dtype::{Category, Operand};
use super::graph::{Arg, Index, Tensor};

impl Arg {
    /// The tensor, if it is one.
    pub(crate) fn tensor(&self) -> Option<&Tensor> {
        match self {
            Arg::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// All tensors in it.
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
