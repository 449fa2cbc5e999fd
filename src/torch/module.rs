//! The native half of the `torch` module: operations from the table, classes, and what touches state.
//! The Python half is `py/torch/__init__.py`, which learners may open.

use std::rc::Rc;

use rustpython_vm::builtins::{PyDictRef, PyStrRef};
use rustpython_vm::class::{PyClassImpl, StaticType};
use rustpython_vm::function::{ArgBytesLike, ArgIntoBool, ArgIntoFloat, FuncArgs, PyMethodFlags};
use rustpython_vm::{AsObject, FromArgs, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};

use super::autocast::{operand, set_autocast, settings};
use super::backward::{Request, backward, gradients};
use super::build::tensor_from;
use super::classes::{PyDType, PyDevice, PySize};
use super::frames::{FrameObserver, observe};
use super::function::{PyOp, run};
use super::generator::PyGenerator;
use super::history::{PyRecord, drawn_at, history, made_by, name_node};
use super::module_class::quick_module;
use super::names;
use super::numbers::{int, items};
use super::optimizer::{forget_grads, step_group};
use super::overrides::{complex_tensor, has_complex, takes_part};
use super::py_tensor::{PyTensor, tensor_of};
use super::raise::{OrRaise, PyErrorFact, about};
use super::site::site;
use super::tensor_class::{ATTRIBUTES, COUNTS};
use super::to_python::object;
use crate::kernel::threads;
use crate::ops::state::State;
use crate::ops::table::{
    self, ALIASES, FUNCTION, FUNCTIONAL, IN_PLACE, IN_PLACE_ONLY, LINALG, METHOD, RELAYOUT,
};
use crate::ops::value::Value;
use crate::tensor::bits;
use crate::tensor::descriptor::TENSOR;
use crate::tensor::show::PrintOptions;
use crate::tensor::{CompletedOperation, DType, Tensor};

/// The methods of tensors that are written in Python, in `py/torch/_tensor.py`, which is loaded when one is called.
const PYTHON_METHODS: [&str; 12] = [
    "type",
    "numpy",
    "backward",
    "register_hook",
    "share_memory_",
    "index_put_",
    "pin_memory",
    "cuda",
    "new_tensor",
    "__array__",
    "__copy__",
    "__reduce_ex__",
];

/// Makes the classes and their methods; once for each thread, as the interpreter's types are.
fn make_classes(vm: &VirtualMachine) -> PyResult<Vec<(&'static str, PyObjectRef)>> {
    let ctx = &vm.ctx;
    let mut made: Vec<(&'static str, PyObjectRef)> = vec![
        ("Size", PySize::make_static_type().into()),
        ("dtype", PyDType::make_static_type().into()),
        ("device", PyDevice::make_static_type().into()),
        ("Generator", PyGenerator::make_static_type().into()),
    ];
    PyOp::make_static_type();
    let class = PyTensor::make_static_type();
    if class.get_attr(ctx.intern_str("softmax")).is_none() {
        let set = |name: &'static str, method: PyOp| {
            class.set_str_attr(name, PyRef::new_ref(method, PyOp::make_static_type(), None), ctx);
        };
        for op in table::ops() {
            if op.is_in(METHOD) {
                set(op.name, PyOp::method(op, op.name, false));
            }
            if op.is_in(IN_PLACE | RELAYOUT) {
                set(op.twin_name(), PyOp::method(op, op.twin_name(), true));
            }
            if op.is_in(IN_PLACE_ONLY) {
                set(op.name, PyOp::method(op, op.name, true));
            }
        }
        for &(name, target) in ALIASES {
            if let Some(op) = table::ops().find(|op| op.name == target && op.is_in(METHOD)) {
                set(name, PyOp::method(op, name, false));
            }
        }
        for name in PYTHON_METHODS {
            let call = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
                let module = vm.import("torch._tensor", 0)?.get_attr("_tensor", vm)?;
                module.get_attr(name, vm)?.call(args, vm)
            };
            let method = ctx.new_method_def(name, call, PyMethodFlags::METHOD, None);
            class.set_str_attr(name, method.build_method(PyTensor::static_type(), vm), ctx);
        }
        for name in ["T", "mT", "mH"] {
            let read = move |tensor: PyRef<PyTensor>, vm: &VirtualMachine| -> PyResult {
                object(tensor.apply(name, Vec::new(), vm)?, &tensor.state, &[], vm)
            };
            let attribute = ctx.new_readonly_getset(name, PyTensor::static_type(), read);
            class.set_str_attr(name, attribute, ctx);
        }
        for (name, number) in ATTRIBUTES {
            let read = move |tensor: PyRef<PyTensor>| number(&tensor.inner.borrow());
            class.set_str_attr(name, ctx.new_readonly_getset(name, PyTensor::static_type(), read), ctx);
        }
        for (name, number) in COUNTS {
            let call = move |tensor: PyRef<PyTensor>| number(&tensor.inner.borrow());
            let method = ctx.new_method_def(name, call, PyMethodFlags::METHOD, None);
            class.set_str_attr(name, method.build_method(PyTensor::static_type(), vm), ctx);
        }
        for name in ["is_cuda", "is_sparse"] {
            class.set_str_attr(name, ctx.new_bool(false), ctx);
        }
    }
    made.push(("TensorBase", class.clone().into()));
    made.push(("Tensor", class.into()));
    Ok(made)
}

