//! `_numpy`: what the Python half of `numpy` is built from. It is made when `numpy` is first imported.

use std::rc::Rc;

use rustpython_vm::builtins::{PyDictRef, PyStrRef, PyTypeRef};
use rustpython_vm::class::PyClassImpl;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::{AsObject, PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine};

use super::axes::axes;
use super::complex::{self, PyPairs};
use super::context::Kind;
use super::context::{Numpy, PyArray, PyContext, PyFloat64, PyScalar, Set, array_of};
use super::dtypes::{self, Operand};
use super::elementwise::operand;
use super::routine::{FUNCTION, METHOD, PyRoutine};
use super::rules::FUNCTIONS;
use super::table;
use super::text;
use super::ufunc::PyUfunc;
use crate::kernel::eigen::Rotation;
use crate::kernel::stop;
use crate::ops::state::State;
use crate::ops::table::linalg_eigen;
use crate::tensor::show::PrintOptions;
use crate::tensor::{DType, Tensor};
use crate::torch::{OrRaise, tensor_of};

/// Lets a program import `_numpy`, which is made only then.
pub(crate) fn install(vm: &VirtualMachine, state: &Rc<State>) -> PyResult<()> {
    let state = state.clone();
    let load = vm.new_function("load", move |vm: &VirtualMachine| load(&state, vm));
    let dict = vm.ctx.new_dict();
    dict.set_item("load", load.into(), vm)?;
    let module = vm.new_module("_numpy_start", dict, None);
    vm.sys_module.get_attr("modules", vm)?.set_item("_numpy_start", module.into(), vm)
}

fn load(state: &Rc<State>, vm: &VirtualMachine) -> PyResult<()> {
    PyContext::make_static_type();
    let numpy = Numpy::new(state);
    let dict = vm.ctx.new_dict();
    let set = |name: &str, value: PyObjectRef| dict.set_item(name, value, vm);
    set("ndarray", PyArray::make_static_type().into())?;
    set("ufunc", PyUfunc::make_static_type().into())?;
    set("_pairs", PyPairs::make_static_type().into())?;
    set("_scalar", PyScalar::make_static_type().into())?;
    set("_float64", PyFloat64::make_static_type().into())?;
    set("_context", PyContext { numpy: numpy.clone() }.into_pyobject(vm))?;
    let functions = vm.ctx.new_dict();
    for function in FUNCTIONS.iter() {
        functions.set_item(function.name, PyUfunc::new(function, &numpy).into_pyobject(vm), vm)?;
    }
    set("_functions", functions.into())?;
    set("_routines", routines(&numpy, vm)?.into())?;
    making(&numpy, vm, &set)?;
    computing(&numpy, vm, &set)?;
    printing(&numpy, vm, &set)?;
    super::random::define(&set)?;
    let module = vm.new_module("_numpy", dict.clone(), None);
    vm.sys_module.get_attr("modules", vm)?.set_item("_numpy", module.into(), vm)
}

/// The functions of the table by name. Its methods become attributes of the class of arrays.
fn routines(numpy: &Rc<Numpy>, vm: &VirtualMachine) -> PyResult<PyDictRef> {
    PyRoutine::make_static_type();
    let class = PyArray::make_static_type();
    let functions = vm.ctx.new_dict();
    for row in table::rows() {
        if row.places & FUNCTION != 0 {
            functions.set_item(row.name, PyRoutine::function(row, numpy).into_pyobject(vm), vm)?;
        }
        if row.places & METHOD != 0 {
            let method: PyObjectRef = PyRoutine::method(row).into_pyobject(vm);
            class.set_str_attr(row.name, method, &vm.ctx);
        }
    }
    for (name, target) in table::ALIASES {
        functions.set_item(name, functions.get_item(target, vm)?, vm)?;
    }
    Ok(functions)
}

/// Defines a function of the module that has the context.
macro_rules! define {
    ($numpy:ident, $vm:ident, $set:ident, $name:literal, |$held:ident $(, $arg:ident : $type:ty)*; $inner:ident| -> $result:ty $body:block) => {{
        let $held = $numpy.clone();
        let function = $vm.new_function($name, move |$($arg: $type,)* $inner: &VirtualMachine| -> $result { $body });
        $set($name, function.into())?;
    }};
}

