//! Two linear layers with nothing between them, of which the inner width is the largest: one layer can do what both do.

use super::axes::{Product, size};
use super::flow::{operand, origin, projection, source};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;
use crate::tensor::explanation::{Explanation, Formula};

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A405",
    "no-activation",
    "nothing is between two linear layers",
    "A linear function of a linear function is one linear function: the wider layer between computes nothing that a \
          single matrix would not. An activation between them makes the layers a network.",
    &[Detector::Step(widened)],
);

/// A layer that takes what another one made wider, and makes it narrower again.
fn widened(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    let second = trained(step.result()?)?;
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
            && operand(&record, 1).is_some_and(|it| origin(&source(&it).1).is_some())
    });
    projection(tensor).filter(|product| !adds_computed && source(&product.right).1.requires_grad())
}
