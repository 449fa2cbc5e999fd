//! One call of an operation: arguments bound, then run, recorded and marked for gradients.
//! Free of Python objects, so that operations are called alike from Python and Rust.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::failed::Failed;
use super::state::State;
use super::table::{IN_PLACE_ONLY, Op};
use crate::kernel::buffer_pool;
use crate::kernel::random::Family;
use crate::kernel::random::Generator;
use crate::tensor::{
    Arg, Buffer, DType, Descriptor, Drawn, Error, GradName, Ran, Record, Result, Site, Tensor, ops,
};

/// What an operation gives back.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Tensor),
    /// A tuple of tensors.
    Tensors(Vec<Tensor>),
    /// A list of tensors.
    List(Vec<Tensor>),
    /// A named tuple, as `max(dim=...)` gives: its type's name and its fields.
    Named(&'static str, Vec<(&'static str, Tensor)>),
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A floating point number.
    Float(f64),
    /// A text.
    Text(String),
    /// A shape.
    Size(Vec<usize>),
    /// A tuple of whole numbers.
    Ints(Vec<i64>),
    /// A dtype.
    DType(DType),
    /// Nothing.
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

/// A call whose arguments fit the signature's form.
pub struct Call<'a> {
    /// The session's state.
    pub state: &'a State,
    /// The operation.
    pub op: &'static Op,
    /// Which of its forms the arguments fit.
    pub form: usize,
    /// Whether it is the in-place twin that was called.
    pub in_place: bool,
    args: &'a [Arg],
    site: &'a dyn Fn() -> Option<Site>,
    grad_name: Cell<Option<GradName>>,
    kept: RefCell<Vec<Arg>>,
}

impl<'a> Call<'a> {
    /// Says what `grad_fn` shows for this call, where it is not the operation's usual name.
    pub fn set_grad_name(&self, name: GradName) {
        self.grad_name.set(Some(name));
    }

    /// Says that no gradient flows through this call.
    pub fn no_gradient(&self) {
        self.grad_name.set(None);
    }

    /// Keeps a tensor in the record, after the arguments: what gradients and explanations need and could not work out
    /// again, as the noise of dropout.
    pub fn keep(&self, tensor: Tensor) {
        self.kept.borrow_mut().push(Arg::Tensor(tensor));
    }

    /// Calls another row on this one's behalf: the result has a history of its own, as if the learner had written
    /// the call. Arguments are those of its first form; what is left out is `None`.
    pub fn apply(&self, name: &'static str, mut args: Vec<Arg>) -> Result<Tensor> {
        let op = super::table::row(name);
        args.resize(op.params()[0].len().max(args.len()), Arg::None);
        match call(Caller { state: self.state, site: self.site }, op, 0, args)? {
            Value::Tensor(tensor) => Ok(tensor),
            _ => Err(Error::runtime(format!("{name}() does not give one tensor"))),
        }
    }

