//! What an operation returns.

use smallvec::{SmallVec, smallvec};

use crate::tensor::{DType, Tensor};

/// What an operation returns.
#[derive(Clone, Debug)]
pub(crate) enum Value {
    Tensor(Tensor),
    Tensors(Vec<Tensor>),
    /// A named tuple, such as `max(dim=...)` returns: the name of its type and its fields.
    Named(&'static str, Vec<(&'static str, Tensor)>),
    Bool(bool),
    Int(i64),
    DType(DType),
}

impl From<Tensor> for Value {
    fn from(tensor: Tensor) -> Value {
        Value::Tensor(tensor)
    }
}

impl Value {
    pub(crate) fn tensors(&self) -> SmallVec<[&Tensor; 1]> {
        match self {
            Value::Tensor(tensor) => smallvec![tensor],
            Value::Tensors(tensors) => tensors.iter().collect(),
            Value::Named(_, fields) => fields.iter().map(|field| &field.1).collect(),
            _ => SmallVec::new(),
        }
    }
}
