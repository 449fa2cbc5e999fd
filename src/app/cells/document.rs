//! The JSON documents of cells that ran. The order of the fields is the order in the output.

use serde::Serialize;
use serde_json::{Value, json};

use super::super::json::Values;
use super::plan::PlannedCell;
use super::trace::TracedOperation;
use crate::explain::errors::ErrorExplanation;
use crate::lesson::compare::Verdict;
use crate::session::{Outcome, Variable};
use crate::shims::PlottedFigure;

/// The document of `attn run --json`.
#[derive(Serialize)]
pub(crate) struct RunDocument {
    /// `attn.run/2`.
    pub(crate) schema: &'static str,
    /// The target as it was typed.
    pub(crate) target: String,
    /// Whether no cell failed.
    pub(crate) ok: bool,
    /// The cells that ran, with those that prepared for them.
    pub(crate) cells: Vec<CellDocument>,
}

#[derive(Serialize)]
pub(crate) struct CellDocument {
    index: usize,
    step: Option<String>,
    slug: Option<String>,
    source: String,
    stdout: String,
    result: Option<String>,
    error: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explanation: Option<ErrorExplanation>,
    ms: f64,
    tensors: Vec<TensorDocument>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    figures: Vec<PlottedFigure>,
    /// What `--trace` adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trace: Option<Vec<TracedOperation>>,
    /// What `attn check` adds.
    #[serde(flatten)]
    pub(crate) check: Option<CheckDocument>,
}

/// The result of comparing a cell's output with the recorded one.
#[derive(Serialize)]
pub(crate) struct CheckDocument {
    pub(crate) recorded: Option<String>,
    pub(crate) verdict: Verdict,
}

#[derive(Serialize)]
struct TensorDocument {
    name: String,
    dtype: &'static str,
    shape: Vec<usize>,
    values: Option<Values>,
}

impl CellDocument {
    /// The document of the cell at `index` of its run.
    pub(crate) fn new(index: usize, cell: &PlannedCell, outcome: &Outcome) -> CellDocument {
        let step = cell.step.map(|(step, _)| step);
        let error = outcome.error.as_ref();
        let error = error.map(|it| json!({"type": it.kind, "message": it.message, "line": it.line}));
        CellDocument {
            index,
            step: step.map(|step| step.name()),
            slug: step.map(|step| step.slug.clone()),
            source: cell.source.clone(),
            stdout: outcome.stdout.clone(),
            result: outcome.result.clone(),
            error,
            explanation: None,
            ms: (outcome.elapsed.as_secs_f64() * 1e6).round() / 1e3,
            tensors: outcome.changed.iter().map(tensor).collect(),
            figures: outcome.figures.clone(),
            trace: None,
            check: None,
        }
    }
}

/// A tensor under its name, with its values if they are few.
fn tensor(variable: &Variable) -> TensorDocument {
    let tensor = &variable.value;
    TensorDocument {
        name: variable.name.clone(),
        dtype: tensor.dtype().name(),
        shape: tensor.shape().to_vec(),
        values: Values::of_tensor(tensor),
    }
}