    /// Argument `at`.
    pub fn arg(&self, at: usize) -> &'a Arg {
        &self.args[at]
    }

    /// Whether argument `at` is `None` or was not given.
    pub fn is_none(&self, at: usize) -> bool {
        matches!(self.args[at], Arg::None)
    }

    fn mismatch(&self, at: usize, wanted: &str) -> Error {
        let name = self.op.params()[self.form].get(at).map_or("?", |param| param.name);
        Error::type_error(format!(
            "{}(): argument '{name}' (position {}) must be {wanted}",
            self.op.name,
            at + 1
        ))
    }

    /// A tensor argument.
    pub fn tensor(&self, at: usize) -> Result<&'a Tensor> {
        self.args[at].tensor().ok_or_else(|| self.mismatch(at, "Tensor"))
    }

    /// A tensor argument that may be `None`.
    pub fn opt_tensor(&self, at: usize) -> Option<&'a Tensor> {
        self.args[at].tensor()
    }

    /// A sequence of tensors.
    pub fn tensors(&self, at: usize) -> &'a [Tensor] {
        self.args[at].tensors()
    }

    /// A whole number.
    pub fn int(&self, at: usize) -> Result<i64> {
        self.opt_int(at).ok_or_else(|| self.mismatch(at, "int"))
    }

    /// A whole number that may be `None`.
    pub fn opt_int(&self, at: usize) -> Option<i64> {
        match self.args[at] {
            Arg::Int(value) => Some(value),
            Arg::Bool(value) => Some(i64::from(value)),
            _ => None,
        }
    }

    /// A floating point number.
    pub fn float(&self, at: usize) -> Result<f64> {
        self.opt_float(at).ok_or_else(|| self.mismatch(at, "float"))
    }

    /// A floating point number that may be `None`.
    pub fn opt_float(&self, at: usize) -> Option<f64> {
        self.args[at].number()
    }

    /// A truth value; `None` is false.
    pub fn bool(&self, at: usize) -> bool {
        matches!(self.args[at], Arg::Bool(true))
    }

    /// A word that may be `None`.
    pub fn opt_str(&self, at: usize) -> Option<&'a str> {
        match &self.args[at] {
            Arg::Str(text) => Some(text),
            _ => None,
        }
    }

    /// Sizes or dims; one int is a list of one.
    pub fn ints(&self, at: usize) -> Result<Vec<i64>> {
        self.opt_ints(at).ok_or_else(|| self.mismatch(at, "tuple of ints"))
    }

    /// Sizes or dims that may be `None`.
    pub fn opt_ints(&self, at: usize) -> Option<Vec<i64>> {
        match &self.args[at] {
            Arg::Ints(values) => Some(values.clone()),
            Arg::Int(value) => Some(vec![*value]),
            _ => None,
        }
    }

    /// A shape to make. Errors: negative sizes.
    pub fn shape(&self, at: usize) -> Result<Vec<usize>> {
        let sizes = self.ints(at)?;
        match sizes.iter().find(|&&size| size < 0) {
            Some(size) => Err(Error::runtime(format!(
                "Trying to create tensor with negative dimension {size}: {sizes:?}"
            ))),
            None => Ok(sizes.into_iter().map(|size| size as usize).collect()),
        }
    }

    /// A dtype that may be `None`.
    pub fn opt_dtype(&self, at: usize) -> Option<DType> {
        match self.args[at] {
            Arg::DType(dtype) => Some(dtype),
            _ => None,
        }
    }

    /// The stream of random numbers: the one given, or the session's.
    pub fn generator(&self, at: usize) -> Rc<RefCell<Generator>> {
        match &self.args[at] {
            Arg::Generator(generator) => generator.clone(),
            _ => self.state.generator.clone(),
        }
    }

    /// The dtype of Python floats.
    pub fn default_dtype(&self) -> DType {
        self.state.default_dtype.get()
    }
}

/// What a call needs besides its arguments.
#[derive(Clone, Copy)]
pub struct Caller<'a> {
    /// The session's state.
    pub state: &'a State,
    /// The line that called.
    pub site: &'a dyn Fn() -> Option<Site>,
}

