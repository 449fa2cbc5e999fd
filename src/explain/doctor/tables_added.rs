//! Rows of two tables that the same numbers look up, and that are added.

use super::flow::origin;
use super::mistake::{Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::explanation::{Explanation, Formula, Movement};
use crate::tensor::{Arg, Tensor};

/// Rows of two tables that are looked up by the same numbers and added: one table does the same.
pub(super) fn detect(cell: &TracedCell) -> Vec<Observation> {
    let table = |tensor: &Tensor| {
        let record =
            origin(tensor).filter(|it| it.operation.explanation == Explanation::Moved(Movement::Embedded))?;
        let args = record.args();
        let find = |is_float: bool| {
            args.iter().filter_map(Arg::tensor).find(|it| it.dtype().is_float() == is_float).cloned()
        };
        Some((find(true)?, find(false)?))
    };
    let added = |step: &Traced| {
        let operand = |at: usize| step.operand(at)?.tensor.as_ref().and_then(table);
        let is_sum = step.operation.explanation == Explanation::Pointwise(Formula::Add);
        let ((first, numbers), (second, others)) = is_sum.then(|| operand(0).zip(operand(1))).flatten()?;
        let same = numbers.is(&others) && !first.storage().same(second.storage());
        let is_learned = first.requires_grad() && second.requires_grad();
        (same && is_learned).then(|| {
            let name = cell.name_of(&numbers, "the same numbers");
            let observed = format!("Rows of two tables are added, and both are looked up by {name}: one table of their sums does the same.");
            Observation::new(step.site(), observed, "give each table its own numbers: positions come from torch.arange(tokens)")
        })
    };
    cell.trace.steps.iter().filter_map(added).collect()
}
