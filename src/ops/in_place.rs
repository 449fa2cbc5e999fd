//! Which in-place writes are allowed. The errors are those of PyTorch.

use super::state::State;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::layout::Shared;
use crate::tensor::{Arg, Error, ErrorFact, Result, Tensor, refuse_if};

/// Errors: several indices of the target refer to one element.
pub(crate) fn allow_layout(target: &Tensor) -> Result<()> {
    refuse_if!(
        target.layout().overlaps(),
        "unsupported operation: more than one element of the written-to tensor refers to a single memory \
             location. Please clone() the tensor before performing the operation."
    );
    Ok(())
}

/// Errors: an operand shares some of the target's elements, but not each with the same index. An operation that writes
/// where indices say may share none.
pub(crate) fn allow_operands(family: OpFamily, target: &Tensor, operands: &[Arg]) -> Result<()> {
    if !matches!(family, OpFamily::Pointwise | OpFamily::Copy | OpFamily::Index) {
        return Ok(());
    }
    let clashes = |operand: &Tensor| {
        // An index operation reads a single number before it writes.
        let read_before = family == OpFamily::Index && operand.numel() == 1;
        !read_before
            && operand.storage().same(target.storage())
            && operand.dtype() == target.dtype()
            && match target.layout().shares(operand.layout()) {
                Shared::Nothing => false,
                Shared::Everything => family == OpFamily::Index,
                Shared::Some => true,
            }
    };
    if operands.iter().flat_map(Arg::tensors).any(clashes) {
        return Err(Error::runtime(
            "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory \
             location. Please clone() the tensor before performing the operation.",
        ));
    }
    Ok(())
}

/// Errors: a leaf tensor that requires a gradient.
pub(crate) fn allow_leaf(state: &State, target: &Tensor) -> Result<()> {
    if !state.grad_mode.get() || !target.requires_grad() {
        return Ok(());
    }
    if target.is_leaf() {
        return Err(Error::runtime(
            "a leaf Variable that requires grad is being used in an in-place operation.",
        )
        .about(ErrorFact::LeafWrite));
    }
    if sees_leaf(target) { allow_part_of_leaf(state, target, true) } else { allow_one_of_several(target) }
}

/// Errors: one of several views that a call returned, such as `chunk`.
fn allow_one_of_several(target: &Tensor) -> Result<()> {
    let made =
        target.origin().filter(|record| record.outputs > 1 && record.operation.family == OpFamily::View);
    let Some(name) = made.and_then(|_| target.grad_fn()) else { return Ok(()) };
    Err(Error::runtime(format!(
        "Output {} of {name} is a view and is being modified inplace. This view is the output of a function that returns multiple \
         views. Such functions do not allow the output views to be modified inplace. You should replace the inplace operation by \
         an out-of-place one.",
        target.output_index()
    )))
}

/// Errors: a leaf tensor that requires a gradient, or a view of one if `part` is set.
pub(crate) fn allow_part_of_leaf(state: &State, target: &Tensor, part: bool) -> Result<()> {
    if !part {
        return allow_leaf(state, target);
    }
    if state.grad_mode.get() && target.requires_grad() && (target.is_leaf() || sees_leaf(target)) {
        return Err(Error::runtime(
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        )
        .about(ErrorFact::LeafWrite));
    }
    Ok(())
}

/// Whether a tensor is a view, of a view perhaps, of a leaf.
fn sees_leaf(target: &Tensor) -> bool {
    let mut seen = target.clone();
    loop {
        let Some(origin) = seen.origin() else { return false };
        let args = origin.args();
        let base = args.iter().flat_map(Arg::tensors).find(|given| given.storage().same(seen.storage()));
        match base {
            Some(base) if base.is_leaf() => return base.requires_grad(),
            Some(base) if !base.is(&seen) => seen = base.clone(),
            _ => return false,
        }
    }
}
