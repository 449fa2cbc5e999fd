//! Writes into tensors, recorded: on the tensor, and on the elements that it covers.

use super::op::{Op, wants_grad};
use super::state::{Caller, State};
use super::stream::Stream;
use super::table;
use super::view_history;
use std::rc::Rc;

use crate::tensor::explanation::Explanation;
use crate::tensor::{
    Arg, CompletedOperation, Descriptor, GradName, RandomDraws, Record, Result, Tensor, ops,
};

/// What the record of an in-place write states.
pub(crate) struct Overwrite {
    /// Which of the operation's signatures the arguments fit.
    pub(crate) form: usize,
    pub(crate) operation: &'static Descriptor,
    /// What `grad_fn` shows; none if no gradients flow through it.
    pub(crate) grad_name: Option<GradName>,
    /// The random numbers that its values took, if they were computed before.
    pub(crate) drawn: Option<RandomDraws>,
}

/// Up to how many elements the values before an in-place write are kept, so that they can be explained.
const SNAPSHOT: usize = 4096;

/// Writes into `target` and records it: on the tensor, and on the elements it covers.
/// `args[0]` is the target; the record keeps the values it had.
pub(crate) fn overwrite(
    caller: Caller,
    what: Overwrite,
    target: &Tensor,
    mut args: Vec<Arg>,
    write: impl FnOnce(&Tensor) -> Result<()>,
) -> Result<()> {
    let state = caller.state;
    if state.is_traced() {
        return state
            .tracer
            .write(what.operation, target, args, |args| overwrite(caller, what, target, args, write));
    }
    if is_unrecorded(state, target) {
        write(target)?;
        unrecorded(target);
        return Ok(());
    }
    let needs_grad = wants_grad(state, what.grad_name, &args);
    let stream = Stream::of(state, &args);
    let keeps = target.numel() <= SNAPSHOT && !state.recorder.is_off();
    args[0] = match needs_grad || keeps {
        true => Arg::Tensor(ops::copy(target).with_history_of(target)),
        false => Arg::None,
    };
    write(target)?;
    let what = Overwrite { drawn: stream.drawn().or(what.drawn), ..what };
    recorded(caller, what, target, args, needs_grad);
    Ok(())
}

/// As [`overwrite`], with the result at hand. If the result's elements can replace the target's, nothing is copied, not
/// even the values before.
pub(super) fn replace(
    caller: Caller,
    what: Overwrite,
    target: &Tensor,
    mut args: Vec<Arg>,
    result: Tensor,
) -> Result<()> {
    if target.numel() <= SNAPSHOT {
        return overwrite(caller, what, target, args, |target| ops::write(target, &result));
    }
    let silent = is_unrecorded(caller.state, target);
    match ops::exchange(target, result) {
        Ok(before) if silent => {
            drop(Tensor::new(before, target.shape(), target.dtype()));
            unrecorded(target);
            Ok(())
        }
        Ok(before) => {
            let needs_grad = wants_grad(caller.state, what.grad_name, &args);
            // Dropped as a tensor, the elements can serve the next result.
            let before = Tensor::new(before, target.shape(), target.dtype());
            args[0] = if needs_grad { Arg::Tensor(before.with_history_of(target)) } else { Arg::None };
            recorded(caller, what, target, args, needs_grad);
            Ok(())
        }
        Err(result) => overwrite(caller, what, target, args, |target| ops::write(target, &result)),
    }
}

/// Whether backward writes into a tensor of its own: a gradient, or one on the way to it.
fn is_unrecorded(state: &State, target: &Tensor) -> bool {
    let is_own = |record: &Rc<Record>| record.operation.explanation == Explanation::Gradient;
    state.is_unrecorded() && target.origin().is_none_or(|origin| is_own(&origin))
}

/// Forgets what the elements were before a write that is not recorded. What they are now is still a gradient.
fn unrecorded(target: &Tensor) {
    target.storage().forget_writes();
    if let Some(origin) = target.origin() {
        target.storage().remember(target.layout(), &origin, false);
    }
}

/// Records a write that was done.
fn recorded(caller: Caller, what: Overwrite, target: &Tensor, args: Vec<Arg>, needs_grad: bool) {
    let before = args[0].tensor().cloned();
    let ran = CompletedOperation::new(what.operation, args, target.shape(), (caller.site)());
    let record = caller.state.recorder.record(CompletedOperation {
        in_place: true,
        form: what.form,
        drawn: what.drawn,
        grad_name: what.grad_name.into(),
        needs_grad,
        in_backward: caller.state.in_backward.get(),
        ..ran
    });
    target.storage().remember(target.layout(), &record, true);
    if needs_grad {
        target.mark_result();
        let saves = |op: &Op| (op.saves_result)(&record.args());
        if table::row_of(what.operation).is_some_and(saves) {
            record.save_result(target);
        }
    }
    // Where gradients are off, they pass the write by: the tensor stays the result of what made it.
    if needs_grad || caller.state.grad_mode.get() || target.is_leaf() || !target.requires_grad() {
        target.set_origin(record, 0);
    }
    if let (true, Some(before)) = (needs_grad, before) {
        view_history::record(caller, target, &before);
    }
}
