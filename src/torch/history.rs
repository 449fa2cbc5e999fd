//! What made a tensor, as Python sees it: what the rules of gradients in `py/torch/_gradients` work from.
//! Exposes records; the way back along them is in `ops::backward`.

use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::classes::PyDType;
use super::py_tensor::PyTensor;
use super::raise::OrRaise;
use crate::ops::state::State;
use crate::ops::table;
use crate::tensor::descriptor::FUNCTION;
use crate::tensor::explanation::Explanation;
use crate::tensor::{Arg, CompletedOperation, GradName, Record, Tensor};

/// The most operations between numbers that were drawn and what was made of them.
const MOST_CHANGES: usize = 8;

/// One operation that ran and through which gradients flow.
#[pyclass(module = "torch", name = "Record")]
#[derive(PyPayload)]
pub(crate) struct PyRecord {
    record: Rc<Record>,
    state: Rc<State>,
}

impl std::fmt::Debug for PyRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "record of {}", self.record.called())
    }
}

/// The record behind a tensor and which of its results the tensor is; `None` for leaves.
pub(crate) fn history(tensor: &Tensor, state: &Rc<State>, vm: &VirtualMachine) -> PyObjectRef {
    match tensor.origin().filter(|_| !tensor.is_leaf()) {
        Some(record) => edge(&record, tensor.output_index(), state, vm),
        None => vm.ctx.none(),
    }
}

/// Records that a `torch.autograd.Function` of the learner made `results` from `operands`; returns the record's address.
pub(crate) fn made_by(name: &str, operands: Vec<Tensor>, results: &[Tensor], state: &Rc<State>) -> usize {
    let shape = results.first().map(Tensor::shape).unwrap_or_default();
    let record = state.recorder.record(CompletedOperation {
        grad_name: Some(GradName::Custom(known(name))).into(),
        outputs: results.len(),
        needs_grad: true,
        in_backward: state.in_backward.get(),
        ..CompletedOperation::new(&FUNCTION, vec![Arg::Tensors(operands)], shape, None)
    });
    for (output, result) in results.iter().enumerate() {
        if result.dtype().is_float() {
            result.mark_result();
        }
        result.set_origin(record.clone(), output);
    }
    Rc::as_ptr(&record).addr()
}

/// Where the numbers of a tensor were drawn, however they were changed since: the line and its cell. None if they were not.
pub(crate) fn drawn_at(tensor: &Tensor) -> Option<String> {
    let mut tensor = tensor.clone();
    for _ in 0..MOST_CHANGES {
        let record = tensor.origin()?;
        if let Explanation::Random(_) = record.operation.explanation {
            return record.site.as_ref().map(|site| format!("{} {}", site.line, site.cell));
        }
        tensor = record.args().iter().find_map(Arg::tensor)?.clone();
    }
    None
}

/// Names the node of a result that Python composed of several operations: `Im2ColBackward0` for the stem `Im2Col`.
pub(crate) fn name_node(result: &Tensor, stem: &str, overload: u8) {
    if let Some(record) = result.origin() {
        record.grad_name.set(Some(GradName::Node(known(stem), overload)));
    }
}

/// A name that lasts: learners define few functions, and each name is kept once.
fn known(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = names.get(name) {
        return known;
    }
    let known: &'static str = name.to_owned().leak();
    names.insert(known);
    known
}

fn edge(record: &Rc<Record>, output: usize, state: &Rc<State>, vm: &VirtualMachine) -> PyObjectRef {
    let record = PyRecord::new(record, state).into_pyobject(vm);
    vm.ctx.new_tuple(vec![record, vm.ctx.new_int(output).into()]).into()
}

impl PyRecord {
    /// The object of a record.
    pub(crate) fn new(record: &Rc<Record>, state: &Rc<State>) -> PyRecord {
        PyRecord { record: record.clone(), state: state.clone() }
    }
}

#[pyclass]
impl PyRecord {
    /// A number that only this record has while it lives.
    #[pygetset]
    fn place(&self) -> usize {
        Rc::as_ptr(&self.record).addr()
    }

