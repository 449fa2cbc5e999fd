//! Trainings that are written by hand, without an optimizer: what their steps do to the parameters.

use std::collections::{HashMap, HashSet};

use super::attention::record_of;
use super::axes::Product;
use super::flow::{operand, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::explain::terms::figure;
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Arg, Tensor};

pub(super) static NEVER_STEPPED: Mistake = Mistake::new(
    ("A815", "never-stepped"),
    "no step changes the parameters",
    "backward() only computes gradients. Parameters change where the optimizer's step() runs, or where they are written into.",
    &[Detector::Once(rebound)],
);

/// So many parameters at least have a step that nothing reads.
const LEAST: usize = 3;

/// Whether an operation multiplies with this tensor, or looks up rows of it.
fn uses(step: &Traced, tensor: &Tensor) -> bool {
    let is_lookup = step.operation.explanation == Explanation::Moved(Movement::LookedUp);
    let is_product = || record_of(step).is_some_and(|record| Product::of(&record).is_some());
    step.operands.iter().any(|it| it.is(tensor)) && (is_lookup || is_product())
}

/// `w = w - rate * gradient` in a loop over parameters: the name is bound to a new tensor, and the parameter stays as it was.
fn rebound(cell: &TracedCell) -> Option<Observation> {
    let steps = &cell.trace.steps;
    let is_read: HashSet<usize> = steps
        .iter()
        .flat_map(|step| &step.operands)
        .filter_map(|it| Some(it.tensor.as_ref()?.id()))
        .collect();
    let written = steps.iter().enumerate().filter(|(_, step)| step.in_place);
    let last_write: HashMap<usize, usize> =
        written.filter_map(|(at, step)| Some((step.tensor(0)?.storage().address(), at))).collect();
    // By their lines, and of each tensor the first.
    let mut lost: HashMap<(&str, usize), Vec<(usize, &Tensor)>> = HashMap::new();
    for (at, step) in steps.iter().enumerate() {
        let is_step =
            matches!(step.operation.explanation, Explanation::Pointwise(Formula::Add | Formula::Sub));
        let (Some(result), Some(tensor), Some(site)) = (step.result(), step.tensor(0), step.place()) else {
            continue;
        };
        let is_like = tensor.dtype().is_float() && tensor.ndim() > 0 && tensor.shape() == result.shape();
        if is_step
            && !step.in_place
            && is_like
            && !is_read.contains(&result.id())
            && last_write.get(&tensor.storage().address()).is_none_or(|last| *last < at)
        {
            let of_line = lost.entry((site.cell, site.span.start.line)).or_default();
            if of_line.iter().all(|(_, known)| !known.is(tensor)) {
                of_line.push((at, tensor));
            }
        }
    }
    // Several of them are matrices or tables that a later operation uses, unchanged.
    let is_parameter =
        |(at, tensor): &&(usize, &Tensor)| steps[at + 1..].iter().any(|step| uses(step, tensor));
    let (_, lost) = lost
        .into_iter()
        .find(|(_, all)| all.len() >= LEAST && all.iter().filter(is_parameter).count() + 1 >= LEAST)?;
    let (at, tensor) = lost.first()?;
    let observed = format!(
        "For {} tensors a sum or a difference is computed here that nothing reads, the first of shape {}; the tensors themselves are not \
         written into, and the next products use them as they were.",
        lost.len(),
        tuple_repr(tensor.shape())
    );
    let fix = "write into the parameter: w -= rate * gradient, or params[name] = ...";
    let found = Observation::new(steps[*at].site(), observed, fix)
        .titled("the steps of a training change no parameter");
    Some(found.because(
        "An assignment binds a name to a new tensor. What else knows the parameter, such as a dict or a list, keeps the old one.",
    ))
}

pub(super) static ROWS_STAY_EQUAL: Mistake = Mistake::new(
    ("A825", "rows-stay-equal"),
    "the rows of a weight stay equal",
    "Rows that begin with the same numbers and get the same gradient take the same steps. However many there are, together \
     they do what one of them does.",
    &[Detector::Once(alike)],
);

/// The least rows and columns of a matrix whose columns are compared, and how often it is written into.
const LEAST_ROWS: usize = 4;
const LEAST_WRITES: usize = 3;

