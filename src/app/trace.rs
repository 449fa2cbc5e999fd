//! `--trace`: what a cell did, operation by operation; for `attn run`, the walkthrough and the REPL alike.
//! Runs a cell with the tracer on; tells nothing itself.

use serde::Serialize;

use super::json::Values;
use super::plan::PlannedCell;
use super::runner::{Runner, Tracing};
use super::workspace::Workspace;
use crate::explain::trace::{Sources, algebra, code_of, cost, told};
use crate::ops::trace::{Seen, Trace, Traced};
use crate::session::Session;
use crate::view::{Look, Text, trace as lines};

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Detail {
    /// Loops and calls of the library stand once.
    #[default]
    Folded,
    /// Every operation.
    All,
}

/// The trace of a cell as text; the session has the code of the cells.
pub fn text(trace: &Trace, session: &Session, detail: Detail, look: Look) -> Text {
    lines::trace(&told(trace, &Sources::new(session.sources()), detail == Detail::All), look)
}

/// Runs the first cells of a workspace again in a new one, as many as `count`, and traces the last of them.
/// `None`: no cell ran, or Ctrl-C was pressed.
pub fn again(workspace: &Workspace, count: usize) -> Option<Trace> {
    let mut cells: Vec<PlannedCell> = workspace.ran[..count].iter().map(PlannedCell::again).collect();
    cells.last_mut()?.silent = false;
    let mut copy = workspace.empty();
    let mut runner = Runner::new(&mut copy, &cells).keep_going(true).tracing(Tracing::Shown);
    let last = runner.by_ref().last()?;
    (!runner.is_interrupted()).then_some(last.trace)
}

/// One operation, for machines.
#[derive(Serialize)]
pub struct Operation {
    op: &'static str,
    ms: f64,
    cell: String,
    line: usize,
    code: String,
    calls: Vec<String>,
    operands: Vec<Given>,
    results: Vec<Made>,
    shapes: String,
    view: bool,
    in_place: bool,
    multiplications: u64,
    bytes: u64,
    error: Option<String>,
}

#[derive(Serialize)]
struct Given {
    name: Option<String>,
    dtype: &'static str,
    shape: Vec<usize>,
}

#[derive(Serialize)]
struct Made {
    dtype: &'static str,
    shape: Vec<usize>,
    values: Option<Values>,
}

/// The operations of a trace in order, unfolded.
pub fn operations(trace: &Trace, session: &Session) -> Vec<Operation> {
    let sources = Sources::new(session.sources());
    trace.steps.iter().filter_map(|ran| operation(ran, &sources)).collect()
}

fn operation(ran: &Traced, sources: &Sources) -> Option<Operation> {
    let place = ran.place()?;
    let spent = cost(ran);
    let called = |call: &crate::ops::trace::Called| call.function.to_owned();
    Some(Operation {
        op: ran.op,
        ms: (ran.elapsed.as_secs_f64() * 1e6).round() / 1e3,
        cell: place.cell.to_owned(),
        line: place.span.start.line,
        code: code_of(ran, sources),
        calls: ran.calls.iter().filter(|call| call.function != "<module>").map(called).collect(),
        operands: ran.operands.iter().map(given).collect(),
        results: ran.results.iter().map(made).collect(),
        shapes: algebra(ran),
        view: ran.is_view,
        in_place: ran.in_place,
        multiplications: spent.products,
        bytes: spent.bytes,
        error: ran.error.clone(),
    })
}

fn given(seen: &Seen) -> Given {
    Given { name: seen.name.clone(), dtype: seen.dtype.name(), shape: seen.shape().to_vec() }
}

fn made(seen: &Seen) -> Made {
    let values = seen.values().and_then(|data| Values::of_few(seen.shape(), data));
    Made { dtype: seen.dtype.name(), shape: seen.shape().to_vec(), values }
}
