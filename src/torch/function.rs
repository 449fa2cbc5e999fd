//! Operations as Python objects: `torch.softmax`, `tensor.softmax`, `tensor.softmax_`.

use std::rc::Rc;

use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, GetDescriptor, Representable};
use rustpython_vm::{AsObject, Py, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::bind::bind;
use super::composed::composed;
use super::descriptor;
use super::numbers::items;
use super::overrides::overridden;
use super::py_tensor::{PyTensor, tensor_of};
use super::raise::OrRaise;
use super::site::site;
use super::to_python::object;
use crate::ops::call::{call, call_in_place};
use crate::ops::in_place::allow_leaf;
use crate::ops::op::TargetCheck;
use crate::ops::schema::signature;
use crate::ops::state::{Caller, State};
use crate::ops::table::{FUNCTION, FUNCTIONAL, IN_PLACE_ONLY, LINALG, Op, RELAYOUT, row};
use crate::ops::value::Value;
use crate::tensor::{Arg, Error, Tensor, ops};

/// An operation as a callable: a function of the module, or a method when it has no state of its own.
#[pyclass(module = "torch", name = "builtin_function_or_method")]
#[derive(PyPayload)]
pub(crate) struct PyOp {
    op: &'static Op,
    name: &'static str,
    in_place: bool,
    state: Option<Rc<State>>,
}

impl std::fmt::Debug for PyOp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "operation {}", self.name)
    }
}

impl PyOp {
    /// `torch.name`
    pub(crate) fn function(op: &'static Op, name: &'static str, in_place: bool, state: &Rc<State>) -> Self {
        PyOp { op, name, in_place, state: Some(state.clone()) }
    }

    /// `tensor.name`
    pub(crate) fn method(op: &'static Op, name: &'static str, in_place: bool) -> Self {
        PyOp { op, name, in_place, state: None }
    }

    /// Documentation: every form, then what it computes.
    pub(crate) fn documentation(op: &Op, name: &str) -> String {
        let forms: Vec<String> = op.forms.iter().map(|form| format!("{name}({})", signature(form))).collect();
        format!("{}\n\n{}", forms.join("\n"), op.doc)
    }
}

impl Callable for PyOp {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let state = match &zelf.state {
            Some(state) => state.clone(),
            None => match args.args.first().and_then(|first| first.downcast_ref::<PyTensor>()) {
                Some(tensor) => tensor.state.clone(),
                None => {
                    return Err(vm.new_type_error(format!(
                        "descriptor '{}' for 'torch._C.TensorBase' objects doesn't apply to a '{}' object",
                        zelf.name,
                        args.args.first().map_or("None".to_owned(), |first| first.class().name().to_string())
                    )));
                }
            },
        };
        let done = run(zelf.op, zelf.name, zelf.in_place, zelf.state.is_none(), &state, &args, vm);
        done.or_else(|error| overridden(zelf.as_object(), &args, vm).unwrap_or(Err(error)))
    }
}

/// Binds, runs and wraps: a call of an operation from Python.
pub(crate) fn run(
    op: &'static Op,
    name: &str,
    in_place: bool,
    method: bool,
    state: &Rc<State>,
    args: &FuncArgs,
    vm: &VirtualMachine,
) -> PyResult {
    if !method
        && op.places & (FUNCTION | LINALG) != 0
        && !args.kwargs.is_empty()
        && let Some(out) = args.kwargs.get("out")
    {
        let mut rest = args.clone();
        rest.kwargs.swap_remove("out");
        return match vm.is_none(out) {
            true => run(op, name, in_place, method, state, &rest, vm),
            false => run_into(op, name, state, &rest, out, vm),
        };
    }
    let (form, bound) = bind(op, name, method, args, state, vm)?;
    let caller = Caller { state, site: &|| site(vm) };
    let asked = op.params()[form]
        .iter()
        .zip(&bound)
        .any(|(param, arg)| matches!(arg, Arg::Bool(true)) && param.name == "inplace");
    if op.is_composed_for(&bound) {
        let result = composed(caller, state, op, form, bound, vm)?;
        return if in_place && !op.is_in(IN_PLACE_ONLY) {
            copied_into(caller, op, args, &result, vm)
        } else {
            Ok(result)
        };
    }
    if in_place && op.is_in(RELAYOUT) {
        return relayout(caller, op, form, bound, args, vm);
    }
    if in_place || asked || op.is_in(IN_PLACE_ONLY) {
        call_in_place(caller, op, form, bound).or_raise(vm)?;
        return Ok(args.args.first().cloned().unwrap_or_else(|| vm.ctx.none()));
    }
    let value = call(caller, op, form, bound).or_raise(vm)?;
    object(value, state, &args.args, vm)
}

