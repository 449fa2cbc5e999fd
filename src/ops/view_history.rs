//! A write through a view continues the history of the tensors that the view was made from.
//! Source: PyTorch's `CopySlices`.

use super::state::Caller;
use crate::tensor::descriptor::COPY_SLICES;
use crate::tensor::{Arg, CompletedOperation, Tensor};

/// Records a write through `view`, which requires a gradient, for the tensors that it is a view of: each of them now comes
/// from what it was and from the view. `before` is the view as it was, with its history.
pub(crate) fn record(caller: Caller, view: &Tensor, before: &Tensor) {
    let mut seen = (view.clone(), before.clone());
    while let Some(base) = base_of(&seen.1, view) {
        let old = base.alias().with_history_of(&base);
        let args = vec![Arg::Tensor(old.clone()), Arg::Tensor(seen.0)];
        let record = caller.state.recorder.record(CompletedOperation {
            grad_name: COPY_SLICES.gradient.into(),
            needs_grad: true,
            in_backward: caller.state.in_backward.get(),
            ..CompletedOperation::new(&COPY_SLICES, args, base.shape(), (caller.site)())
        });
        base.mark_result();
        base.set_origin(record, 0);
        seen = (base, old);
    }
}

/// The tensor that owns the memory of a view, by its history; none for what is no view.
pub(crate) fn root_of(view: &Tensor) -> Option<Tensor> {
    let (mut root, mut at) = (None, view.clone());
    while let Some(base) = base_of(&at, view) {
        let written = at.origin().is_some_and(|origin| origin.in_place);
        at = base;
        if !written {
            root = Some(at.clone());
        }
    }
    root
}

/// The tensor that `tensor` is a view of, by its history; none if that was cut.
fn base_of(tensor: &Tensor, written: &Tensor) -> Option<Tensor> {
    let origin = tensor.origin().filter(|origin| !origin.operation.cuts_history)?;
    let args = origin.args();
    let base = args.iter().flat_map(Arg::tensors).find(|given| given.storage().same(written.storage()))?;
    (!base.is(written)).then(|| base.clone())
}
