//! `numpy.dtype`, and NumPy's promotion.
//! Source: NumPy 1.26, `numpy.promote_types` and `numpy.result_type`: among arrays, scalars count by their values.

use rustpython_vm::builtins::{PyStr, PyType, PyTypeRef};
use rustpython_vm::common::hash::PyHash;
use rustpython_vm::function::{FuncArgs, PyComparisonValue};
use rustpython_vm::types::{Comparable, Constructor, Hashable, PyComparisonOp, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::context::{Numpy, context};
use super::foreign;
use crate::tensor::{Arg, Buffer, DType, Tensor};

/// `numpy.dtype`
#[pyclass(module = "numpy", name = "dtype")]
#[derive(Debug, PyPayload)]
pub(super) struct PyNumpyDType {
    pub(super) dtype: DType,
}

/// dtype, character, kind and other spellings.
const SPELLINGS: [(DType, &str, &str, &[&str]); 9] = [
    (DType::Bool, "?", "b", &["bool", "bool_", "bool8", "b1", "|b1"]),
    (DType::Int8, "b", "i", &["int8", "i1", "|i1", "byte"]),
    (DType::UInt8, "B", "u", &["uint8", "u1", "|u1", "ubyte"]),
    (DType::Int16, "h", "i", &["int16", "i2", "<i2", "short"]),
    (DType::Int32, "i", "i", &["int32", "i4", "<i4", "intc"]),
    (DType::Int64, "l", "i", &["int64", "i8", "<i8", "int", "int_", "q", "p", "long", "longlong", "intp"]),
    (DType::Float16, "e", "f", &["float16", "f2", "<f2", "half"]),
    (DType::Float32, "f", "f", &["float32", "f4", "<f4", "single"]),
    (DType::Float64, "d", "f", &["float64", "f8", "<f8", "float", "float_", "double", "=f8"]),
];

fn row(dtype: DType) -> &'static (DType, &'static str, &'static str, &'static [&'static str]) {
    SPELLINGS.iter().find(|row| row.0 == dtype).unwrap_or(&SPELLINGS[8])
}

/// The dtype of this name or character.
pub(super) fn named(text: &str) -> Option<DType> {
    SPELLINGS.iter().find(|row| row.1 == text || row.3.contains(&text)).map(|row| row.0)
}

/// NumPy's name of a dtype in errors: `dtype('float64')`.
pub(super) fn shown(dtype: DType) -> String {
    format!("dtype('{}')", dtype.name())
}

/// The object of a dtype.
pub(super) fn object(dtype: DType, vm: &VirtualMachine) -> PyObjectRef {
    PyNumpyDType { dtype }.into_pyobject(vm)
}

/// The dtype of numbers that an object means; `None` where it means none.
pub(super) fn meant(numpy: &Numpy, object: &PyObject, vm: &VirtualMachine) -> Option<DType> {
    if let Some(it) = object.downcast_ref::<PyNumpyDType>() {
        return Some(it.dtype);
    }
    if vm.is_none(object) {
        return Some(DType::Float64);
    }
    if let Some(text) = object.downcast_ref::<PyStr>() {
        return named(&text.to_string_lossy());
    }
    let class = object.downcast_ref::<PyType>()?;
    let types = &vm.ctx.types;
    let python =
        [(types.float_type, DType::Float64), (types.int_type, DType::Int64), (types.bool_type, DType::Bool)];
    if let Some((_, dtype)) = python.iter().find(|row| class.is(row.0)) {
        return Some(*dtype);
    }
    numpy.classes.borrow().iter().find(|row| row.1.is(class)).map(|row| row.0)
}

/// The dtype that an object means. Errors: as NumPy's; a dtype that attn does not have is named.
pub(super) fn of(numpy: &Numpy, object: &PyObject, vm: &VirtualMachine) -> PyResult<DType> {
    if let Some(dtype) = meant(numpy, object, vm) {
        return Ok(dtype);
    }
    // The words for what attn does not have are those of `numpy.dtype(..)`.
    let text = foreign::dtype(vec![object.to_owned()].into(), vm)?.str(vm)?;
    Err(vm.new_not_implemented_error(format!(
        "dtype {text} is not part of attn's numpy here: arrays of text and objects have no such function"
    )))
}

impl Constructor for PyNumpyDType {
    type Args = FuncArgs;

    /// A dtype that arrays of numbers do not have is an object of Python's.
    fn slot_new(class: PyTypeRef, args: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let numpy = context(vm)?;
        match args.args.first().and_then(|object| meant(&numpy, object, vm)) {
            Some(dtype) => Ok(PyNumpyDType { dtype }.into_ref_with_type(vm, class)?.into()),
            None => foreign::dtype(args, vm),
        }
    }

    fn py_new(_class: &Py<PyType>, _args: FuncArgs, vm: &VirtualMachine) -> PyResult<Self> {
        Err(vm.new_type_error("a dtype is made by its class"))
    }
}

#[pyclass(with(Constructor, Comparable, Hashable, Representable))]
impl PyNumpyDType {
    #[pygetset]
    fn name(&self) -> &'static str {
        self.dtype.name()
    }

    #[pygetset(name = "kind")]
    fn category(&self) -> &'static str {
        row(self.dtype).2
    }

    #[pygetset(name = "char")]
    fn character(&self) -> &'static str {
        row(self.dtype).1
    }

    #[pygetset]
    fn itemsize(&self) -> usize {
        self.dtype.size()
    }

    #[pygetset(name = "str")]
    fn text(&self) -> String {
        let order = if self.dtype.size() == 1 { "|" } else { "<" };
        format!("{order}{}{}", row(self.dtype).2, self.dtype.size())
    }

    #[pygetset(name = "type")]
    fn class(&self, vm: &VirtualMachine) -> PyResult {
        context(vm)?.class(self.dtype, vm).map(Into::into)
    }

    #[pyslot]
    fn slot_str(
        zelf: &PyObject,
        vm: &VirtualMachine,
    ) -> PyResult<rustpython_vm::PyRef<rustpython_vm::builtins::PyStr>> {
        Ok(vm.ctx.new_str(zelf.downcast_ref::<PyNumpyDType>().map_or("", |it| it.dtype.name())))
    }

    /// There is no state but the name: a copy is itself.
    #[pymethod]
    fn __reduce__(&self, vm: &VirtualMachine) -> PyObjectRef {
        let class: PyObjectRef = <Self as rustpython_vm::class::StaticType>::static_type().to_owned().into();
        let args = vm.ctx.new_tuple(vec![vm.ctx.new_str(self.dtype.name()).into()]);
        vm.ctx.new_tuple(vec![class, args.into()]).into()
    }
}

