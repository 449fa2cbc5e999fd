//! Sums of a table, or its largest elements, that meet it along another axis than they were taken for: without `keepdim` a
//! dropped axis is only right where it was the first one, and a square table raises no error.

use super::flow::origin;
use super::mistake::{Detector, Mistake, Observation, TracedCell};
use crate::ops::table;
use crate::ops::trace::Traced;
use crate::tensor::descriptor::{OpFamily, ShapeRule};
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::show::tuple_repr;
use crate::tensor::{Arg, Record, Tensor};

pub(super) static MISTAKE: Mistake = Mistake {
    code: "A209",
    name: "sums-misaligned",
    title: "sums meet the table along the wrong axis",
    why: "Shapes are aligned from the right. A sum of each row, without keepdim, has one number for each row, and meets the \
          columns: row i is divided by the sums of all rows. Only a table that is not square raises an error.",
    implied_by: &[],
    detector: Detector::Cell(detect),
};

fn detect(cell: &TracedCell) -> Vec<Observation> {
    cell.trace.steps.iter().filter_map(|step| misaligned(step, cell)).collect()
}

fn misaligned(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if !matches!(step.operation.explanation, Explanation::Pointwise(Formula::Div | Formula::Sub)) {
        return None;
    }
    let (table, sums) = (step.operand(0)?.tensor.as_ref()?, step.operand(1)?.tensor.as_ref()?);
    if table.ndim() < 2 || sums.ndim() + 1 != table.ndim() {
        return None;
    }
    let reduced = reduction(sums)?;
    let record = origin(&reduced)?;
    let summed = record.args().first().and_then(Arg::tensor).cloned()?;
    let axis = dropped(&record, summed.ndim())?;
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
        let mut operands = record.args().iter().flat_map(Arg::tensors).cloned().collect::<Vec<_>>();
        if record.operation.family != OpFamily::Pointwise || operands.len() != 1 {
            return None;
        }
        at = operands.pop()?;
    }
    None
}

/// The axis that a reduction dropped, if it is one.
fn dropped(record: &Record, ndim: usize) -> Option<usize> {
    let arg = |name: &str| record.args().get(table::place_of(record, name)?).cloned();
    let dim = match arg("dim").or_else(|| arg("axis"))? {
        Arg::Int(dim) => dim,
        Arg::Ints(dims) if dims.len() == 1 => dims[0],
        _ => return None,
    };
    usize::try_from(if dim < 0 { dim + ndim as i64 } else { dim }).ok()
}