/// A tensor of Python data, with a record that says so: there an explanation ends.
fn made(tensor: Tensor, state: &Rc<State>, requires_grad: bool, vm: &VirtualMachine) -> PyResult {
    if state.is_traced() {
        let given = tensor.clone();
        state.tracer.call(&TENSOR, Vec::new(), |_| Ok(Value::Tensor(given))).or_raise(vm)?;
    }
    let in_backward = state.in_backward.get();
    let ran = CompletedOperation::new(&TENSOR, Vec::new(), tensor.shape(), site(vm));
    let record = state.recorder.record(CompletedOperation { in_backward, ..ran });
    tensor.set_made(record, 0);
    if requires_grad {
        tensor.require_grad().or_raise(vm)?;
    }
    Ok(PyTensor::new(tensor, state.clone()).into_pyobject(vm))
}

/// `tensor(data, *, dtype=None, device=None, requires_grad=False, pin_memory=False)`
fn tensor(state: &Rc<State>, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let given = args.clone();
    real_tensor(state, args, vm).or_else(|error| {
        let all: Vec<PyObjectRef> = given.args.iter().chain(given.kwargs.values()).cloned().collect();
        if has_complex(&all, vm) { complex_tensor(given, vm) } else { Err(error) }
    })
}

fn real_tensor(state: &Rc<State>, mut args: FuncArgs, vm: &VirtualMachine) -> PyResult {
    let data = match args.take_positional_keyword("data") {
        Some(data) => data,
        None => {
            return Err(vm.new_type_error("tensor() missing 1 required positional arguments: \"data\""));
        }
    };
    if !args.args.is_empty() {
        return Err(vm.new_type_error(format!(
            "tensor() takes 1 positional argument but {} were given",
            args.args.len() + 1
        )));
    }
    let dtype = args.take_keyword("dtype").filter(|object| !vm.is_none(object));
    let dtype = dtype.map(|object| dtype_of(&object, vm)).transpose()?;
    let requires_grad =
        args.take_keyword("requires_grad").map(|it| it.try_to_bool(vm)).transpose()?.unwrap_or(false);
    if let Some(device) = args.take_keyword("device") {
        PyDevice::here(&device, state, vm)?;
    }
    args.take_keyword("pin_memory");
    if let Some(word) = args.kwargs.keys().next() {
        return Err(vm.new_type_error(format!("tensor() got an unexpected keyword argument '{word}'")));
    }
    let tensor = tensor_from(&data, dtype, state.default_dtype.get(), vm)?;
    made(tensor, state, requires_grad, vm)
}

/// The text of a complex tensor, of whose parts `pairs` is the tensor. `made` names its node, if not the parts' own.
fn complex_repr(pairs: PyRef<PyTensor>, dtype: PyStrRef, default: PyStrRef, made: PyStrRef) -> String {
    let made = Some(made.to_string_lossy().into_owned()).filter(|name| !name.is_empty());
    pairs.complex_text([&dtype.to_string_lossy(), &default.to_string_lossy()], made)
}

