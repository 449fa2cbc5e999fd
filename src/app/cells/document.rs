//! The JSON documents of cells that ran. The order of the fields is the order in the output.

use serde_json::{Value, json};

use super::super::json::values_of;
use super::plan::PlannedCell;
use crate::explain::errors::ErrorExplanation;
use crate::session::{Outcome, Variable};

/// The document of `attn run --json`: the target as it was typed, whether no cell failed, and the cells that ran, with those
/// that prepared for them.
pub(crate) fn of_run(target: &str, ok: bool, cells: &[Value]) -> Value {
    json!({"schema": "attn.run/2", "target": target, "ok": ok, "cells": cells})
}

/// The document of the cell at `index` of its run, with the explanation of its error, if there is one.
pub(crate) fn of_cell(
    index: usize,
    cell: &PlannedCell,
    outcome: &Outcome,
    explanation: Option<ErrorExplanation>,
) -> Value {
    let step = cell.step.map(|(step, _)| step);
    let error = outcome.error.as_ref();
    let mut document = json!({
        "index": index,
        "step": step.map(|step| step.name()),
        "slug": step.map(|step| &step.slug),
        "source": cell.source,
        "stdout": outcome.stdout,
        "result": outcome.result,
        "error": error.map(|it| json!({"type": it.kind, "message": it.message, "line": it.line})),
    });
    if let Some(explanation) = explanation {
        document["explanation"] = json!(explanation);
    }
    document["ms"] = json!((outcome.elapsed.as_secs_f64() * 1e6).round() / 1e3);
    document["tensors"] = outcome.changed.iter().map(tensor).collect();
    if !outcome.figures.is_empty() {
        document["figures"] = json!(outcome.figures);
    }
    document
}

/// A tensor under its name, with its values if they are few.
fn tensor(Variable { name, value }: &Variable) -> Value {
    json!({"name": name, "dtype": value.dtype().name(), "shape": value.shape(), "values": values_of(value)})
}
