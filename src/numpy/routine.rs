//! NumPy's functions and methods as Python objects: each is a row of [`super::table`], bound by NumPy's signature.

use std::rc::Rc;

use rustpython_vm::builtins::PyInt;
use rustpython_vm::function::FuncArgs;
use rustpython_vm::types::{Callable, GetDescriptor, Representable};
use rustpython_vm::{AsObject, Py, PyObject, PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::context::{Numpy, PyArray, PyScalar, array_of};
use super::elementwise::{self, copy_into, is_tensor, operand};
use super::signature::Signature;
use super::ufunc::returned;
use super::{convert, dtypes, foreign, scalar};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Arg, DType, Tensor};
use crate::torch::{descriptor, items};

/// Reachable as `numpy.name(...)`.
pub(super) const FUNCTION: u8 = 1;
/// Reachable as `array.name(...)`.
pub(super) const METHOD: u8 = 2;
/// Both, with the same parameters.
pub(super) const BOTH: u8 = FUNCTION | METHOD;

/// What a function does with a tensor of torch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// It converts it to an array.
    Convert,
    /// It converts it, and returns a tensor.
    ConvertBack,
    /// It calls the method of this name, with these keywords even where they were not given.
    Delegate(&'static [&'static str]),
}

/// One function or method.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) name: &'static str,
    pub(super) places: u8,
    pub(super) signature: Signature,
    pub(super) others: Others,
    run: fn(&Call) -> PyResult<Answer>,
}

pub(super) const fn row(
    name: &'static str,
    places: u8,
    signature: &'static str,
    run: fn(&Call) -> PyResult<Answer>,
) -> Row {
    Row { name, places, signature: Signature::new(signature), others: Others::Convert, run }
}

impl Row {
    /// What it does with tensors.
    pub(super) const fn others(mut self, others: Others) -> Row {
        self.others = others;
        self
    }
}

/// What a function returns.
pub(super) enum Answer {
    /// An array.
    Array(Tensor),
    /// An array, or a scalar if it has no dimensions.
    Result(Tensor),
    /// Another object.
    Object(PyObjectRef),
}

/// A call whose arguments fit the signature.
pub(super) struct Call<'a> {
    pub(super) numpy: &'a Rc<Numpy>,
    pub(super) row: &'static Row,
    pub(super) vm: &'a VirtualMachine,
    args: Vec<Option<PyObjectRef>>,
}

