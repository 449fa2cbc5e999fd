//! `+ - * / // % ** @ & | ^ ~` on tensors, with numbers on either side and in place.

use std::sync::LazyLock;

use rustpython_vm::protocol::{PyNumber, PyNumberMethods};
use rustpython_vm::types::AsNumber;
use rustpython_vm::{PyObject, PyResult, VirtualMachine};

use super::numbers::number;
use super::overrides::{is_complex, operate};
use super::py_tensor::{PyTensor, tensor_of};
use super::raise::OrRaise;
use super::site::site;
use super::tensor_class::truth;
use super::to_python::object;
use crate::ops::call::{call, call_in_place};
use crate::ops::state::Caller;
use crate::ops::table::{self, Op, operator};
use crate::tensor::Arg;
use crate::tensor::descriptor::Sign;

/// The operand an object is, or `None` where Python should try the other side.
fn operand(object: &PyObject, vm: &VirtualMachine) -> Option<Arg> {
    tensor_of(object).map(Arg::Tensor).or_else(|| number(object, vm))
}

fn binary(op: &'static Op, a: &PyObject, b: &PyObject, more: &[Arg], vm: &VirtualMachine) -> PyResult {
    let holder = a.downcast_ref::<PyTensor>().or_else(|| b.downcast_ref::<PyTensor>());
    let (Some(holder), Some(left), Some(right)) = (holder, operand(a, vm), operand(b, vm)) else {
        return match is_complex(a) || is_complex(b) {
            true => operate(op.name, a, b, vm),
            false => Ok(vm.ctx.not_implemented()),
        };
    };
    let mut args = vec![left, right];
    args.extend_from_slice(more);
    let value = call(Caller { state: &holder.state, site: &|| site(vm) }, op, 0, args).or_raise(vm)?;
    object(value, &holder.state, &[], vm)
}

fn in_place(op: &'static Op, a: &PyObject, b: &PyObject, more: &[Arg], vm: &VirtualMachine) -> PyResult {
    let (Some(target), Some(right)) = (a.downcast_ref::<PyTensor>(), operand(b, vm)) else {
        return Ok(vm.ctx.not_implemented());
    };
    let mut args = vec![Arg::Tensor(target.tensor()), right];
    args.extend_from_slice(more);
    call_in_place(Caller { state: &target.state, site: &|| site(vm) }, op, 0, args).or_raise(vm)?;
    Ok(a.to_owned())
}

fn unary(op: &'static Op, a: PyNumber<'_>, vm: &VirtualMachine) -> PyResult {
    let Some(tensor) = a.obj.downcast_ref::<PyTensor>() else { return Ok(vm.ctx.not_implemented()) };
    object(tensor.call(op, Vec::new(), vm)?, &tensor.state, &[], vm)
}

/// The row of this sign, looked up once.
macro_rules! row {
    ($sign:ident) => {{
        static ROW: LazyLock<&'static Op> =
            LazyLock::new(|| operator(Sign::$sign).expect("every operator of Python has a row"));
        *ROW
    }};
}

impl AsNumber for PyTensor {
    fn as_number() -> &'static PyNumberMethods {
        static METHODS: PyNumberMethods = PyNumberMethods {
            add: Some(|a, b, vm| binary(row!(Add), a, b, &[Arg::Int(1)], vm)),
            subtract: Some(|a, b, vm| binary(row!(Sub), a, b, &[Arg::Int(1)], vm)),
            multiply: Some(|a, b, vm| binary(row!(Mul), a, b, &[], vm)),
            true_divide: Some(|a, b, vm| binary(row!(Div), a, b, &[Arg::None], vm)),
            floor_divide: Some(|a, b, vm| binary(row!(FloorDiv), a, b, &[], vm)),
            remainder: Some(|a, b, vm| binary(row!(Remainder), a, b, &[], vm)),
            power: Some(|a, b, _modulus, vm| binary(row!(Pow), a, b, &[], vm)),
            and: Some(|a, b, vm| binary(row!(And), a, b, &[], vm)),
            or: Some(|a, b, vm| binary(row!(Or), a, b, &[], vm)),
            xor: Some(|a, b, vm| binary(row!(Xor), a, b, &[], vm)),
            lshift: Some(|a, b, vm| binary(row!(LeftShift), a, b, &[], vm)),
            rshift: Some(|a, b, vm| binary(row!(RightShift), a, b, &[], vm)),
            matrix_multiply: Some(|a, b, vm| {
                if tensor_of(a).is_none() || tensor_of(b).is_none() {
                    return Ok(vm.ctx.not_implemented());
                }
                binary(row!(MatMul), a, b, &[], vm)
            }),
            negative: Some(|a, vm| unary(row!(Neg), a, vm)),
            positive: Some(|a, _vm| Ok(a.obj.to_owned())),
            absolute: Some(|a, vm| unary(table::row("abs"), a, vm)),
            invert: Some(|a, vm| match tensor_of(a.obj) {
                Some(tensor) if tensor.dtype().is_float() => Err(vm.new_type_error(
                    "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
                )),
                _ => unary(row!(Invert), a, vm),
            }),
            boolean: Some(|a, vm| tensor_of(a.obj).map_or(Ok(true), |tensor| truth(&tensor, vm))),
            int: Some(|a, vm| match a.obj.downcast_ref::<PyTensor>() {
                Some(tensor) => Ok(vm.ctx.new_int(tensor.scalar(vm)?.item_int().or_raise(vm)?).into()),
                None => Ok(vm.ctx.not_implemented()),
            }),
            float: Some(|a, vm| match a.obj.downcast_ref::<PyTensor>() {
                Some(tensor) => Ok(vm.ctx.new_float(tensor.scalar(vm)?.item().or_raise(vm)?).into()),
                None => Ok(vm.ctx.not_implemented()),
            }),
            index: Some(|a, vm| match tensor_of(a.obj) {
                Some(tensor) if tensor.numel() == 1 && !tensor.dtype().is_float() => {
                    Ok(vm.ctx.new_int(tensor.item_int().or_raise(vm)?).into())
                }
                _ => Err(vm
                    .new_type_error("only integer tensors of a single element can be converted to an index")),
            }),
            inplace_add: Some(|a, b, vm| in_place(row!(Add), a, b, &[Arg::Int(1)], vm)),
            inplace_subtract: Some(|a, b, vm| in_place(row!(Sub), a, b, &[Arg::Int(1)], vm)),
            inplace_multiply: Some(|a, b, vm| in_place(row!(Mul), a, b, &[], vm)),
            inplace_true_divide: Some(|a, b, vm| in_place(row!(Div), a, b, &[Arg::None], vm)),
            inplace_floor_divide: Some(|a, b, vm| in_place(row!(FloorDiv), a, b, &[], vm)),
            inplace_remainder: Some(|a, b, vm| in_place(row!(Remainder), a, b, &[], vm)),
            inplace_power: Some(|a, b, _modulus, vm| in_place(row!(Pow), a, b, &[], vm)),
            inplace_and: Some(|a, b, vm| in_place(row!(And), a, b, &[], vm)),
            inplace_or: Some(|a, b, vm| in_place(row!(Or), a, b, &[], vm)),
            inplace_xor: Some(|a, b, vm| in_place(row!(Xor), a, b, &[], vm)),
            ..PyNumberMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}