fn wants_grad(state: &State, op: &Op, args: &[Arg]) -> bool {
    state.grad_mode.get()
        && op.gradient.is_some()
        && args.iter().any(|arg| arg.tensors().iter().any(Tensor::requires_grad))
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

/// Keeps a call that raised, for those who explain it, and hands its error on.
fn failed(caller: Caller, op: &'static Op, form: usize, in_place: bool, args: &[Arg], error: Error) -> Error {
    let args = args.to_vec();
    caller.state.keep_failed(Failed {
        op,
        form,
        in_place,
        args,
        site: (caller.site)(),
        error: error.clone(),
    });
    error
}

/// The generator that a call may draw from, and where it stood before.
struct Stream {
    generator: Rc<RefCell<Generator>>,
    before: (Option<u64>, Option<u64>),
    book: bool,
}

impl Stream {
    fn of(state: &State, args: &[Arg]) -> Stream {
        let given = args.iter().find_map(|arg| match arg {
            Arg::Generator(generator) => Some(generator),
            _ => None,
        });
        let generator = given.unwrap_or(&state.generator).clone();
        let before = {
            let generator = generator.borrow();
            (generator.given(), generator.words())
        };
        Stream { generator, before, book: state.family.get() == Family::Book }
    }

    /// What was drawn since.
    fn drawn(&self) -> Option<Drawn> {
        let generator = self.generator.borrow();
        let (given, words) = self.before;
        let count = generator.given()? - given?;
        (count > 0).then_some(Drawn {
            seed: generator.initial_seed(),
            first: given.map(|given| given + 1),
            count,
            words,
            book: self.book,
        })
    }
}

/// Runs an operation on bound arguments; its results are recorded.
pub fn call(caller: Caller, op: &'static Op, form: usize, args: Vec<Arg>) -> Result<Value> {
    let state = caller.state;
    if state.tracer.is_on() {
        return state.tracer.call(&op.descriptor, args, |args| call(caller, op, form, args));
    }
    let call = Call {
        state,
        op,
        form,
        in_place: false,
        args: &args,
        site: caller.site,
        grad_name: Cell::new(op.gradient_of(form)),
        kept: RefCell::default(),
    };
    let stream = Stream::of(state, &args);
    let value = match (op.run)(&call) {
        Ok(value) => arranged(op, value, &args),
        Err(error) => return Err(failed(caller, op, form, false, &args, error)),
    };
    let grad_name = call.grad_name.get();
    // A tensor that is handed back as it came has its own history already, and so has one that came of `apply`.
    let is_made = |result: &Tensor| {
        !result.has_origin() && !args.iter().any(|arg| arg.tensors().iter().any(|given| given.is(result)))
    };
    let (made, outputs): (Vec<(usize, Tensor, bool)>, usize) = match &value {
        // The usual case, without lists of its own.
        Value::Tensor(one) => match is_made(one) {
            true => {
                let (needs_grad, shape) = (wants_grad(state, op, &args), one.shape().to_vec());
                let is_view = is_view_of_any(&args, one);
                let (kept, drawn) = (call.kept.take(), stream.drawn());
                let mut args = args;
                args.extend(kept);
                let (site, outputs) = ((caller.site)(), 1);
                let operation = &op.descriptor;
                let in_place = false;
                let ran = Ran {
                    operation,
                    in_place,
                    form,
                    grad_name,
                    drawn,
                    args,
                    site,
                    shape,
                    outputs,
                    needs_grad,
                };
                made_by(one, state.recorder.record(ran), 0, is_view);
                return Ok(value);
            }
            false => return Ok(value),
        },
        several => {
            let results = several.tensors();
            let made = results.iter().enumerate().filter(|(_, result)| is_made(result));
            let made =
                made.map(|(output, result)| (output, (*result).clone(), is_view_of_any(&args, result)));
            (made.collect(), results.len())
        }
    };
    if made.is_empty() {
        return Ok(value);
    }
    let needs_grad = wants_grad(state, op, &args);
    let kept = call.kept.take();
    let mut args = args;
    args.extend(kept);
    let record = state.recorder.record(Ran {
        operation: &op.descriptor,
        in_place: false,
        form,
        grad_name,
        drawn: stream.drawn(),
        shape: made[0].1.shape().to_vec(),
        outputs,
        args,
        site: (caller.site)(),
        needs_grad,
    });
    for (output, tensor, is_view) in made {
        made_by(&tensor, record.clone(), output, is_view);
    }
    Ok(value)
}

/// Says of a result what made it, and whether gradients are asked for it.
fn made_by(result: &Tensor, record: Rc<Record>, output: usize, is_view: bool) {
    if record.needs_grad && result.dtype().is_float() {
        result.mark_result(true);
    }
    match is_view {
        true => result.set_origin(record, output),
        false => result.set_made(record, output),
    }
}

/// Runs an operation and writes its result into its first argument: the in-place twin.
pub fn call_in_place(caller: Caller, op: &'static Op, form: usize, args: Vec<Arg>) -> Result<Tensor> {
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
    if state.tracer.is_on() {
        return state
            .tracer
            .write(&op.descriptor, &target, args, |args| call_in_place(caller, op, form, args));
    }
    // One value may be written over and over.
    if !matches!(op.name, "fill" | "zero_") {
        allow_layout(&target)?;
    }
    // The diagonal is filled through a view, once it is known to be one.
    if op.name != "fill_diagonal_" {
        allow_leaf(state, &target)?;
    }
    let differentiable = op.gradient.is_some();
    let operation = &op.descriptor;
    let given = args.clone();
    let call = Call {
        state,
        op,
        form,
        in_place: true,
        args: &given,
        site: caller.site,
        grad_name: Cell::new(op.gradient_of(form)),
        kept: RefCell::default(),
    };
    if op.is_in(IN_PLACE_ONLY) {
        let grad_name = op.gradient_of(form);
        let what = Overwrite { form, operation, grad_name, differentiable, drawn: None };
        overwrite(caller, what, &target, args, |_| (op.run)(&call).map(drop))?;
        return Ok(target);
    }
    let stream = Stream::of(state, &given);
    let value = (op.run)(&call)?;
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
        return Err(Error::runtime(format!(
            "output with shape {:?} doesn't match the broadcast shape {:?}",
            target.shape(),
            result.shape()
        )));
    }
    if result.dtype().category() > target.dtype().category() {
        return Err(Error::runtime(format!(
            "result type {} can't be cast to the desired output type {}",
            result.dtype().cpp_name(),
            // Between numbers, the two are held another way.
            if op.name.starts_with("clamp") && args[1..].iter().all(|arg| arg.tensor().is_none()) {
                ops::linear::cpp_name(target.dtype())
            } else {
                target.dtype().cpp_name()
            }
        )));
    }
    let what = Overwrite { form, operation, grad_name, differentiable, drawn: stream.drawn() };
    replace(caller, what, &target, args, result)?;
    Ok(target)
}

