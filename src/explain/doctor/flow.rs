//! The way back through the records: from weights to their softmax, from scores to their product.
//! It follows operations that scale, mask or rearrange a tensor, and ends where something new is computed from it.

use std::collections::{HashSet, VecDeque};
use std::rc::Rc;

use super::axes::{self, Axis, Product};
use crate::ops::table;
use crate::ops::trace::Traced;
use crate::tensor::Index;
use crate::tensor::descriptor::OpFamily;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Arg, DType, Record, Tensor};

/// The most operations on one path.
const LONGEST: usize = 24;
/// The most records that one search examines.
const MOST_RECORDS: usize = 200;

/// One operation on a path.
#[derive(Clone)]
pub(super) struct FlowStep {
    pub(crate) record: Rc<Record>,
    /// The operand that it scaled, masked or rearranged.
    pub(crate) operand: Tensor,
    pub(crate) result: Tensor,
}

impl FlowStep {
    /// What the operation computes.
    pub(super) fn explanation(&self) -> Explanation {
        self.record.operation.explanation
    }

    /// The name of the operation as it was called.
    pub(super) fn name(&self) -> &'static str {
        self.record.operation.called(self.record.in_place)
    }

    /// The argument of this name.
    pub(super) fn arg(&self, name: &str) -> Option<Arg> {
        arg(&self.record, name)
    }

    /// The factor or the mask.
    pub(super) fn other(&self) -> Option<Arg> {
        let args = self.record.args();
        let own = args.iter().position(|arg| arg.tensor().is_some_and(|tensor| tensor.is(&self.operand)));
        match (self.explanation(), own) {
            (Explanation::MaskedFill, _) => args.get(1).cloned(),
            (Explanation::Assignment, _) => mask_of(args.get(2)?),
            (Explanation::Pointwise(Formula::Mul | Formula::Div | Formula::Add | Formula::Sub), Some(0)) => {
                args.get(1).cloned()
            }
            (Explanation::Pointwise(Formula::Mul | Formula::Add), Some(1)) => args.first().cloned(),
            (Explanation::Moved(Movement::Chosen), _) => self.arg("condition"),
            _ => None,
        }
    }

    /// The number that a scaling multiplies by.
    pub(super) fn factor(&self) -> Option<f64> {
        match self.explanation() {
            Explanation::Pointwise(Formula::Mul) => single_number(&self.other()?),
            Explanation::Pointwise(Formula::Div) => single_number(&self.other()?).map(|by| 1.0 / by),
            _ => None,
        }
    }

    /// Whether it divides by a tensor, as by the sums of rows.
    pub(super) fn divides_by_tensor(&self) -> bool {
        self.explanation() == Explanation::Pointwise(Formula::Div) && self.factor().is_none()
    }

    /// The number that masked elements are set to.
    pub(super) fn fill(&self) -> Option<f64> {
        let args = self.record.args();
        match self.explanation() {
            Explanation::MaskedFill => single_number(args.get(2)?),
            Explanation::Triangle { .. } => Some(0.0),
            Explanation::Assignment => mask_of(args.get(2)?).and(args.get(1)?.number()),
            // The other branch, if all its elements are equal.
            Explanation::Moved(Movement::Chosen) => {
                ["input", "other"].into_iter().find_map(|name| match self.arg(name)? {
                    Arg::Tensor(tensor) if tensor.is(&self.operand) => None,
                    Arg::Tensor(tensor) if tensor.numel() <= 1 << 20 => {
                        let values = tensor.to_f64_vec();
                        values.iter().all(|it| *it == values[0]).then(|| values.first().copied()).flatten()
                    }
                    other => other.number(),
                })
            }
            Explanation::Pointwise(Formula::Mul) => is_zero_one(self.other()?.tensor()?).then_some(0.0),
            _ => None,
        }
    }

    pub(super) fn is_dropout(&self) -> bool {
        self.explanation() == Explanation::Dropout
    }
}

/// Whether a tensor is trained.
pub(super) fn is_parameter(tensor: &Tensor) -> bool {
    tensor.requires_grad() && tensor.is_leaf()
}

/// Whether one of so many tensors that a tensor was computed from is a parameter.
pub(super) fn is_trained(tensor: &Tensor, most: usize) -> bool {
    Before::of(tensor, most).any(|it| is_parameter(&it))
}

