//! One call of an operation: arguments bound, then run, recorded and marked for gradients.
//! Free of Python objects, so that operations are called alike from Python and Rust.

use std::cell::{Cell, RefCell};

use smallvec::SmallVec;

use super::autocast::Autocast;
use super::failed::Failed;
use super::in_place::{allow_layout, allow_leaf, allow_operands};
use super::op::{Call, Op, TargetCheck, wants_grad};
use super::overwrite::{Overwrite, overwrite, replace};
use super::schema::default_arg;
use super::state::{Caller, State};
use super::stream::Stream;
use super::table;
use super::value::Value;
use crate::kernel::stop;
use crate::tensor::descriptor::{InPlace, OpFamily};
use crate::tensor::{Arg, CompletedOperation, Error, ErrorFact, Result, Tensor, allow, ops};

/// Whether a view that was made while gradients were off requires a gradient all the same, as what it was made from does.
fn requires_as_base(state: &State, op: &Op, args: &[Arg], view: &Tensor) -> bool {
    !state.grad_mode.get()
        && op.gradient.is_some()
        && !op.cuts_history
        && view.dtype().is_float()
        && args.iter().flat_map(Arg::tensors).any(|given| given.requires_grad() && is_view_of(given, view))
}

/// A pointwise operation's fresh result, in the order of memory its operands have.
fn arranged(op: &'static Op, value: Value, args: &[Arg]) -> Value {
    if !op.keeps_order {
        return value;
    }
    let operands: Vec<&Tensor> = args.iter().filter_map(Arg::tensor).collect();
    match value {
        Value::Tensor(result)
            if result.origin().is_none()
                && !operands.iter().any(|operand| operand.storage().same(result.storage())) =>
        {
            Value::Tensor(ops::strides::placed(result, &operands))
        }
        value => value,
    }
}

/// Keeps a call that raised so that it can be explained, and returns its error.
fn failed(caller: Caller, op: &'static Op, form: usize, in_place: bool, args: &[Arg], error: Error) -> Error {
    let args = args.to_vec();
    caller.state.keep_failed(Failed { op: &op.descriptor, form, in_place, args, error: error.clone() });
    error
}

/// Elements above which an operand is compared with the memory limit.
const MANY: usize = 1 << 24;

/// Runs the operation. Errors: that of the allocator, if an operand or a result would not fit: an expanded tensor has
/// elements that memory has no room for, and an operation that reads them would not end.
fn run(op: &'static Op, call: &Call, args: &[Arg]) -> Result<Value> {
    if op.family != OpFamily::View {
        for operand in args.iter().flat_map(Arg::tensors) {
            if operand.shape().iter().fold(1usize, |product, &size| product.saturating_mul(size)) > MANY {
                allow(operand.shape(), operand.dtype())?;
            }
        }
    }
    stop::leavable(|| (op.run)(call)).unwrap_or_else(|left| Err(left.into()))
}

/// The operands as a policy of `torch.autocast` converts them.
pub(crate) fn converted(caller: Caller, policy: Autocast, args: Vec<Arg>) -> Result<Vec<Arg>> {
    let mode = &caller.state.autocast;
    let Some(dtype) = mode.dtype_for(policy, &args) else { return Ok(args) };
    let cast = |tensor: &Tensor| call_named(caller, "to", 0, vec![tensor.into(), Arg::DType(dtype)]);
    let each = |tensor: Tensor| mode.in_dtype(tensor, dtype, cast);
    let one = |arg| match arg {
        Arg::Tensor(tensor) => each(tensor).map(Arg::Tensor),
        Arg::Tensors(tensors) => tensors.into_iter().map(each).collect::<Result<_>>().map(Arg::Tensors),
        other => Ok(other),
    };
    args.into_iter().map(one).collect()
}

/// Runs a form of an operation of the table that returns one tensor; arguments that are not given have their defaults.
pub(super) fn call_named(
    caller: Caller,
    name: &'static str,
    form: usize,
    mut args: Vec<Arg>,
) -> Result<Tensor> {
    let row = table::row(name);
    let rest = row.params()[form].get(args.len()..).unwrap_or_default();
    args.extend(rest.iter().map(|param| param.default.map_or(Arg::None, default_arg)));
    match call(caller, row, form, args)? {
        Value::Tensor(found) => Ok(found),
        _ => unreachable!("{name} returns one tensor"),
    }
}

