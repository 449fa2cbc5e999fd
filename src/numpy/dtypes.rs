//! The dtypes that objects of `numpy.dtype` mean, and NumPy's promotion.
//! Source: NumPy 1.26, `numpy.promote_types` and `numpy.result_type`: among arrays, scalars count by their values.

use rustpython_vm::builtins::PyStr;
use rustpython_vm::{AsObject, PyObject, PyResult, VirtualMachine};

use super::context::Numpy;
use super::foreign;
use crate::tensor::{Arg, Buffer, DType, Tensor};

/// NumPy's name of a dtype in errors: `dtype('float64')`.
pub(super) fn shown(dtype: DType) -> String {
    format!("dtype('{}')", dtype.name())
}

/// The dtype of numbers that an object means; `None` where it means none.
pub(super) fn meant(numpy: &Numpy, object: &PyObject, vm: &VirtualMachine) -> Option<DType> {
    let types = &vm.ctx.types;
    if vm.is_none(object) || object.is(types.float_type) {
        return Some(DType::Float64);
    }
    let kinds = numpy.kinds.borrow();
    let known = |object: &PyObject| {
        kinds.iter().find(|kind| kind.object.is(object) || kind.class.is(object)).map(|kind| kind.dtype)
    };
    if let Some(text) = object.downcast_ref::<PyStr>() {
        let name = text.to_string_lossy();
        let named = kinds.iter().find(|kind| kind.dtype.name() == name).map(|kind| kind.dtype);
        return named.or_else(|| known(&*foreign::dtype(object, vm).ok()?));
    }
    match object {
        _ if object.is(types.int_type) => Some(DType::Int64),
        _ if object.is(types.bool_type) => Some(DType::Bool),
        _ => known(object),
    }
}

/// The dtype that an object means. Errors: as NumPy's; a dtype that attn does not have is named.
pub(super) fn of(numpy: &Numpy, object: &PyObject, vm: &VirtualMachine) -> PyResult<DType> {
    if let Some(dtype) = meant(numpy, object, vm) {
        return Ok(dtype);
    }
    // The words for what attn does not have are those of `numpy.dtype(..)`.
    let text = foreign::dtype(object, vm)?.str(vm)?;
    Err(vm.new_not_implemented_error(format!(
        "dtype {text} is not part of attn's numpy here: arrays of text and objects have no such function"
    )))
}

/// The smallest dtype that both can be cast to safely. As `numpy.promote_types`.
pub(super) fn promote(a: DType, b: DType) -> DType {
    let (float, other) = match (a.is_float(), b.is_float()) {
        (true, false) => (a, b),
        (false, true) => (b, a),
        _ => return a.promote(b),
    };
    let least = float_of(other);
    if float as usize > least as usize { float } else { least }
}

/// The smallest dtype of floating point numbers that has all numbers of a dtype; the dtype itself if it is one of them.
pub(super) fn float_of(dtype: DType) -> DType {
    match dtype {
        DType::Bool | DType::Int8 | DType::UInt8 => DType::Float16,
        DType::Int16 | DType::UInt16 => DType::Float32,
        DType::Int32 | DType::UInt32 | DType::Int64 => DType::Float64,
        float => float,
    }
}

/// An operand of an elementwise function.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    /// Its elements.
    pub(super) tensor: Tensor,
    /// Its one number, if it has no dimensions.
    pub(super) number: Option<Arg>,
}

impl Operand {
    /// The operand that a tensor is.
    pub(super) fn new(tensor: Tensor) -> Operand {
        let number = (tensor.ndim() == 0).then(|| tensor.first());
        Operand { tensor, number }
    }

    /// A dtype counts as an array of it.
    pub(super) fn of_dtype(dtype: DType) -> Operand {
        Operand::new(Tensor::new(Buffer::zeros(dtype, 0), [0], dtype))
    }
}

/// The smallest dtype of its category that has a number, as it counts beside an array of dtype `array`.
fn least(number: &Arg, own: DType, array: DType) -> DType {
    use DType::{Bool, Float16, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32};
    match *number {
        Arg::Bool(_) => Bool,
        Arg::Int(value) => {
            let is_unsigned = array.is_unsigned() || array == Bool;
            match value {
                0..=255 if is_unsigned => UInt8,
                256..=65_535 if is_unsigned => UInt16,
                65_536..=4_294_967_295 if is_unsigned => UInt32,
                -128..=127 => Int8,
                128..=255 => UInt8,
                -32_768..=32_767 => Int16,
                -2_147_483_648..=2_147_483_647 => Int32,
                _ => Int64,
            }
        }
        Arg::Float(value) => {
            let size = value.abs();
            let least = match () {
                () if !value.is_finite() || size < 65_504.0 => Float16,
                () if size < 3.4e38 => Float32,
                () => Float64,
            };
            if (own as usize) < least as usize { own } else { least }
        }
        _ => own,
    }
}

/// The dtype in which operands are computed. As `numpy.result_type`.
pub(super) fn result_type(operands: &[Operand]) -> DType {
    let arrays = operands.iter().filter(|it| it.number.is_none()).map(|it| it.tensor.dtype());
    let scalars = operands.iter().filter(|it| it.number.is_some());
    let Some(array) = arrays.clone().reduce(promote) else {
        return scalars.map(|it| it.tensor.dtype()).reduce(promote).unwrap_or(DType::Float64);
    };
    let highest = scalars.clone().map(|it| it.tensor.dtype().category()).max();
    let category = arrays.map(DType::category).max();
    if highest > category {
        return scalars.map(|it| it.tensor.dtype()).fold(array, promote);
    }
    scalars.fold(array, |dtype, it| match &it.number {
        Some(number) => promote(dtype, least(number, it.tensor.dtype(), array)),
        None => dtype,
    })
}

/// Whether values of one dtype may be cast to another by NumPy's rule "same_kind".
pub(super) fn can_cast(from: DType, to: DType) -> bool {
    promote(from, to) == to
        || from.category() == to.category() && (from.is_unsigned() || !to.is_unsigned())
        || from.category() < to.category() && to.is_float()
}