/// The learner's operation that made a tensor. What backward ran is not followed: to the doctor a gradient is given. So is
/// a parameter: what an optimizer or its initialisation wrote into it says nothing about attention.
pub(super) fn origin(tensor: &Tensor) -> Option<Rc<Record>> {
    tensor.origin().filter(|record| !record.in_backward && !is_parameter(tensor))
}

/// The argument of this name.
pub(super) fn arg(record: &Record, name: &str) -> Option<Arg> {
    record.args().get(table::place_of(record, name)?).cloned()
}

/// An argument of an operation that has one signature.
pub(super) fn setting<'s>(step: &'s Traced, name: &str) -> Option<&'s Arg> {
    let params = table::row_of(step.operation)?.params().first()?;
    step.args.get(params.iter().position(|param| param.name == name)?)
}

/// The tensor in this place of the arguments.
pub(super) fn operand(record: &Record, at: usize) -> Option<Tensor> {
    record.args().get(at).and_then(Arg::tensor).cloned()
}

/// The tensors among the arguments, those in lists one by one.
pub(super) fn operands(record: &Record) -> Vec<Tensor> {
    record.args().iter().flat_map(Arg::tensors).cloned().collect()
}

/// The tensors that a tensor was computed from and that were not written into since, indices among them; and those that were.
pub(super) fn unchanged_operands(tensor: &Tensor) -> (Vec<Tensor>, Vec<Tensor>) {
    origin(tensor).map(|record| operands_by_change(&record)).unwrap_or_default()
}

/// The same of a record.
pub(super) fn operands_by_change(record: &Record) -> (Vec<Tensor>, Vec<Tensor>) {
    let args = record.args();
    let tensors = args.iter().flat_map(Arg::tensors).chain(args.iter().flat_map(Arg::indices)).cloned();
    let (kept, changed): (Vec<_>, Vec<_>) =
        tensors.zip(&record.versions).partition(|(it, version)| it.storage().version() == **version);
    let tensors = |pairs: Vec<(Tensor, &u64)>| pairs.into_iter().map(|(it, _)| it).collect();
    (tensors(kept), tensors(changed))
}

/// A tensor and those that it was computed from, the nearest first, each once.
pub(super) struct Before {
    open: VecDeque<Tensor>,
    seen: HashSet<usize>,
    last: Option<Tensor>,
    most: usize,
}

impl Before {
    /// The walk ends after so many tensors.
    pub(super) fn of(tensor: &Tensor, most: usize) -> Before {
        Before { open: VecDeque::from([tensor.clone()]), seen: HashSet::new(), last: None, most }
    }

    /// Goes on with these, and not with the operands of the tensor that it returned last.
    pub(super) fn go_on_with(&mut self, tensors: impl IntoIterator<Item = Tensor>) {
        self.last = None;
        self.open.extend(tensors);
    }

    /// Whether the walk came to the end.
    pub(super) fn is_whole(&self) -> bool {
        self.open.is_empty()
    }
}

impl Iterator for Before {
    type Item = Tensor;

    fn next(&mut self) -> Option<Tensor> {
        let operands_of_last =
            self.last.take().and_then(|last| origin(&last)).map(|record| operands(&record));
        self.open.extend(operands_of_last.unwrap_or_default());
        while self.seen.len() < self.most {
            let tensor = self.open.pop_front()?;
            if self.seen.insert(tensor.id()) {
                self.last = Some(tensor.clone());
                return Some(tensor);
            }
        }
        None
    }
}

/// The operations that a tensor was computed from, the nearest first, each with its first operand.
pub(super) fn first_operands(tensor: &Tensor) -> impl Iterator<Item = (Rc<Record>, Tensor)> {
    let mut at = tensor.clone();
    std::iter::from_fn(move || {
        let record = origin(&at)?;
        at = operand(&record, 0)?;
        Some((record, at.clone()))
    })
}

/// A number, or the element of a tensor that has only one.
fn single_number(arg: &Arg) -> Option<f64> {
    match arg {
        Arg::Tensor(tensor) if tensor.numel() == 1 => tensor.item().ok(),
        other => other.number(),
    }
}

/// The boolean mask in an index.
pub(super) fn mask_of(index: &Arg) -> Option<Arg> {
    let Arg::Index(parts) = index else { return None };
    parts.iter().find_map(|part| match part {
        Index::Tensor(mask) if mask.dtype() == DType::Bool => Some(Arg::Tensor(mask.clone())),
        _ => None,
    })
}