impl Call<'_> {
    /// Argument `at`; none where it was not given or is `None`.
    pub(super) fn given(&self, at: usize) -> Option<&PyObjectRef> {
        self.args.get(at)?.as_ref().filter(|object| !self.vm.is_none(object))
    }

    /// Whether argument `at` was given, be it `None`.
    pub(super) fn has(&self, at: usize) -> bool {
        self.args.get(at).is_some_and(Option::is_some)
    }

    /// Argument `at`, which is `None` where it was not given.
    pub(super) fn object(&self, at: usize) -> PyObjectRef {
        self.args.get(at).cloned().flatten().unwrap_or_else(|| self.vm.ctx.none())
    }

    /// Argument `at` as an array.
    pub(super) fn tensor(&self, at: usize) -> PyResult<Tensor> {
        self.array(&self.object(at))
    }

    /// An object as an array.
    pub(super) fn array(&self, object: &PyObject) -> PyResult<Tensor> {
        match array_of(object) {
            Some(tensor) => Ok(tensor),
            None => convert::tensor(self.numpy, object, None, self.vm),
        }
    }

    /// The items of a list, a tuple, an array or another iterable.
    pub(super) fn items(&self, object: &PyObjectRef) -> PyResult<Vec<PyObjectRef>> {
        match items(object) {
            Some(items) => Ok(items),
            None => self.vm.extract_elements_with(object, Ok),
        }
    }

    /// A whole number.
    pub(super) fn whole(&self, object: &PyObject) -> PyResult<i64> {
        object.try_index(self.vm)?.try_to_primitive(self.vm)
    }

    /// Argument `at` as a whole number.
    pub(super) fn int(&self, at: usize, default: i64) -> PyResult<i64> {
        self.given(at).map_or(Ok(default), |object| self.whole(object))
    }

    /// One whole number, or the items of a sequence of them. None where the argument is no number and no sequence.
    pub(super) fn ints(&self, object: &PyObjectRef) -> PyResult<Vec<i64>> {
        let is_number = object.downcast_ref::<PyInt>().is_some()
            || object.downcast_ref::<PyScalar>().is_some()
            || array_of(object).is_some_and(|tensor| tensor.ndim() == 0);
        match is_number {
            true => Ok(vec![self.whole(object)?]),
            false => self.items(object)?.iter().map(|item| self.whole(item)).collect(),
        }
    }

    /// Whether argument `at` is true.
    pub(super) fn flag(&self, at: usize) -> PyResult<bool> {
        self.given(at).map_or(Ok(false), |object| object.clone().try_to_bool(self.vm))
    }

    /// Argument `at` as a dtype.
    pub(super) fn dtype(&self, at: usize) -> PyResult<Option<DType>> {
        self.given(at).map(|object| dtypes::of(self.numpy, object, self.vm)).transpose()
    }

    /// Argument `at` as axes of an array: all where it is `None`.
    pub(super) fn axes(&self, at: usize, ndim: usize) -> PyResult<Vec<usize>> {
        super::axes::axes(&self.object(at), ndim, self.vm)
    }

    /// A whole number as an axis.
    pub(super) fn axis(&self, axis: i64, ndim: usize) -> PyResult<usize> {
        super::axes::axis(axis, ndim, self.vm)
    }

    /// The array and the axis of argument `at`; without an axis the elements in one row.
    pub(super) fn along(&self, x: Tensor, at: usize) -> PyResult<(Tensor, usize)> {
        match self.given(at) {
            Some(axis) => {
                let axis = self.axis(self.whole(axis)?, x.ndim())?;
                Ok((x, axis))
            }
            None => Ok((self.flat(&x)?, 0)),
        }
    }

    /// The elements in one row.
    pub(super) fn flat(&self, x: &Tensor) -> PyResult<Tensor> {
        self.reshaped(x, &[x.numel()])
    }

    /// The elements in another shape, which has as many.
    pub(super) fn reshaped(&self, x: &Tensor, shape: &[usize]) -> PyResult<Tensor> {
        let shape = shape.iter().map(|&size| size as i64).collect();
        self.op("reshape", vec![Arg::Tensor(x.clone()), Arg::Ints(shape)])
    }

    /// The axes in another order.
    pub(super) fn permuted(&self, x: &Tensor, order: &[usize]) -> PyResult<Tensor> {
        let order = order.iter().map(|&axis| axis as i64).collect();
        self.op("permute", vec![Arg::Tensor(x.clone()), Arg::Ints(order)])
    }

    /// The same values in this dtype.
    pub(super) fn cast(&self, x: &Tensor, dtype: DType) -> PyResult<Tensor> {
        self.numpy.cast(x, dtype, self.vm)
    }

    /// Runs the first form of an operation.
    pub(super) fn op(&self, name: &'static str, args: Vec<Arg>) -> PyResult<Tensor> {
        self.numpy.call(name, args, self.vm)
    }

    /// Argument `at` as an operand of an elementwise function.
    pub(super) fn operand(&self, at: usize) -> PyResult<dtypes::Operand> {
        operand(self.numpy, &self.object(at), self.vm)
    }

    /// Computes an elementwise function.
    pub(super) fn elementwise(&self, name: &'static str, operands: &[dtypes::Operand]) -> PyResult<Tensor> {
        elementwise::compute(self.numpy, super::rules::named(name), operands, self.vm)
    }

    /// Computes an elementwise function of arrays.
    pub(super) fn ufunc(&self, name: &'static str, operands: &[&Tensor]) -> PyResult<Tensor> {
        let operands: Vec<_> = operands.iter().map(|&it| dtypes::Operand::new(it.clone())).collect();
        self.elementwise(name, &operands)
    }

    pub(super) fn value_error(&self, text: impl Into<String>) -> rustpython_vm::builtins::PyBaseExceptionRef {
        self.vm.new_value_error(text.into())
    }

    /// `RuntimeWarning`
    pub(super) fn warn(&self, text: &str) -> PyResult<()> {
        let text = self.vm.ctx.new_str(text).into();
        foreign::call("numpy._methods", "_warn", vec![text], self.vm).map(drop)
    }

    /// The object of what was computed: a view knows the array that owns its memory.
    pub(super) fn wrap(&self, tensor: Tensor) -> PyObjectRef {
        let first = self.args.first().and_then(Option::as_ref);
        match first.and_then(|it| items(it)) {
            Some(several) => self.numpy.derived(tensor, several.iter().map(|it| &**it), self.vm),
            None => self.numpy.derived(tensor, first.map(|it| &**it), self.vm),
        }
    }

    fn finish(&self, answer: Answer) -> PyResult {
        let vm = self.vm;
        if let Some(target) = self.given(self.row.signature.place("out")) {
            return self.write(target, answer);
        }
        let back = self.row.others == Others::ConvertBack
            && self.args.iter().flatten().next().is_some_and(|it| is_tensor(it));
        Ok(match answer {
            Answer::Array(tensor) | Answer::Result(tensor) if back => {
                let given = self.object(0);
                return returned(self.numpy, tensor, &[&given], vm);
            }
            Answer::Array(tensor) => self.wrap(tensor),
            Answer::Result(tensor) if tensor.ndim() == 0 => {
                return scalar::of_tensor(self.numpy, &tensor, vm);
            }
            Answer::Result(tensor) => self.wrap(tensor),
            Answer::Object(object) => object,
        })
    }

    /// Writes the result into the array of `out=`.
    fn write(&self, target: &PyObjectRef, answer: Answer) -> PyResult {
        let vm = self.vm;
        let Some(array) = array_of(target) else {
            return Err(vm.new_type_error("return arrays must be of ArrayType"));
        };
        let made = match answer {
            Answer::Array(tensor) | Answer::Result(tensor) => tensor,
            Answer::Object(object) => operand(self.numpy, &object, vm)?.tensor,
        };
        if array.shape() != made.shape() {
            return Err(self.value_error(format!(
                "output parameter for reduction operation has the wrong shape {}",
                tuple_repr(array.shape())
            )));
        }
        copy_into(self.numpy, &array, &made, vm)?;
        Ok(target.clone())
    }
}

