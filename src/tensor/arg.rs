//! One argument of an operation, free of Python: what records keep and operations are called with.

use std::cell::RefCell;
use std::rc::Rc;

use super::dtype::{Category, DType, Operand};
use super::tensor::Tensor;
use crate::kernel::random::Generator;

/// An argument of an operation.
#[derive(Clone, Debug)]
pub enum Arg {
    /// `None`, or not given.
    None,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// A word, as in `reduction="mean"`.
    Str(Rc<str>),
    /// A dtype.
    DType(DType),
    /// A tensor.
    Tensor(Tensor),
    /// Several tensors, as `cat` takes them.
    Tensors(Vec<Tensor>),
    /// Sizes or dims.
    Ints(Vec<i64>),
    /// Several floating point numbers.
    Floats(Vec<f64>),
    /// A stream of random numbers.
    Generator(Rc<RefCell<Generator>>),
    /// An index expression, as in `x[1:, None]`.
    Index(Rc<Vec<super::index::Index>>),
}

impl Arg {
    /// The tensor, if it is one.
    pub fn tensor(&self) -> Option<&Tensor> {
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

    /// The number in it, if it is a Python number.
    pub fn number(&self) -> Option<f64> {
        match *self {
            Arg::Bool(value) => Some(f64::from(u8::from(value))),
            Arg::Int(value) => Some(value as f64),
            Arg::Float(value) => Some(value),
            _ => None,
        }
    }

    /// How dtype promotion sees it; `None` for what is no operand.
    pub fn operand(&self) -> Option<Operand> {
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