/// Runs an operation on bound arguments; its results are recorded.
pub(crate) fn call(caller: Caller, op: &'static Op, form: usize, args: Vec<Arg>) -> Result<Value> {
    let state = caller.state;
    let args = match state.autocast.enabled.get() {
        true => converted(caller, (op.autocast)(&args), args)?,
        false => args,
    };
    if state.is_traced() {
        return state.tracer.call(&op.descriptor, args, |args| call(caller, op, form, args));
    }
    let call = Call {
        state,
        op,
        form,
        in_place: false,
        args: &args,
        grad_name: Cell::new(op.gradient_of(form)),
        kept: RefCell::default(),
    };
    let stream = Stream::of(state, &args);
    let value = match op.check_dtype(&args).and_then(|()| run(op, &call, &args)) {
        Ok(value) => arranged(op, value, &args),
        Err(error) => return Err(failed(caller, op, form, false, &args, error)),
    };
    if state.is_unrecorded() {
        return Ok(value);
    }
    let grad_name = call.grad_name.get();
    // An argument that is returned as it is, or a tensor that `apply` made, has a history already.
    let is_made = |result: &Tensor| {
        !result.has_origin() && !args.iter().any(|arg| arg.tensors().iter().any(|given| given.is(result)))
    };
    let results = value.tensors();
    let outputs = results.len();
    let made = results.into_iter().enumerate().filter(|(_, result)| is_made(result));
    let made: SmallVec<[(usize, &Tensor, bool); 1]> = made
        .map(|(output, result)| {
            (output, result, args.iter().flat_map(Arg::tensors).any(|given| is_view_of(given, result)))
        })
        .collect();
    let Some(&(_, last, _)) = made.last() else {
        drop(made);
        return Ok(value);
    };
    for (_, view, is_view) in &made {
        if *is_view && requires_as_base(state, op, &args, view) {
            view.mark_view_without_edge();
        }
    }
    let needs_grad = wants_grad(state, grad_name, &args);
    let saves = needs_grad && (op.saves_result)(&args);
    let kept = call.kept.take();
    let mut args = args;
    args.extend(kept);
    let ran = CompletedOperation::new(&op.descriptor, args, made[0].1.shape(), (caller.site)());
    let record = state.recorder.record(CompletedOperation {
        form,
        grad_name: grad_name.into(),
        drawn: stream.drawn(),
        outputs,
        needs_grad,
        in_backward: state.in_backward.get(),
        ..ran
    });
    if saves {
        record.save_result(last);
    }
    for (output, result, is_view) in &made {
        if needs_grad && result.dtype().is_float() {
            result.mark_result();
        }
        match is_view {
            true => result.set_origin(record.clone(), *output),
            false => result.set_made(record.clone(), *output),
        }
    }
    drop(made);
    Ok(value)
}

/// Runs an operation and writes its result into its first argument: the in-place twin.
pub(crate) fn call_in_place(caller: Caller, op: &'static Op, form: usize, args: Vec<Arg>) -> Result<Tensor> {
    let given = args.clone();
    written(caller, op, form, args).map_err(|error| failed(caller, op, form, true, &given, error))
}

fn written(caller: Caller, op: &'static Op, form: usize, args: Vec<Arg>) -> Result<Tensor> {
    let state = caller.state;
    let name = op.called(true);
    let target = args
        .first()
        .and_then(Arg::tensor)
        .cloned()
        .ok_or_else(|| Error::type_error(format!("{name}(): self must be a Tensor")))?;
    if state.is_traced() {
        return state
            .tracer
            .write(&op.descriptor, &target, args, |args| call_in_place(caller, op, form, args));
    }
    if op.target_check != TargetCheck::Leaf {
        allow_layout(&target)?;
        allow_operands(op.descriptor.family, &target, &args[1..])?;
    }
    if op.target_check != TargetCheck::Overlap {
        allow_leaf(state, &target)?;
    }
    op.check_dtype(&args)?;
    let operation = &op.descriptor;
    let given = args.clone();
    let call = Call {
        state,
        op,
        form,
        in_place: true,
        args: &given,
        grad_name: Cell::new(op.gradient_of(form)),
        kept: RefCell::default(),
    };
    if op.in_place == InPlace::Always {
        let grad_name = op.gradient_of(form);
        let what = Overwrite { form, operation, grad_name, drawn: None };
        overwrite(caller, what, &target, args, |_| run(op, &call, &given).map(drop))?;
        return Ok(target);
    }
    let stream = Stream::of(state, &given);
    let value = run(op, &call, &given)?;
    let grad_name = call.grad_name.get();
    let kept = call.kept.take();
    let Value::Tensor(result) = value else {
        return Err(Error::runtime(format!("{}() does not give one tensor", op.name)));
    };
    if result.is(&target) {
        return Ok(target);
    }
    let mut args = args;
    args.extend(kept);
    if result.shape() != target.shape() {
        return Err(Error::output_shape(target.shape(), result.shape()));
    }
    if result.dtype().category() > target.dtype().category() {
        return Err(Error::uncastable(result.dtype(), target.dtype()).about(ErrorFact::DifferentDtypes));
    }
    let what = Overwrite { form, operation, grad_name, drawn: stream.drawn() };
    replace(caller, what, &target, args, result)?;
    Ok(target)
}

fn is_view_of(given: &Tensor, result: &Tensor) -> bool {
    given.storage().same(result.storage())
}
