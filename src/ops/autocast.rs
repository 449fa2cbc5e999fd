//! `torch.autocast`: operands that are converted before an operation runs.
//! Source: the lists of ATen's autocast_mode.cpp for the CPU.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use crate::tensor::ops::einsum::{ELLIPSIS, spelled};
use crate::tensor::{Arg, DType, Tensor};

/// What becomes of an operation's operands of a floating point dtype other than float64.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Autocast {
    Unchanged,
    /// They get the dtype of the context.
    LowerPrecision,
    /// They become float32.
    Float32,
    /// They get the widest dtype among them.
    Widest,
}

/// The policy of products.
pub(crate) fn lower_precision(_: &[Arg]) -> Autocast {
    Autocast::LowerPrecision
}

/// The policy of losses and of what loses too much in a lower precision.
pub(crate) fn float32(_: &[Arg]) -> Autocast {
    Autocast::Float32
}

/// The policy of what joins tensors.
pub(crate) fn widest(_: &[Arg]) -> Autocast {
    Autocast::Widest
}

/// The policy of `einsum`: it is a matrix product if it sums over a letter that two operands have.
pub(crate) fn einsum(args: &[Arg]) -> Autocast {
    let [Arg::Str(equation), operands, ..] = args else { return Autocast::Unchanged };
    let ndims = operands.tensors().iter().map(Tensor::ndim);
    let Ok((inputs, output)) = spelled(equation, ndims) else { return Autocast::Unchanged };
    let is_summed = |label: &usize| {
        *label < ELLIPSIS
            && !output.contains(label)
            && inputs.iter().filter(|own| own.contains(label)).count() > 1
    };
    if inputs.iter().flatten().any(is_summed) { Autocast::LowerPrecision } else { Autocast::Unchanged }
}

/// The settings of `torch.autocast`.
#[derive(Debug)]
pub(crate) struct AutocastMode {
    pub(crate) enabled: Cell<bool>,
    /// The lower precision.
    pub(crate) dtype: Cell<DType>,
    /// Parameters by identity, and what they were converted to.
    cache: RefCell<HashMap<usize, (Tensor, Tensor)>>,
}

impl Default for AutocastMode {
    fn default() -> AutocastMode {
        let (enabled, dtype) = (Cell::new(false), Cell::new(DType::BFloat16));
        AutocastMode { enabled, dtype, cache: RefCell::default() }
    }
}

impl AutocastMode {
    /// The dtype that the policy gives to these operands; `None` if they stay as they are.
    pub(crate) fn dtype_for(&self, policy: Autocast, args: &[Arg]) -> Option<DType> {
        let is_float32 = |operand: &Tensor| operand.dtype() == DType::Float32;
        match policy {
            Autocast::Unchanged => None,
            Autocast::Float32 => Some(DType::Float32),
            Autocast::Widest if args.iter().flat_map(Arg::tensors).any(is_float32) => Some(DType::Float32),
            Autocast::LowerPrecision | Autocast::Widest => Some(self.dtype.get()),
        }
    }

    /// A tensor in a dtype, which `convert` computes; a parameter in the lower precision is converted once.
    pub(crate) fn in_dtype<E>(
        &self,
        tensor: Tensor,
        dtype: DType,
        convert: impl FnOnce(&Tensor) -> Result<Tensor, E>,
    ) -> Result<Tensor, E> {
        let from = tensor.dtype();
        if !from.is_float() || from == DType::Float64 || from == dtype {
            return Ok(tensor);
        }
        let is_parameter = from == DType::Float32 && tensor.requires_grad() && tensor.is_leaf();
        if !is_parameter || dtype != self.dtype.get() {
            return convert(&tensor);
        }
        if let Some((_, found)) = self.cache.borrow().get(&tensor.id()) {
            return Ok(found.clone());
        }
        let found = convert(&tensor)?;
        self.cache.borrow_mut().insert(tensor.id(), (tensor, found.clone()));
        Ok(found)
    }

    /// Forgets the converted parameters.
    pub(crate) fn clear(&self) {
        drop(self.cache.take());
    }
}