/// A row as a callable: a function of the module, or a method when it has no context of its own.
#[pyclass(module = "numpy", name = "builtin_function_or_method")]
#[derive(Debug, PyPayload)]
pub(super) struct PyRoutine {
    row: &'static Row,
    numpy: Option<Rc<Numpy>>,
}

impl PyRoutine {
    pub(super) fn function(row: &'static Row, numpy: &Rc<Numpy>) -> PyRoutine {
        PyRoutine { row, numpy: Some(numpy.clone()) }
    }

    pub(super) fn method(row: &'static Row) -> PyRoutine {
        PyRoutine { row, numpy: None }
    }

    pub(super) fn run(&self, numpy: &Rc<Numpy>, given: FuncArgs, vm: &VirtualMachine) -> PyResult {
        let row = self.row;
        if let (Others::Delegate(always), Some(first)) = (row.others, given.args.first())
            && self.numpy.is_some()
            && is_tensor(first)
        {
            return self.delegate(first.get_attr(row.name, vm)?, always, &given, vm);
        }
        let args = row.signature.bind(row.name, &given, vm)?;
        let dtype = args.get(row.signature.place("dtype")).and_then(Option::as_ref);
        let other_dtype = dtype.filter(|object| dtypes::meant(numpy, object, vm).is_none());
        if let Some(object) = other_dtype {
            // Errors: it is none.
            foreign::dtype(object, vm)?;
        }
        let is_foreign = |object: &PyObjectRef| foreign::is_foreign(object, vm);
        if other_dtype.is_some() || given.args.iter().chain(given.kwargs.values()).any(is_foreign) {
            return foreign::routine("call", row.name, given, vm);
        }
        let call = Call { numpy, row, vm, args };
        match (row.run)(&call).and_then(|answer| call.finish(answer)) {
            // Lists of text or complex numbers are arrays of another class.
            Err(error) if error.fast_isinstance(vm.ctx.exceptions.not_implemented_error) => {
                let again = foreign::routine("of_list", row.name, given, vm)?;
                if again.is(&vm.ctx.not_implemented) { Err(error) } else { Ok(again) }
            }
            result => result,
        }
    }

