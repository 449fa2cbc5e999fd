//! `--trace`: the operations that a cell ran, for `attn run`, the walkthrough and the REPL.

use serde_json::{Value, json};

use super::super::json::values;
use super::plan::PlannedCell;
use super::runner::{Runner, Tracing};
use super::workspace::Workspace;
use crate::explain::trace::{Sources, algebra, code_of, cost, outline};
use crate::ops::trace::{Trace, Traced, TracedTensor};
use crate::session::Session;
use crate::view::{Look, Text, trace as lines};

/// How much of a trace is shown.
#[derive(Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Detail {
    /// Loops and library calls are shown once.
    #[default]
    Folded,
    /// Every operation.
    All,
}

/// The trace of a cell as text; the session has the code of the cells.
pub(crate) fn text(trace: &Trace, session: &Session, detail: Detail, look: Look) -> Text {
    lines::trace(&outline(trace, &Sources::new(session.sources()), detail == Detail::All), look)
}

/// Runs the first cells of a workspace again in a new one, as many as `count`, and traces the last of them.
/// `None`: no cell ran, or Ctrl-C was pressed.
pub(crate) fn rerun(workspace: &Workspace, count: usize) -> Option<Trace> {
    let mut cells: Vec<PlannedCell> = workspace.ran[..count].iter().map(PlannedCell::again).collect();
    cells.last_mut()?.silent = false;
    let mut copy = workspace.empty();
    let mut runner = Runner::new(&mut copy, &cells).keep_going(true).tracing(Tracing::Shown);
    let last = runner.by_ref().last()?;
    (!runner.is_interrupted()).then_some(last.trace)
}

/// The operations of a trace in order, not folded, as `attn.run/2` has them.
pub(crate) fn operations(trace: &Trace, session: &Session) -> Value {
    let sources = Sources::new(session.sources());
    trace.steps.iter().filter_map(|ran| operation(ran, &sources)).collect()
}

fn operation(ran: &Traced, sources: &Sources) -> Option<Value> {
    let place = ran.place()?;
    let cost = cost(ran);
    let calls = ran.calls.iter().map(|call| call.function).filter(|function| *function != "<module>");
    Some(json!({
        "op": ran.operation.called(ran.in_place),
        "ms": (ran.elapsed.as_secs_f64() * 1e6).round() / 1e3,
        "cell": place.cell,
        "line": place.span.start.line,
        "code": code_of(ran, sources),
        "calls": calls.collect::<Vec<_>>(),
        "operands": ran.operands.iter().map(operand).collect::<Value>(),
        "results": ran.results.iter().map(result).collect::<Value>(),
        "shapes": algebra(ran),
        "view": ran.is_view,
        "in_place": ran.in_place,
        "multiplications": (cost.uncounted == 0).then_some(cost.multiplications),
        "bytes": cost.bytes,
        "error": ran.error,
    }))
}

fn operand(tensor: &TracedTensor) -> Value {
    json!({"name": tensor.name, "dtype": tensor.dtype.name(), "shape": tensor.shape()})
}

fn result(tensor: &TracedTensor) -> Value {
    let values = tensor.values().map(|data| values(tensor.shape(), &data));
    json!({"dtype": tensor.dtype.name(), "shape": tensor.shape(), "values": values})
}