/// An array that must be one.
pub(super) fn array(object: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Tensor> {
    array_of(object)
        .ok_or_else(|| vm.new_type_error(format!("expected an array, not {}", object.class().name())))
}

fn making(numpy: &Rc<Numpy>, vm: &VirtualMachine, set: &Set) -> PyResult<()> {
    define!(numpy, vm, set, "_register", |held, name: String, class: PyTypeRef, object: PyObjectRef; vm| -> PyResult<()> {
        let dtype = DType::from_name(&name).ok_or_else(|| vm.new_value_error("no such dtype"))?;
        held.kinds.borrow_mut().push(Kind { dtype, class, object });
        Ok(())
    });
    define!(numpy, vm, set, "_register_complex", |held, array: PyTypeRef, single: PyTypeRef, double: PyTypeRef; _vm| -> () {
        held.complex.replace(Some([array, single, double]));
    });
    let sum = |pairs: PyRef<PyArray>, axis: PyObjectRef, keepdims: bool, vm: &VirtualMachine| {
        complex::sum(&pairs, &axis, keepdims, vm)
    };
    set("_complex_sum", vm.new_function("_complex_sum", sum).into())?;
    define!(numpy, vm, set, "_of", |held, object: PyObjectRef; vm| -> PyResult {
        let tensor = tensor_of(&object).ok_or_else(|| vm.new_type_error("expected a tensor"))?;
        held.result(tensor.alias(), vm)
    });
    Ok(())
}

fn computing(numpy: &Rc<Numpy>, vm: &VirtualMachine, set: &Set) -> PyResult<()> {
    define!(numpy, vm, set, "_eigh", |held, object: PyObjectRef; vm| -> PyResult {
        let tensor = array(&object, vm)?;
        let found = stop::leavable(|| linalg_eigen::decomposed(&tensor, false, Rotation::Cosine))
            .or_raise(vm)?;
        let found = found.ok_or_else(|| vm.new_value_error("Eigenvalues did not converge"))?;
        held.given(&found.0, vm);
        held.given(&found.1, vm);
        let parts = [found.0, found.1].map(|part| held.result(part, vm));
        Ok(vm.ctx.new_tuple(parts.into_iter().collect::<PyResult<Vec<_>>>()?).into())
    });
    define!(numpy, vm, set, "_axes", |_held, axis: PyObjectRef, ndim: usize; vm| -> PyResult {
        let axes = axes(&axis, ndim, vm)?;
        Ok(vm.ctx.new_tuple(axes.into_iter().map(|axis| vm.ctx.new_int(axis).into()).collect()).into())
    });
    let held = numpy.clone();
    let common = move |args: FuncArgs, vm: &VirtualMachine| -> PyResult {
        // A dtype counts as an array of it.
        let each = |it: &PyObjectRef| match dtypes::meant(&held, it, vm) {
            Some(dtype) => Ok(Operand::of_dtype(dtype)),
            None => operand(&held, it, vm),
        };
        let operands = args.args.iter().map(each).collect::<PyResult<Vec<_>>>()?;
        held.dtype(dtypes::result_type(&operands), vm)
    };
    set("result_type", vm.new_function("result_type", common).into())?;
    define!(numpy, vm, set, "promote_types", |held, a: PyObjectRef, b: PyObjectRef; vm| -> PyResult {
        held.dtype(dtypes::promote(dtypes::of(&held, &a, vm)?, dtypes::of(&held, &b, vm)?), vm)
    });
    Ok(())
}

fn printing(numpy: &Rc<Numpy>, vm: &VirtualMachine, set: &Set) -> PyResult<()> {
    define!(numpy, vm, set, "_set_options", |held, precision: Option<usize>, threshold: f64, edgeitems: usize, linewidth: usize, suppress: bool, formatter: PyObjectRef; vm| -> () {
        held.formatter.replace((!vm.is_none(&formatter)).then_some(formatter));
        let (precision, sci_mode) = (precision.unwrap_or(usize::MAX), suppress.then_some(false));
        held.options.replace(PrintOptions { precision, threshold, edgeitems, linewidth, sci_mode });
    });
    define!(numpy, vm, set, "_text", |held, object: PyObjectRef, separator: PyStrRef, prefix: usize; vm| -> PyResult<String> {
        let place = (&*separator.to_string_lossy(), prefix, 0);
        Ok(text::array(&array(&object, vm)?, &held.options.borrow(), place))
    });
    define!(numpy, vm, set, "_words", |held, places: PyObjectRef, texts: Vec<String>, dtype: Option<String>, separator: PyStrRef, prefix: usize; vm| -> PyResult<String> {
        let place = (&*separator.to_string_lossy(), prefix, 0);
        Ok(text::words(&array(&places, vm)?, texts, dtype, &held.options.borrow(), place))
    });
    Ok(())
}