/// Runs an operation, writes its results into the tensors of `out`, and returns those.
fn run_into(
    op: &'static Op,
    name: &str,
    state: &Rc<State>,
    args: &FuncArgs,
    out: &PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult {
    let (form, bound) = bind(op, name, false, args, state, vm)?;
    let targets = items(out).unwrap_or_else(|| vec![out.clone()]);
    if let Some(other) = targets.iter().find(|target| tensor_of(target).is_none()) {
        let given = other.class().name().to_string();
        return Err(vm.new_type_error(format!("{name}(): argument 'out' must be Tensor, not {given}")));
    }
    if state.grad_mode.get() && bound.iter().any(|arg| arg.tensors().iter().any(Tensor::requires_grad)) {
        return Err(vm.new_runtime_error(format!(
            "{name}(): functions with out=... arguments don't support automatic differentiation, but one of the \
             arguments requires grad."
        )));
    }
    let caller = Caller { state, site: &|| site(vm) };
    let results: Vec<Tensor> = if op.is_composed_for(&bound) {
        let result = composed(caller, state, op, form, bound, vm)?;
        let results = items(&result).unwrap_or_else(|| vec![result]);
        results.iter().filter_map(|result| tensor_of(result)).collect()
    } else {
        call(caller, op, form, bound).or_raise(vm)?.tensors().into_iter().cloned().collect()
    };
    for (target, result) in targets.iter().zip(&results) {
        let Some(holder) = target.downcast_ref::<PyTensor>() else { continue };
        write_out(holder, result).or_raise(vm)?;
    }
    match targets.len() {
        1 => Ok(targets[0].clone()),
        _ => Ok(vm.ctx.new_tuple(targets).into()),
    }
}

/// Writes a result into the tensor of `out=`, which is replaced if its shape is another.
fn write_out(holder: &PyTensor, result: &Tensor) -> crate::tensor::Result<()> {
    let target = holder.tensor();
    if result.dtype().category() > target.dtype().category() {
        return Err(Error::uncastable(result.dtype(), target.dtype()));
    }
    let target = if target.shape() == result.shape() {
        ops::write(&target, result)?;
        target
    } else {
        let made = Tensor::zeros(result.shape(), target.dtype())?;
        ops::write(&made, result)?;
        holder.replace(made.clone());
        made
    };
    if let Some(record) = result.origin() {
        target.storage().remember(target.layout(), &record, false);
        target.set_origin(record, result.output_index());
    }
    Ok(())
}

/// Copies the result of a composed operation into the tensor that its in-place twin was called on.
fn copied_into(
    caller: Caller,
    op: &'static Op,
    args: &FuncArgs,
    result: &PyObjectRef,
    vm: &VirtualMachine,
) -> PyResult {
    let object = args.args.first().cloned().unwrap_or_else(|| vm.ctx.none());
    if let (Some(target), Some(result)) = (tensor_of(&object), tensor_of(result)) {
        let copied = vec![Arg::Tensor(target), Arg::Tensor(result), Arg::None];
        let written = call_in_place(caller, row("copy"), 0, copied).or_raise(vm)?;
        if let (Some(record), Some(name)) = (written.origin(), op.gradient_of(0)) {
            record.grad_name.set(Some(name));
        }
    }
    Ok(object)
}

/// Gives the tensor itself the layout of the view that the operation returns: `unsqueeze_`.
fn relayout(
    caller: Caller,
    op: &'static Op,
    form: usize,
    bound: Vec<Arg>,
    args: &FuncArgs,
    vm: &VirtualMachine,
) -> PyResult {
    let object = args.args.first().cloned().unwrap_or_else(|| vm.ctx.none());
    let Some(target) = object.downcast_ref::<PyTensor>() else { return Ok(object) };
    if op.target_check != TargetCheck::Overlap {
        allow_leaf(caller.state, &target.tensor()).or_raise(vm)?;
    }
    // The error of the view, with the name of the twin.
    let value = call(caller, op, form, bound).map_err(|mut error| {
        error.message =
            error.message.replacen(&format!("{}()", op.name), &format!("{}()", op.twin_name()), 1);
        error
    });
    if let Value::Tensor(view) = value.or_raise(vm)? {
        if let Some(origin) = view.origin() {
            origin.grad_name.set(origin.grad_name.get().map(|name| name.further(op.in_place_overload)));
        }
        // A new shape counts as a change of the tensor.
        drop(view.storage().write());
        target.replace(view);
    }
    Ok(object)
}

impl GetDescriptor for PyOp {
    fn descr_get(
        zelf: PyObjectRef,
        object: Option<PyObjectRef>,
        _class: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        // A function of the module stays one, wherever it is stored.
        let is_function = zelf.downcast_ref::<PyOp>().is_none_or(|it| it.state.is_some());
        Ok(descriptor::read(zelf, object, is_function, vm))
    }
}

impl Representable for PyOp {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(if zelf.op.places == FUNCTIONAL {
            format!("<built-in function {}>", zelf.name)
        } else if zelf.state.is_some() {
            format!("<built-in method {} of type object>", zelf.name)
        } else {
            format!("<method '{}' of 'torch._C.TensorBase' objects>", zelf.name)
        })
    }
}

#[pyclass(with(Callable, GetDescriptor, Representable), flags(METHOD_DESCRIPTOR))]
impl PyOp {
    /// Functions are the same wherever they are: a copy of one is itself, as of Python's own.
    #[pymethod]
    fn __reduce__(&self) -> &'static str {
        self.name
    }

    #[pygetset]
    fn __name__(&self) -> &'static str {
        self.name
    }

    #[pygetset]
    fn __qualname__(&self) -> &'static str {
        self.name
    }

    #[pygetset]
    fn __module__(&self) -> &'static str {
        "torch"
    }

    #[pygetset]
    fn __doc__(&self) -> String {
        PyOp::documentation(self.op, self.name)
    }

    #[pygetset]
    fn __text_signature__(&self) -> String {
        format!("({})", self.op.forms.first().map_or_else(String::new, |form| signature(form)))
    }
}