impl Comparable for PyNumpyDType {
    fn cmp(
        zelf: &Py<Self>,
        other: &PyObject,
        op: PyComparisonOp,
        vm: &VirtualMachine,
    ) -> PyResult<PyComparisonValue> {
        let other = if vm.is_none(other) { None } else { meant(&*context(vm)?, other, vm) };
        let own = Some(zelf.dtype);
        Ok(PyComparisonValue::Implemented(match (op, other) {
            (PyComparisonOp::Eq, other) => other == own,
            (PyComparisonOp::Ne, other) => other != own,
            _ => return Ok(PyComparisonValue::NotImplemented),
        }))
    }
}

impl Hashable for PyNumpyDType {
    fn hash(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<PyHash> {
        Ok(zelf.dtype as PyHash + 7)
    }
}

impl Representable for PyNumpyDType {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(shown(zelf.dtype))
    }
}

/// The smallest dtype that both can be cast to safely. As `numpy.promote_types`.
pub(super) fn promote(a: DType, b: DType) -> DType {
    use DType::{Bool, Float16, Float32, Float64, Int8, Int16, Int32, Int64, UInt8};
    if a == b {
        return a;
    }
    if let (true, false) | (false, true) = (a.is_float(), b.is_float()) {
        let (float, other) = if a.is_float() { (a, b) } else { (b, a) };
        let least = match other {
            Bool | Int8 | UInt8 => Float16,
            Int16 => Float32,
            _ => Float64,
        };
        return if float as usize > least as usize { float } else { least };
    }
    match (a, b) {
        (UInt8, Int8) | (Int8, UInt8) => Int16,
        (Int16 | Int32 | Int64, _) | (_, Int16 | Int32 | Int64) if a as usize > b as usize => a,
        _ if a as usize > b as usize => a,
        _ => b,
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
    use DType::{Bool, Float16, Float32, Float64, Int8, Int16, Int32, Int64, UInt8};
    match *number {
        Arg::Bool(_) => Bool,
        Arg::Int(value) => {
            let is_unsigned = array == UInt8 || array == Bool;
            match value {
                0..=255 if is_unsigned => UInt8,
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
        || from.category() == to.category() && !(to == DType::UInt8 && from != DType::UInt8)
        || from.category() < to.category() && to.is_float()
}