    /// Calls the method of a tensor, with what was given and the keywords that are always passed.
    fn delegate(
        &self,
        method: PyObjectRef,
        always: &[&str],
        given: &FuncArgs,
        vm: &VirtualMachine,
    ) -> PyResult {
        let signature = &self.row.signature;
        let bound = signature.bind(self.row.name, given, vm)?;
        let mut words = FuncArgs::default();
        for (param, object) in signature.params().iter().zip(bound).skip(1) {
            let object = object.or_else(|| always.contains(&param.name).then(|| vm.ctx.none()));
            if let Some(object) = object {
                words.kwargs.insert(param.name.to_owned(), object);
            }
        }
        method.call(words, vm)
    }
}

impl Callable for PyRoutine {
    type Args = FuncArgs;

    fn call(zelf: &Py<Self>, given: FuncArgs, vm: &VirtualMachine) -> PyResult {
        if let Some(numpy) = &zelf.numpy {
            return zelf.run(numpy, given, vm);
        }
        let numpy =
            given.args.first().and_then(|first| first.downcast_ref::<PyArray>()).map(|it| it.numpy.clone());
        match numpy {
            Some(numpy) => zelf.run(&numpy, given, vm),
            None => Err(vm.new_type_error(format!(
                "descriptor '{}' for 'numpy.ndarray' objects doesn't apply to this object",
                zelf.row.name
            ))),
        }
    }
}

impl GetDescriptor for PyRoutine {
    fn descr_get(
        zelf: PyObjectRef,
        object: Option<PyObjectRef>,
        _class: Option<PyObjectRef>,
        vm: &VirtualMachine,
    ) -> PyResult {
        let is_function = zelf.downcast_ref::<PyRoutine>().is_none_or(|it| it.numpy.is_some());
        Ok(descriptor::read(zelf, object, is_function, vm))
    }
}

impl Representable for PyRoutine {
    fn repr_str(zelf: &Py<Self>, _vm: &VirtualMachine) -> PyResult<String> {
        Ok(match zelf.numpy {
            Some(_) => format!("<function {} at {:#x}>", zelf.row.name, zelf.as_object().get_id()),
            None => format!("<method '{}' of 'numpy.ndarray' objects>", zelf.row.name),
        })
    }
}

#[pyclass(with(Callable, GetDescriptor, Representable), flags(METHOD_DESCRIPTOR))]
impl PyRoutine {
    #[pygetset]
    fn __name__(&self) -> &'static str {
        self.row.name
    }

    #[pygetset]
    fn __module__(&self) -> &'static str {
        "numpy"
    }

    #[pygetset]
    fn __doc__(&self) -> String {
        let (name, signature) = (self.row.name, self.row.signature.text);
        let of = if self.row.places == METHOD { "ndarray." } else { "" };
        format!(
            "{name}({signature})\n\nAs https://numpy.org/doc/1.26/reference/generated/numpy.{of}{name}.html says."
        )
    }

    #[pygetset]
    fn __text_signature__(&self) -> String {
        format!("({})", self.row.signature.text)
    }
}
