//! Two linear layers with nothing between them, of which the inner width is the largest: one layer can do what both do.

use super::axes::{Product, size};
use super::flow::{origin, projection, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, Tensor};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A405",
    name: "no-activation",
    title: "nothing is between two linear layers",
    why: "A linear function of a linear function is one linear function: the wider layer between computes nothing that a \
          single matrix would not. An activation between them makes the layers a network.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| widened(step, cell)).collect()
}

/// A layer that takes what another one made wider, and makes it narrower again.
fn widened(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let second = trained(step.results.first()?.tensor.as_ref()?)?;
    let (_, start) = source(&second.left);
    let first = trained(&start)?;
    let (inside, outside) = (first.width(), size(&second.right, second.free.1?)?);
    let between = second.width();
    if between <= inside || between <= outside || size(&first.right, first.free.1?)? != between {
        return None;
    }
    let name = cell.name_of(&start, "the result");
    let observed = format!(
        "{name} has {between} features, made from {inside} by one matrix, and goes as it is into the next, which makes \
         {outside} of them: one matrix of {inside} x {outside} does the same."
    );
    Some(Observation::new(step.site(), observed, "an activation between them: F.gelu(...) or F.relu(...)"))
}

/// The product of a tensor that a layer made, with a matrix that is trained.
fn trained(tensor: &Tensor) -> Option<Product> {
    let adds_computed = origin(tensor).is_some_and(|record| {
        record.operation.explanation == Explanation::Pointwise(Formula::Add)
            && record.args().iter().skip(1).flat_map(Arg::tensors).any(|it| origin(&source(it).1).is_some())
    });
    projection(tensor).filter(|product| !adds_computed && source(&product.right).1.requires_grad())
}
