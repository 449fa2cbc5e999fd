//! Rows of two tables that the same numbers look up, and that are added.

use std::rc::Rc;

use super::flow::{operands, origin};
use super::mistake::{Observation, TracedCell};
use crate::ops::trace::Traced;
use crate::tensor::Record;
use crate::tensor::explanation::{Explanation, Formula, Movement};

/// Rows of two tables that are looked up by the same numbers and added: one table does the same.
pub(super) fn detect(step: &Traced, cell: &TracedCell) -> Option<Observation> {
    if step.operation.explanation != Explanation::Pointwise(Formula::Add) {
        return None;
    }
    let is_table = |it: &Rc<Record>| it.operation.explanation == Explanation::Moved(Movement::Embedded);
    let table = |at: usize| {
        let all = operands(&*origin(step.tensor(at)?).filter(is_table)?);
        let find = |is_float: bool| all.iter().find(|it| it.dtype().is_float() == is_float).cloned();
        Some((find(true)?, find(false)?))
    };
    let ((first, numbers), (second, others)) = (table(0)?, table(1)?);
    let same = numbers.is(&others) && !first.storage().same(second.storage());
    let is_learned = first.requires_grad() && second.requires_grad();
    (same && is_learned).then(|| {
        let name = cell.name_of(&numbers, "the same numbers");
        let observed = format!("Rows of two tables are added, and both are looked up by {name}: one table of their sums does the same.");
        Observation::new(step.site(), observed, "give each table its own numbers: positions come from torch.arange(tokens)")
    })
}