/// A matrix of a product that steps have written into, and all of whose columns are equal at the end.
fn alike(cell: &TracedCell) -> Option<Observation> {
    let mut writes: HashMap<usize, (usize, &Traced)> = HashMap::new();
    for step in cell.steps().filter(|step| step.in_place) {
        if let Some(tensor) = step.tensor(0).filter(|it| it.ndim() == 2 && it.dtype().is_float()) {
            writes.entry(tensor.id()).or_insert((0, step)).0 += 1;
        }
    }
    let written = |(count, step): &&(usize, &Traced)| {
        let tensor = step.tensor(0);
        *count >= LEAST_WRITES
            && tensor.is_some_and(|it| are_columns_equal(it) && cell.steps().any(|step| is_weight(step, it)))
    };
    let (_, step) = writes.values().filter(written).min_by_key(|(_, step)| step.site().map(|it| it.line))?;
    let tensor = step.tensor(0)?;
    let observed = format!(
        "{} of shape {} has been changed by steps, and its {} columns are equal: they began with the same numbers.",
        cell.name_of(tensor, "A weight"),
        tuple_repr(tensor.shape()),
        tensor.shape()[1]
    );
    Some(Observation::new(
        step.site(),
        observed,
        "random numbers for each column: rng.normal(size=shape) / np.sqrt(rows)",
    ))
}

fn is_weight(step: &Traced, tensor: &Tensor) -> bool {
    record_of(step).and_then(|record| Product::of(&record)).is_some_and(|it| it.right.is(tensor))
}

/// Whether the columns of a matrix are equal.
fn are_columns_equal(tensor: &Tensor) -> bool {
    let &[rows, columns] = tensor.shape() else { return false };
    if rows < LEAST_ROWS || columns < LEAST_ROWS || tensor.numel() > 1 << 20 {
        return false;
    }
    let values = tensor.to_f64_vec();
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(b.abs());
    let is_flat = |row: &[f64]| row.iter().all(|it| near(*it, row[0]));
    values.chunks(columns).all(is_flat)
}

pub(super) static NOT_ZEROED: Mistake = Mistake::new(
    ("A804", "gradients-not-zeroed"),
    "the gradients are never set to zero",
    "backward() adds to the gradients that are there. Each step then follows the sum of all gradients so far, and not that of \
     its own batch.",
    &[Detector::Once(piled_up)],
);

/// A sum of products that is kept in an array of a weight's shape: gradients, and where they are kept.
struct Gradient<'s> {
    product: &'s Traced,
    into: Option<&'s Traced>,
    storage: usize,
}

/// What a training in which weights are written into has: its weights and its gradients.
struct ByHand<'s> {
    trained: Vec<Tensor>,
    gradients: Vec<Gradient<'s>>,
}

