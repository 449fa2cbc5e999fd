//! `+ - * / // % ** @ & | ^ ~` on tensors, with numbers on either side and in place.

use std::sync::OnceLock;

use rustpython_vm::protocol::{PyNumber, PyNumberMethods};
use rustpython_vm::types::AsNumber;
use rustpython_vm::{PyObject, PyResult, VirtualMachine};

use super::numbers::number;
use super::py_tensor::{PyTensor, tensor_of};
use super::raise::OrRaise;
use super::site::site;
use super::tensor_class::truth;
use super::to_python::object;
use crate::ops::call::{call, call_in_place};
use crate::ops::op::Caller;
use crate::ops::table::{Op, row};
use crate::tensor::Arg;

/// A row of the table, looked up once.
struct Row(&'static str, OnceLock<&'static Op>);

impl Row {
    const fn new(name: &'static str) -> Row {
        Row(name, OnceLock::new())
    }

    fn op(&self) -> &'static Op {
        self.1.get_or_init(|| row(self.0))
    }
}

/// The operand an object is, or `None` where Python should try the other side.
fn operand(object: &PyObject, vm: &VirtualMachine) -> Option<Arg> {
    tensor_of(object).map(Arg::Tensor).or_else(|| number(object, vm))
}

fn binary(row: &Row, a: &PyObject, b: &PyObject, more: &[Arg], vm: &VirtualMachine) -> PyResult {
    let holder = a.downcast_ref::<PyTensor>().or_else(|| b.downcast_ref::<PyTensor>());
    let (Some(holder), Some(left), Some(right)) = (holder, operand(a, vm), operand(b, vm)) else {
        return Ok(vm.ctx.not_implemented());
    };
    let mut args = vec![left, right];
    args.extend_from_slice(more);
    let place = || site(vm);
    let value = call(Caller { state: &holder.state, site: &place }, row.op(), 0, args).or_raise(vm)?;
    object(value, &holder.state, &[], vm)
}

fn in_place(row: &Row, a: &PyObject, b: &PyObject, more: &[Arg], vm: &VirtualMachine) -> PyResult {
    let Some(target) = a.downcast_ref::<PyTensor>() else {
        return Ok(vm.ctx.not_implemented());
    };
    let Some(right) = operand(b, vm) else {
        return Ok(vm.ctx.not_implemented());
    };
    let mut args = vec![Arg::Tensor(target.tensor()), right];
    args.extend_from_slice(more);
    let place = || site(vm);
    call_in_place(Caller { state: &target.state, site: &place }, row.op(), 0, args).or_raise(vm)?;
    Ok(a.to_owned())
}

fn unary(row: &Row, a: PyNumber<'_>, vm: &VirtualMachine) -> PyResult {
    let Some(tensor) = a.obj.downcast_ref::<PyTensor>() else {
        return Ok(vm.ctx.not_implemented());
    };
    let place = || site(vm);
    let caller = Caller { state: &tensor.state, site: &place };
    let value = call(caller, row.op(), 0, vec![Arg::Tensor(tensor.tensor())]).or_raise(vm)?;
    object(value, &tensor.state, &[], vm)
}

/// A static row of this name.
macro_rules! named {
    ($name:literal) => {{
        static ROW: Row = Row::new($name);
        &ROW
    }};
}

impl AsNumber for PyTensor {
    fn as_number() -> &'static PyNumberMethods {
        static METHODS: PyNumberMethods = PyNumberMethods {
            add: Some(|a, b, vm| binary(named!("add"), a, b, &[Arg::Int(1)], vm)),
            subtract: Some(|a, b, vm| binary(named!("sub"), a, b, &[Arg::Int(1)], vm)),
            multiply: Some(|a, b, vm| binary(named!("mul"), a, b, &[], vm)),
            true_divide: Some(|a, b, vm| binary(named!("div"), a, b, &[Arg::None], vm)),
            floor_divide: Some(|a, b, vm| binary(named!("floor_divide"), a, b, &[], vm)),
            remainder: Some(|a, b, vm| binary(named!("remainder"), a, b, &[], vm)),
            power: Some(|a, b, _modulus, vm| binary(named!("pow"), a, b, &[], vm)),
            and: Some(|a, b, vm| binary(named!("bitwise_and"), a, b, &[], vm)),
            or: Some(|a, b, vm| binary(named!("bitwise_or"), a, b, &[], vm)),
            xor: Some(|a, b, vm| binary(named!("bitwise_xor"), a, b, &[], vm)),
            lshift: Some(|a, b, vm| binary(named!("bitwise_left_shift"), a, b, &[], vm)),
            rshift: Some(|a, b, vm| binary(named!("bitwise_right_shift"), a, b, &[], vm)),
            matrix_multiply: Some(|a, b, vm| {
                if tensor_of(a).is_none() || tensor_of(b).is_none() {
                    return Ok(vm.ctx.not_implemented());
                }
                binary(named!("matmul"), a, b, &[], vm)
            }),
            negative: Some(|a, vm| unary(named!("neg"), a, vm)),
            positive: Some(|a, _vm| Ok(a.obj.to_owned())),
            absolute: Some(|a, vm| unary(named!("abs"), a, vm)),
            invert: Some(|a, vm| match tensor_of(a.obj) {
                Some(tensor) if tensor.dtype().is_float() => Err(vm.new_type_error(
                    "~ (operator.invert) is only implemented on integer and Boolean-type tensors",
                )),
                _ => unary(named!("bitwise_not"), a, vm),
            }),
            boolean: Some(|a, vm| match tensor_of(a.obj) {
                Some(tensor) => truth(&tensor, vm),
                None => Ok(true),
            }),
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
            inplace_add: Some(|a, b, vm| in_place(named!("add"), a, b, &[Arg::Int(1)], vm)),
            inplace_subtract: Some(|a, b, vm| in_place(named!("sub"), a, b, &[Arg::Int(1)], vm)),
            inplace_multiply: Some(|a, b, vm| in_place(named!("mul"), a, b, &[], vm)),
            inplace_true_divide: Some(|a, b, vm| in_place(named!("div"), a, b, &[Arg::None], vm)),
            inplace_floor_divide: Some(|a, b, vm| in_place(named!("floor_divide"), a, b, &[], vm)),
            inplace_remainder: Some(|a, b, vm| in_place(named!("remainder"), a, b, &[], vm)),
            inplace_power: Some(|a, b, _modulus, vm| in_place(named!("pow"), a, b, &[], vm)),
            inplace_and: Some(|a, b, vm| in_place(named!("bitwise_and"), a, b, &[], vm)),
            inplace_or: Some(|a, b, vm| in_place(named!("bitwise_or"), a, b, &[], vm)),
            inplace_xor: Some(|a, b, vm| in_place(named!("bitwise_xor"), a, b, &[], vm)),
            ..PyNumberMethods::NOT_IMPLEMENTED
        };
        &METHODS
    }
}
