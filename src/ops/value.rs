//! What an operation returns.

use crate::tensor::{DType, Tensor};

/// What an operation returns.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A tuple of tensors.
    Tensors(Vec<Tensor>),
    /// A list of tensors.
    List(Vec<Tensor>),
    /// A named tuple, such as `max(dim=...)` returns: the name of its type and its fields.
    Named(&'static str, Vec<(&'static str, Tensor)>),
    /// A `bool`.
    Bool(bool),
    /// An `int`.
    Int(i64),
    /// A `float`.
    Float(f64),
    /// A `str`.
    Text(String),
    /// A `torch.Size`.
    Size(Vec<usize>),
    /// A tuple of ints.
    Ints(Vec<i64>),
    /// A dtype.
    DType(DType),
    /// `None`.
    None,
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}

impl Value {
    /// The tensors in it.
    pub fn tensors(&self) -> Vec<&Tensor> {
        match self {
            Value::Tensor(tensor) => vec![tensor],
            Value::Tensors(tensors) | Value::List(tensors) => tensors.iter().collect(),
            Value::Named(_, fields) => fields.iter().map(|field| &field.1).collect(),
            _ => Vec::new(),
        }
    }
}