impl<'s> ByHand<'s> {
    fn of(cell: &TracedCell<'s>) -> Option<ByHand<'s>> {
        let steps = &cell.trace.steps;
        let written: HashSet<usize> =
            steps.iter().filter(|it| it.in_place).filter_map(|it| Some(it.operand(0)?.storage)).collect();
        let mut seen = HashSet::new();
        let product = |step: &'s Traced| Some((step, record_of(step).and_then(|it| Product::of(&it))?));
        let products = || steps.iter().filter_map(product);
        let is_weight = |it: &Tensor| it.ndim() == 2 && it.is_leaf() && !it.requires_grad();
        let weights = products().map(|(_, it)| it.right).filter(is_weight);
        let is_trained = |it: &Tensor| written.contains(&it.storage().address());
        let trained: Vec<Tensor> =
            weights.filter(|it| seen.insert(it.storage().address())).filter(is_trained).collect();
        if trained.len() + 1 < LEAST {
            return None;
        }
        let added: HashMap<usize, &Traced> = steps
            .iter()
            .filter(|it| it.in_place && it.operation.explanation == Explanation::Pointwise(Formula::Add))
            .filter_map(|it| Some((it.operand(1)?.storage, it)))
            .collect();
        let gradient = |(product, _): (&'s Traced, Product)| {
            let own = product.results.first().filter(|it| it.tensor.is_some() && it.shape().len() == 2)?;
            let into = added.get(&own.storage).copied();
            let storage = into.and_then(|it| it.operand(0)).unwrap_or(own).storage;
            Some(Gradient { product, into, storage })
        };
        let gradients = products().filter_map(gradient).collect();
        Some(ByHand { trained, gradients })
    }
}

/// Gradients by hand that are added to those of the step before, which nothing has set to 0.
fn piled_up(cell: &TracedCell) -> Option<Observation> {
    let all = ByHand::of(cell)?;
    let grows = |it: &&Gradient| {
        let shape = it.product.results[0].shape();
        let is = |step: &Traced, formula| step.operation.explanation == Explanation::Pointwise(formula);
        // The trace keeps some of the many writes in a line: any that sets an array of this shape may be meant for this one.
        let sets = |step: &&Traced| step.in_place && !is(step, Formula::Add) && !is(step, Formula::Sub);
        let is_set =
            cell.steps().filter(sets).any(|step| step.operand(0).is_some_and(|own| own.shape() == shape));
        let uses =
            |step: &&Traced| !step.is_view && step.operands.iter().any(|own| own.storage == it.storage);
        let own: Vec<&Traced> = cell.steps().filter(uses).collect();
        let mut turns: Vec<bool> = own.iter().map(|step| step.in_place).collect();
        turns.dedup();
        it.into.is_some()
            && !is_set
            && turns.iter().filter(|is_sum| **is_sum).count() > 1
            && all.trained.iter().any(|weight| weight.shape() == shape)
    };
    let gradient = all.gradients.iter().find(grows)?;
    let observed = format!(
        "Products of shape {} are added to what is there, a step has read it, and nothing sets it to 0.",
        tuple_repr(gradient.product.results[0].shape())
    );
    Some(Observation::new(
        gradient.into?.site(),
        observed,
        "before each batch: gradient[...] = 0.0, in place",
    ))
}

pub(super) static AVERAGE: Mistake = Mistake::new(
    ("A828", "average-corrected-wrongly"),
    "a moving average is divided by another number than its own",
    "An average that begins at 0 has at first the share 1 - b of what it averages, and is divided by 1 - b^t. Divided by what \
     belongs to another average it is too large or too small for as many steps as that one takes. Source: Kingma and Ba 2015, algorithm 1.",
    &[Detector::Step(corrected)],
);

/// The number that a tensor is multiplied by, and the tensor.
fn scaled_by(tensor: &Tensor) -> Option<(f64, Tensor)> {
    let record = origin(tensor)?;
    let args = record.args();
    let (number, operand) = match (args.first()?, args.get(1)?) {
        (Arg::Tensor(it), by) | (by, Arg::Tensor(it)) => (by.number()?, it.clone()),
        _ => return None,
    };
    (record.operation.explanation == Explanation::Pointwise(Formula::Mul)).then_some((number, operand))
}

/// The first value of an average, b * 0 + (1 - b) * x, that is divided by something else than 1 - b.
fn corrected(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let is_division = step.operation.explanation == Explanation::Pointwise(Formula::Div);
    let by = step.args.get(1)?.number().filter(|by| is_division && *by > 0.0 && *by < 1.0)?;
    let average = step.tensor(0)?;
    let sum =
        origin(average).filter(|it| it.operation.explanation == Explanation::Pointwise(Formula::Add))?;
    let (keeps, old) = scaled_by(sum.args().first()?.tensor()?)?;
    // (1 - b) * g * g is a product of a product.
    let mut added = sum.args().get(1)?.tensor()?.clone();
    let share = loop {
        match scaled_by(&added) {
            Some((share, _)) => break share,
            None => added = operand(&*origin(&added)?, 0)?,
        }
    };
    let is_first = old.numel() <= 1 << 16 && old.to_f64_vec().iter().all(|it| *it == 0.0);
    if (keeps + share - 1.0).abs() > 1e-9 || !is_first || (by / share - 1.0).abs() < 1e-6 {
        return None;
    }
    let observed = format!(
        "{} is at first {} * 0 + {} * what is averaged, and is divided by {}: {} times as much as what is averaged.",
        cell.name_of(average, "The average"),
        figure(keeps),
        figure(share),
        figure(by),
        figure(share / by)
    );
    Some(Observation::new(step.site(), observed, "its own share: m / (1 - b1**t), v / (1 - b2**t)"))
}
