//! Sums of a table, or its largest elements, that meet it along another axis than they were taken for: without `keepdim` a
//! dropped axis is only right where it was the first one, and a square table raises no error.

use super::axes::axis_of;
use super::flow::{arg, operand, operands, origin};
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Tensor;
use crate::tensor::descriptor::{OpFamily, ShapeRule};
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::show::tuple_repr;

pub(super) static MISTAKE: Mistake = Mistake::new(
    "A209",
    "sums-misaligned",
    "sums meet the table along the wrong axis",
    "Shapes are aligned from the right. A sum of each row, without keepdim, has one number for each row, and meets the \
          columns: row i is divided by the sums of all rows. Only a table that is not square raises an error.",
    &[Detector::Step(misaligned)],
);

fn misaligned(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if !matches!(step.operation.explanation, Explanation::Pointwise(Formula::Div | Formula::Sub)) {
        return None;
    }
    let (table, sums) = (step.tensor(0)?, step.tensor(1)?);
    if table.ndim() < 2 || sums.ndim() + 1 != table.ndim() {
        return None;
    }
    let reduced = reduction(sums)?;
    let record = origin(&reduced)?;
    let summed = operand(&record, 0)?;
    let dim = arg(&record, "dim").or_else(|| arg(&record, "axis"));
    let axis = summed.ndim() - axis_of(dim.as_ref(), summed.ndim())?;
    let is_same =
        summed.is(table) || summed.storage().same(table.storage()) && summed.shape() == table.shape();
    if axis == 0 || !is_same || reduced.shape() != sums.shape() {
        return None;
    }
    let (name, of) = (cell.name_of(table, "the table"), record.operation.name);
    let shapes = [table, sums].map(|it| tuple_repr(it.shape()));
    let observed = format!(
        "{name} has shape {}, and its {of} along dimension {axis} has shape {}: number i of it belongs to place i of dimension {}, \
         and meets place i of dimension {}.",
        shapes[0],
        shapes[1],
        axis - 1,
        axis
    );
    let fix = format!("keepdim=True: {name}.{of}(dim={axis}, keepdim=True)");
    Some(Observation::new(step.site(), observed, fix))
}

/// What a reduction made, from which a tensor was computed element by element.
fn reduction(tensor: &Tensor) -> Option<Tensor> {
    let mut at = tensor.clone();
    for _ in 0..4 {
        let record = origin(&at)?;
        if record.operation.shapes == ShapeRule::Reduced {
            return Some(at);
        }
        let mut before = operands(&record);
        if record.operation.family != OpFamily::Pointwise || before.len() != 1 {
            return None;
        }
        at = before.pop()?;
    }
    None
}
