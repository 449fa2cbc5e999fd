//! The learner's code of an operation: the expression that ran, and the names that its value is bound to.

use ruff_python_ast::{Expr, Stmt, StmtAugAssign};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::explain::cell_source::EnclosingNodes;
use crate::explain::code::CellSources;
use crate::explain::written_call::{WrittenCall, called, operator, same};
use crate::ops::trace::{Called, Traced, TracedTensor};
use crate::tensor::descriptor::OpNotation;
use crate::tensor::explanation::{Explanation, Movement};

/// The code of an operation, on one line.
#[derive(Default)]
pub(super) struct OperationCode {
    pub(super) text: String,
    /// The same with `…` for the parts that rows above show.
    pub(super) short: Option<String>,
}

/// The parts of the current statement that rows above show.
#[derive(Default)]
pub(super) struct ShownParts {
    statement: Option<(u64, TextRange)>,
    parts: Vec<TextRange>,
}

impl CellSources {
    /// The code of `call`; `ran` is the operation that it ran itself, not through a function.
    pub(super) fn code(
        &self,
        call: &Called,
        activation: u64,
        ran: Option<&Traced>,
        in_place: bool,
        shown: &mut ShownParts,
    ) -> OperationCode {
        let Some(source) = self.cells.get(call.cell) else { return OperationCode::default() };
        let Some(range) = source.range(call.span) else { return OperationCode::default() };
        let Some(around) = source.around(range) else {
            return OperationCode { text: source.on_one_line(range, &[]), short: None };
        };
        let statement = around.statements.last().copied();
        let place = statement.map(|statement| (activation, statement.range()));
        if place != shown.statement {
            *shown = ShownParts { statement: place, parts: Vec::new() };
        }
        let (node, whole) = ranges(range, ran, in_place, &around);
        let is_inside = |part: &&TextRange| node.contains_range(**part) && **part != node;
        let parts: Vec<TextRange> = shown.parts.iter().filter(is_inside).copied().collect();
        // An operation that runs again starts a new pass of a loop: nothing of that pass is shown yet.
        match shown.parts.contains(&node) {
            true => shown.parts = vec![node],
            false => shown.parts.push(node),
        }
        let text = source.on_one_line(whole, &[]);
        let short = (!parts.is_empty()).then(|| source.on_one_line(whole, &parts));
        OperationCode { text, short }
    }
}

/// The range of the expression that ran, and the range that is shown for it.
fn ranges(
    range: TextRange,
    ran: Option<&Traced>,
    in_place: bool,
    around: &EnclosingNodes,
) -> (TextRange, TextRange) {
    let attribute = ran.and_then(|ran| around.attribute(ran.operation.name));
    let node = attribute.map_or(range, Ranged::range);
    let is_subscript = ran.is_some_and(|ran| ran.operation.notation == OpNotation::Subscript);
    let (is_write, is_read) = (is_subscript && in_place, is_subscript && !in_place);
    let is_iteration = ran.is_some_and(takes_slices);
    let up_to = |start: TextSize| TextRange::new(start, node.end().max(start));
    let whole = match around.statements.last().copied() {
        // The span of a write into an element covers the value only.
        Some(Stmt::Assign(assign)) if is_write && assign.targets.iter().any(Expr::is_subscript_expr) => {
            assign.range
        }
        Some(Stmt::Assign(assign)) if assign.value.range() == node && assign.targets.iter().all(is_name) => {
            up_to(assign.range.start())
        }
        Some(Stmt::AnnAssign(assign)) if assign.value.as_ref().is_some_and(|value| value.range() == node) => {
            up_to(assign.range.start())
        }
        Some(Stmt::AugAssign(assign)) if in_place => assign.range,
        // `total += w * x` adds to a number first: that makes a new tensor.
        Some(Stmt::AugAssign(assign)) if assign.value.range() == node && adds_to_target(assign, ran) => {
            return (assign.range, assign.range);
        }
        // `x[i] *= 2` reads `x[i]` first, with a span that covers its last index only.
        Some(Stmt::AugAssign(assign)) if is_read && assign.target.range().contains_range(node) => {
            return (assign.target.range(), assign.target.range());
        }
        Some(Stmt::Return(returned))
            if returned.value.as_ref().is_some_and(|value| value.range() == node) =>
        {
            up_to(returned.range.start())
        }
        Some(Stmt::For(looped)) if is_iteration && looped.iter.range().contains_range(node) => {
            TextRange::new(looped.range.start(), looped.iter.end())
        }
        _ => node,
    };
    // An in-place statement is not part of another row's code.
    if in_place && whole != node { (whole, whole) } else { (node, whole) }
}

/// Whether an operation is the one of an augmented assignment, and not one in its value.
fn adds_to_target(assign: &StmtAugAssign, ran: Option<&Traced>) -> bool {
    let Some(ran) = ran else { return false };
    let in_value = matches!(called(&assign.value), WrittenCall::Op(written) if same(ran.operation, written));
    operator(assign.op).is_some_and(|written| same(ran.operation, written)) && !in_value
}

/// Whether an operation takes a tensor apart into slices of one dimension less, as a loop over it does.
fn takes_slices(ran: &Traced) -> bool {
    let ndim = |tensors: &[TracedTensor]| tensors.first().map(|tensor| tensor.shape().len());
    ran.operation.explanation == Explanation::Moved(Movement::Part)
        && ndim(&ran.results) < ndim(&ran.operands)
}

/// Whether a target only binds names. A write into an element is an operation of its own.
fn is_name(target: &Expr) -> bool {
    match target {
        Expr::Tuple(tuple) => tuple.elts.iter().all(is_name),
        Expr::Name(_) | Expr::Attribute(_) | Expr::Starred(_) => true,
        _ => false,
    }
}