    /// Whether a learner's own `torch.autograd.Function` made it.
    #[pygetset]
    fn is_custom(&self) -> bool {
        matches!(self.record.grad_name.get(), Some(GradName::Custom(_)))
    }

    /// The operation's name, without the `_` of an in-place twin.
    #[pygetset]
    fn op(&self) -> &'static str {
        self.record.operation.name
    }

    /// What the call was called: `add_` if it wrote in place.
    #[pygetset]
    fn called(&self) -> &'static str {
        self.record.called()
    }

    /// The name `grad_fn` shows.
    #[pygetset]
    fn name(&self) -> String {
        self.record.grad_name.get().map_or_else(String::new, |name| name.to_string())
    }

    /// The arguments by name; what the operation kept beside them is `kept`, `kept1` and so on.
    #[pymethod]
    fn arguments(&self, vm: &VirtualMachine) -> PyResult {
        let dict = vm.ctx.new_dict();
        let row = table::row_of(self.record.operation);
        let params = row.and_then(|row| row.params().get(self.record.form)).map_or(&[][..], Vec::as_slice);
        for (at, arg) in self.record.args().iter().enumerate() {
            let name = match (params.get(at), at.checked_sub(params.len())) {
                (Some(param), _) => param.name.to_owned(),
                (None, Some(0)) if !params.is_empty() => "kept".to_owned(),
                (None, Some(kept)) if !params.is_empty() => format!("kept{kept}"),
                _ => format!("arg{at}"),
            };
            dict.set_item(name.as_str(), value(arg, &self.state, vm), vm)?;
        }
        Ok(dict.into())
    }

    /// For each tensor among the arguments, those in lists one by one: the record that had made it when the operation
    /// ran and which of its results it was, or `None`.
    #[pymethod]
    fn edges(&self, vm: &VirtualMachine) -> PyObjectRef {
        let one = |made: &Option<(Rc<Record>, usize)>| match made {
            Some((record, output)) => edge(record, *output, &self.state, vm),
            None => vm.ctx.none(),
        };
        vm.ctx.new_list(self.record.edges().iter().map(one).collect()).into()
    }

    /// Errors: the tensor with this number among the arguments was written to since the operation ran.
    #[pymethod]
    fn check_operand(&self, at: usize, vm: &VirtualMachine) -> PyResult<()> {
        let args = self.record.args();
        let found = args.iter().flat_map(Arg::tensors).nth(at);
        found.map_or(Ok(()), |tensor| self.record.check_operand(at, tensor)).or_raise(vm)
    }

    /// The result that the operation saved, with its history; `None` if it saved none.
    #[pymethod]
    fn saved_result(&self, vm: &VirtualMachine) -> PyObjectRef {
        let result = self.record.saved_result_with_history();
        result.map_or(vm.ctx.none(), |result| PyTensor::new(result, self.state.clone()).into_pyobject(vm))
    }
}

/// The Python object of an argument.
pub(super) fn value(arg: &Arg, state: &Rc<State>, vm: &VirtualMachine) -> PyObjectRef {
    let tensor = |tensor: &Tensor| PyTensor::new(tensor.clone(), state.clone()).into_pyobject(vm);
    match arg {
        // The rules of what is indexed are not in Python.
        Arg::None | Arg::Generator(_) | Arg::Index(_) => vm.ctx.none(),
        Arg::Bool(value) => vm.ctx.new_bool(*value).into(),
        Arg::Int(value) => vm.ctx.new_int(*value).into(),
        Arg::Float(value) => vm.ctx.new_float(*value).into(),
        Arg::Str(text) => vm.ctx.new_str(&**text).into(),
        Arg::DType(dtype) => PyDType::object(*dtype, vm),
        Arg::Tensor(value) => tensor(value),
        Arg::Tensors(values) => vm.ctx.new_list(values.iter().map(tensor).collect()).into(),
        Arg::Ints(values) => {
            vm.ctx.new_tuple(values.iter().map(|value| vm.ctx.new_int(*value).into()).collect()).into()
        }
    }
}