/// Whether a tensor has both zeros and ones and no other values.
pub(super) fn is_zero_one(tensor: &Tensor) -> bool {
    if tensor.numel() < 2 || tensor.numel() > 1 << 20 {
        return false;
    }
    let values = tensor.to_f64_vec();
    values.iter().all(|&it| it == 0.0 || it == 1.0) && values.contains(&0.0) && values.contains(&1.0)
}

/// The path from an operation to a tensor that was made from its result.
pub(super) struct FlowPath {
    /// The operations on the path, the last one first.
    pub(crate) steps: Vec<FlowStep>,
    /// The result of the operation at the start of the path.
    pub(crate) start: Tensor,
    /// The operation at the start of the path.
    pub(crate) record: Rc<Record>,
}

/// Returns the path to a tensor from the nearest operation for which `is_start` is true.
pub(super) fn trace_back(tensor: &Tensor, is_start: &dyn Fn(&Record) -> bool) -> Option<FlowPath> {
    let mut examined = 0;
    let mut steps = Vec::new();
    let (start, record) = search(tensor, is_start, &mut steps, &mut examined)?;
    Some(FlowPath { steps, start, record })
}

fn search(
    tensor: &Tensor,
    is_start: &dyn Fn(&Record) -> bool,
    steps: &mut Vec<FlowStep>,
    examined: &mut usize,
) -> Option<(Tensor, Rc<Record>)> {
    *examined += 1;
    if steps.len() > LONGEST || *examined > MOST_RECORDS {
        return None;
    }
    let record = origin(tensor)?;
    if is_start(&record) {
        return Some((tensor.clone(), record));
    }
    for operand in axes::carried_operands(&record) {
        steps.push(FlowStep { record: record.clone(), operand: operand.clone(), result: tensor.clone() });
        if let Some(found) = search(&operand, is_start, steps, examined) {
            return Some(found);
        }
        steps.pop();
    }
    None
}

/// The axis at the start of a path that became this axis at its end.
pub(super) fn axis_at_start(steps: &[FlowStep], axis: Axis) -> Option<Axis> {
    let axis_before =
        |axis, step: &FlowStep| axes::axis_in_operand(&step.record, &step.operand, step.result.shape(), axis);
    steps.iter().try_fold(axis, axis_before)
}

/// The way back from a tensor by first operands, the last operation first, while each step is one to go back through.
fn back_through(tensor: &Tensor, goes_on: impl Fn(&FlowStep) -> bool) -> (Vec<FlowStep>, Tensor) {
    let mut steps: Vec<FlowStep> = Vec::new();
    let mut at = tensor.clone();
    while steps.len() < LONGEST {
        let Some(record) = origin(&at) else { break };
        let Some(operand) = axes::carried_operands(&record).into_iter().next() else { break };
        let step = FlowStep { record, operand: operand.clone(), result: at.clone() };
        if !goes_on(&step) {
            break;
        }
        steps.push(step);
        at = operand;
    }
    (steps, at)
}

/// Returns the tensor that this one is a scaled or rearranged copy of, and the operations between them.
pub(super) fn source(tensor: &Tensor) -> (Vec<FlowStep>, Tensor) {
    back_through(tensor, |step| {
        let is_layout = match step.explanation() {
            Explanation::Copy | Explanation::Cast(_) | Explanation::Moved(Movement::LookedUp) => true,
            _ => step.record.operation.family == OpFamily::View,
        };
        is_layout || step.factor().is_some()
    })
}

/// The operations that rearrange, rotate, scale or repeat what a product made, the last one first, each by its first
/// operand. A bias that is added to a projection belongs to it.
pub(super) fn rearranged(tensor: &Tensor) -> (Vec<FlowStep>, Tensor) {
    back_through(tensor, |step| Product::of(&step.record).is_none() && projection(&step.result).is_none())
}

/// The projection that a tensor is the result of: a product with a weight matrix, with or without a bias.
pub(super) fn projection(tensor: &Tensor) -> Option<Product> {
    let record = origin(tensor)?;
    if record.operation.explanation == Explanation::Pointwise(Formula::Add) {
        return projection(&operand(&record, 0)?);
    }
    let product = Product::of(&record)?;
    let is_matrix = product.right.ndim() == 2 && !product.right.storage().same(product.left.storage());
    // A weight matrix is a parameter: no product computes it.
    let (_, weight) = source(&product.right);
    let is_computed = origin(&weight).is_some_and(|record| Product::of(&record).is_some());
    (is_matrix && !is_computed).then_some(product)
}