fn dtype_of(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<DType> {
    PyDType::of(object, vm).ok_or_else(|| {
        vm.new_type_error(format!("argument 'dtype' must be torch.dtype, not {}", object.class().name()))
    })
}

/// A seed as PyTorch takes it: any whole number.
fn seed_of(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<u64> {
    match int(object, vm) {
        Some(seed) => Ok(seed as u64),
        None => {
            let value = object.try_int(vm)?;
            u64::try_from(value.as_bigint()).map_err(|_| vm.new_runtime_error("Overflow when unpacking long"))
        }
    }
}

/// The arguments of `set_printoptions`.
#[derive(FromArgs)]
struct PrintWords {
    #[pyarg(any, default)]
    precision: Option<ArgIntoFloat>,
    #[pyarg(any, default)]
    threshold: Option<ArgIntoFloat>,
    #[pyarg(any, default)]
    edgeitems: Option<ArgIntoFloat>,
    #[pyarg(any, default)]
    linewidth: Option<ArgIntoFloat>,
    #[pyarg(any, default)]
    profile: Option<PyStrRef>,
    #[pyarg(any, default)]
    sci_mode: Option<ArgIntoBool>,
}

/// The profile is applied first, then the other arguments. Every call sets `sci_mode`, even without that argument.
fn set_printoptions(state: &Rc<State>, words: PrintWords) {
    let number = |value: Option<ArgIntoFloat>, kept| value.map_or(kept, |value| value.into_float().max(0.0));
    // Infinity is the largest number of these.
    let count = |value, kept: usize| number(value, kept as f64) as usize;
    let profile = words.profile.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let options = state.print_options.borrow().of_profile(&profile);
    state.print_options.replace(PrintOptions {
        precision: count(words.precision, options.precision),
        threshold: number(words.threshold, options.threshold),
        edgeitems: count(words.edgeitems, options.edgeitems),
        linewidth: count(words.linewidth, options.linewidth),
        sci_mode: words.sci_mode.map(|on| on.into_bool()),
    });
}

/// Builds `_torch` and puts it where `import` finds it. Returns what tells the tracer which code calls operations.
pub(crate) fn install(vm: &VirtualMachine, state: &Rc<State>) -> PyResult<Rc<FrameObserver>> {
    let observer = observe(&state.tracer);
    let dict = vm.ctx.new_dict();
    let set = |name: &str, value: PyObjectRef| dict.set_item(name, value, vm);
    for (name, class) in make_classes(vm)? {
        set(name, class)?;
    }
    for dtype in DType::all() {
        set(dtype.name(), PyDType::object(dtype, vm))?;
    }
    for alias in ["float", "double", "half", "long", "int", "short"] {
        let name = DType::from_name(alias).map_or(alias, DType::name);
        set(alias, dict.get_item(name, vm)?)?;
    }
    let function = |op, name, in_place| PyOp::function(op, name, in_place, state).into_pyobject(vm);
    let (functional, linalg) = (vm.ctx.new_dict(), vm.ctx.new_dict());
    for op in table::ops() {
        for (place, module) in [(FUNCTION, &dict), (FUNCTIONAL, &functional)] {
            if op.is_in(place) {
                module.set_item(op.name, function(op, op.name, false), vm)?;
                if op.is_in(IN_PLACE) {
                    module.set_item(op.twin_name(), function(op, op.twin_name(), true), vm)?;
                }
            }
        }
        if op.is_in(LINALG) {
            let name = op.name.strip_prefix("linalg_").unwrap_or(op.name);
            linalg.set_item(name, function(op, op.name, false), vm)?;
        }
    }
    for &(name, target) in ALIASES {
        if let Some(op) = table::ops().find(|op| op.name == target && op.is_in(FUNCTION)) {
            set(name, function(op, name, false))?;
        }
    }
    set("_linalg", linalg.into())?;
    set("_functional", functional.into())?;
    stateful(vm, state, &set)?;
    let module = vm.new_module("_torch", dict.clone(), None);
    let modules = vm.sys_module.get_attr("modules", vm)?;
    modules.set_item("_torch", module.into(), vm)?;
    Ok(observer)
}

/// `torch.set_num_threads(count)`. Errors: as PyTorch's.
fn set_num_threads(count: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let given = count.class();
    match int(&count, vm).filter(|_| !given.is(vm.ctx.types.bool_type)) {
        Some(count) if (1..=i64::from(i32::MAX)).contains(&count) => {
            threads::set_count(count as usize);
            Ok(())
        }
        Some(_) => Err(vm.new_runtime_error("set_num_threads expects a positive integer")),
        None => {
            Err(vm.new_runtime_error(format!("set_num_threads expects an int, but got {}", given.name())))
        }
    }
}

/// `torch.set_default_dtype(dtype)`. Errors: the dtype is not of floats.
fn set_default_dtype(state: &State, dtype: &PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
    let dtype = dtype_of(dtype, vm)?;
    if !dtype.is_float() {
        return Err(vm.new_type_error("only floating-point types are supported as the default type"));
    }
    state.default_dtype.set(dtype);
    Ok(())
}

/// The functions that read or change the session's state.
fn stateful(
    vm: &VirtualMachine,
    state: &Rc<State>,
    set: &dyn Fn(&str, PyObjectRef) -> PyResult<()>,
) -> PyResult<()> {
    macro_rules! define {
        ($name:literal, |$state:ident, $vm:ident $(, $arg:ident : $type:ty)*| $body:expr) => {{
            let held = state.clone();
            let function = vm.new_function($name, move |$($arg: $type,)* $vm: &VirtualMachine| {
                let $state = &held;
                $body
            });
            set($name, function.into())?;
        }};
    }
    PyRecord::make_static_type();
    PyErrorFact::make_static_type();
    set("_default_generator", PyGenerator { generator: state.generator.clone() }.into_pyobject(vm))?;
    set("_quick_module", vm.new_function("_quick_module", quick_module).into())?;
    set("set_num_threads", vm.new_function("set_num_threads", set_num_threads).into())?;
    set("complex_repr", vm.new_function("complex_repr", complex_repr).into())?;
    set("_about", vm.new_function("_about", about).into())?;
    define!("tensor", |state, vm, args: FuncArgs| tensor(state, args, vm));
    define!("manual_seed", |state, vm, seed: PyObjectRef| {
        seed_of(&seed, vm).map(|seed| {
            state.generator.borrow_mut().seed(seed);
            PyGenerator { generator: state.generator.clone() }.into_pyobject(vm)
        })
    });
    define!("initial_seed", |state, _vm| state.generator.borrow().initial_seed());
    define!("get_num_threads", |_state, _vm| threads::count());
    define!("is_grad_enabled", |state, _vm| state.grad_mode.get());
    define!("_set_grad_enabled", |state, _vm, on: bool| state.grad_mode.set(on));
    define!("is_anomaly_enabled", |state, _vm| state.nan_is_error.get());
    define!("_set_nan_is_error", |state, _vm, on: bool| state.nan_is_error.replace(on));
    define!("_autocast", |state, vm| settings(state, vm));
    define!("_set_autocast", |state, vm, enabled: bool, dtype: PyObjectRef| {
        set_autocast(state, enabled, &dtype, vm);
    });
    define!("_autocast_operand", |state, vm, object: PyObjectRef| operand(state, object, vm));
    define!("_clear_autocast_cache", |state, _vm| state.autocast.clear());
    define!("set_printoptions", |state, _vm, words: PrintWords| set_printoptions(state, words));
    define!("get_default_dtype", |state, vm| PyDType::object(state.default_dtype.get(), vm));
    define!("set_default_dtype", |state, vm, dtype: PyObjectRef| set_default_dtype(state, &dtype, vm));
    define!("is_tensor", |_state, vm, object: PyObjectRef| {
        tensor_of(&object).is_some() || takes_part(&object, vm)
    });
    define!("_missing", |_state, vm, place: String, name: String, names: Vec<String>| {
        names::missing(&place, &name, &names, vm)
    });
    define!("_suggestion", |_state, _vm, name: String, known: Vec<String>| {
        names::suggestion(&name, known.iter().map(String::as_str))
    });
    define!("_cpp_name", |_state, vm, dtype: PyObjectRef| dtype_of(&dtype, vm).map(DType::cpp_name));
    define!("_made_by", |state, _vm, name: String, operands: PyObjectRef, results: PyObjectRef| {
        let tensors = |list: &PyObjectRef| -> Vec<Tensor> {
            items(list).unwrap_or_default().iter().filter_map(|it| tensor_of(it)).collect()
        };
        made_by(&name, tensors(&operands), &tensors(&results), state)
    });
    define!("_name_node", |_state, _vm, result: Tensor, stem: String, overload: u8| {
        name_node(&result, &stem, overload);
    });
    define!("_untraced", |state, vm, function: PyObjectRef, args: FuncArgs| {
        state.tracer.without(|| function.call(args, vm))
    });
    define!("_drawn_at", |_state, _vm, tensor: Tensor| drawn_at(&tensor));
    define!("_storage_bytes", |_state, _vm, tensor: Tensor| {
        bits::bytes(&tensor.storage().read(), tensor.dtype())
    });
    define!("_from_bytes", |state, vm, bytes: ArgBytesLike, dtype: PyObjectRef| {
        dtype_of(&dtype, vm).and_then(|dtype| {
            let buffer = bytes.with_ref(|bytes| bits::elements(bytes, dtype));
            let shape = vec![buffer.len()];
            made(Tensor::new(buffer, shape, dtype), state, false, vm)
        })
    });
    // The steps of optimizers that are computed in one pass.
    define!("_sgd_step", |state, vm, group: PyDictRef, states: PyDictRef| {
        step_group(state, &group, &states, None, vm)
    });
    define!("_adam_step", |state, vm, group: PyDictRef, states: PyDictRef, decoupled: bool| {
        step_group(state, &group, &states, Some(decoupled), vm)
    });
    define!("_forget_grads", |_state, _vm, params: PyObjectRef| forget_grads(&params));
    define!("_history", |state, vm, tensor: Tensor| history(&tensor, state, vm));
    define!("_backward", |state, vm, request: Request| backward(state, &request, vm));
    define!("_grad", |state, vm, request: Request| gradients(state, &request, vm));
    define!("_call", |state, vm, name: String, args: FuncArgs| match table::find(&name) {
        Some(op) => run(op, op.name, false, false, state, &args, vm),
        None => Err(vm.new_attribute_error(format!("no operation {name}"))),
    });
    Ok(())
}