/// Errors: an in-place write that PyTorch refuses.
pub fn allow_in_place(state: &State, target: &Tensor) -> Result<()> {
    allow_layout(target)?;
    allow_leaf(state, target)
}

/// Errors: several indices of what is to be written see one element.
pub fn allow_layout(target: &Tensor) -> Result<()> {
    if target.layout().overlaps() {
        return Err(Error::runtime(
            "unsupported operation: more than one element of the written-to tensor refers to a single memory \
             location. Please clone() the tensor before performing the operation.",
        ));
    }
    Ok(())
}

/// Errors: the learner's own tensor that asks for gradients.
pub fn allow_leaf(state: &State, target: &Tensor) -> Result<()> {
    if !state.grad_mode.get() || !target.requires_grad() {
        return Ok(());
    }
    if target.is_leaf() {
        return Err(Error::runtime(
            "a leaf Variable that requires grad is being used in an in-place operation.",
        ));
    }
    if sees_leaf(target) { allow_part_of_leaf(state, target, true) } else { Ok(()) }
}

/// Errors: part of the learner's own tensor that asks for gradients, where `part` says that it is one.
pub fn allow_part_of_leaf(state: &State, target: &Tensor, part: bool) -> Result<()> {
    if !part {
        return allow_leaf(state, target);
    }
    if state.grad_mode.get() && target.requires_grad() && (target.is_leaf() || sees_leaf(target)) {
        return Err(Error::runtime(
            "a view of a leaf Variable that requires grad is being used in an in-place operation.",
        ));
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

/// Whether a result is a view on one of these.
fn is_view_of_any(args: &[Arg], result: &Tensor) -> bool {
    args.iter().flat_map(Arg::tensors).any(|given| given.storage().same(result.storage()))
}

/// How an in-place write is called in records.
pub struct Overwrite {
    /// Which of the operation's signatures the arguments fit.
    pub form: usize,
    /// The operation.
    pub operation: &'static Descriptor,
    /// What `grad_fn` shows.
    pub grad_name: Option<GradName>,
    /// Whether gradients flow through it.
    pub differentiable: bool,
    /// The random numbers that its values took, where they were worked out before.
    pub drawn: Option<Drawn>,
}

/// Most elements of which the values before an in-place write are kept, so that they can be explained.
const SNAPSHOT: usize = 4096;

impl Overwrite {
    fn needs_grad(&self, state: &State, args: &[Arg]) -> bool {
        state.grad_mode.get()
            && self.differentiable
            && args.iter().any(|arg| arg.tensors().iter().any(Tensor::requires_grad))
    }
}

/// Gives the values a tensor had before a write the tensor's history.
fn with_past(before: Tensor, target: &Tensor) -> Arg {
    if target.requires_grad() {
        before.mark_result(true);
    }
    if let Some(origin) = target.origin() {
        before.set_origin(origin, target.output_index());
    }
    Arg::Tensor(before)
}

/// Writes into `target` and records it: on the tensor, and on the elements it covers.
/// `args[0]` is the target; the record keeps the values it had.
pub fn overwrite(
    caller: Caller,
    what: Overwrite,
    target: &Tensor,
    mut args: Vec<Arg>,
    write: impl FnOnce(&Tensor) -> Result<()>,
) -> Result<()> {
    let state = caller.state;
    if state.tracer.is_on() {
        return state
            .tracer
            .write(what.operation, target, args, |args| overwrite(caller, what, target, args, write));
    }
    let needs_grad = what.needs_grad(state, &args);
    let stream = Stream::of(state, &args);
    let keeps = target.numel() <= SNAPSHOT && !state.recorder.is_off();
    args[0] = match needs_grad || keeps {
        true => with_past(Tensor::new(target.to_buffer(), target.shape(), target.dtype()), target),
        false => Arg::None,
    };
    write(target)?;
    let what = Overwrite { drawn: stream.drawn().or(what.drawn), ..what };
    recorded(caller, what, target, args, needs_grad);
    Ok(())
}

/// As [`overwrite`], with all that is to stand there at hand. Where the result's elements can take the place of the
/// target's, nothing is copied, not even the values before.
fn replace(
    caller: Caller,
    what: Overwrite,
    target: &Tensor,
    mut args: Vec<Arg>,
    result: Tensor,
) -> Result<()> {
    if target.numel() <= SNAPSHOT {
        return overwrite(caller, what, target, args, |target| ops::write(target, &result));
    }
    match ops::exchange(target, result) {
        Ok(before) => {
            let needs_grad = what.needs_grad(caller.state, &args);
            // Dropped as a tensor, the elements can serve the next result.
            let before = Tensor::new(before, target.shape(), target.dtype());
            args[0] = if needs_grad { with_past(before, target) } else { Arg::None };
            recorded(caller, what, target, args, needs_grad);
            Ok(())
        }
        Err(result) => overwrite(caller, what, target, args, |target| ops::write(target, &result)),
    }
}

/// Records a write that was done.
fn recorded(caller: Caller, what: Overwrite, target: &Tensor, args: Vec<Arg>, needs_grad: bool) {
    let before = args[0].tensor().cloned();
    let record = caller.state.recorder.record(Ran {
        operation: what.operation,
        in_place: true,
        form: what.form,
        drawn: what.drawn,
        grad_name: what.grad_name,
        shape: target.shape().to_vec(),
        outputs: 1,
        args,
        site: (caller.site)(),
        needs_grad,
    });
    target.storage().remember(target.layout(), &record, true);
    if needs_grad {
        target.mark_result(true);
    }
    target.set_origin(record, 0);
    if let (true, Some(before)) = (needs_grad, before) {
        super::view_history::tell(caller, target, &before);
    }
}

/// A buffer of `len` elements of a dtype all equal to a Python number.
pub fn filled(dtype: DType, len: usize, value: &Arg) -> Buffer {
    let float = value.number().unwrap_or(0.0);
    match Buffer::zeros(dtype, 0) {
        Buffer::F32(_) => Buffer::F32(buffer_pool::filled(len, float as f32)),
        Buffer::F64(_) => Buffer::F64(buffer_pool::filled(len, float)),
        Buffer::I64(_) => {
            let int = match *value {
                Arg::Int(int) => int,
                _ => float as i64,
            };
            Buffer::I64(buffer_pool::filled(len, int))
        }
        Buffer::Bool(_) => Buffer::Bool(buffer_pool::filled(len, float != 0.0)),
    }
}
