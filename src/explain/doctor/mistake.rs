//! What a silent mistake is, and what the doctor reports when it finds one.

use std::collections::HashMap;

use serde::Serialize;

use super::attention::Attention;
use super::repeated::RepeatedCall;
use crate::explain::tensor_names::TensorNames;
use crate::ops::trace::{Called, Trace, Traced};
use crate::session::CallReport;
use crate::tensor::explanation::{Explanation, Formula};
use crate::tensor::{Arg, Site, Tensor};

/// A silent mistake that the doctor can find.
pub struct Mistake {
    /// A stable code: `A201`.
    pub code: &'static str,
    /// A stable name: `softmax-over-queries`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    pub why: &'static str,
    /// The names of mistakes of which this one is a consequence: where one of them was found, it is not reported.
    pub implied_by: &'static [&'static str],
    pub(super) detectors: &'static [Detector],
}

/// The code and the name of a mistake.
type Id = (&'static str, &'static str);

impl Mistake {
    pub(super) const fn new(
        id: Id,
        title: &'static str,
        why: &'static str,
        detectors: &'static [Detector],
    ) -> Mistake {
        Mistake::implied(id, title, why, &[], detectors)
    }

    /// One that is watched while the program runs: [`super::training`].
    pub(super) const fn watched(id: Id, title: &'static str, why: &'static str) -> Mistake {
        Mistake::implied(id, title, why, &[], &[])
    }

    /// One that is a consequence of others.
    pub(super) const fn implied(
        (code, name): Id,
        title: &'static str,
        why: &'static str,
        implied_by: &'static [&'static str],
        detectors: &'static [Detector],
    ) -> Mistake {
        Mistake { code, name, title, why, implied_by, detectors }
    }
}

/// A function that finds a mistake, by what it examines.
pub(super) enum Detector {
    /// One attention: a softmax, the operations before it and the operations after it.
    Attention(fn(&Attention, &TracedCell) -> Option<Observation>),
    /// The same; and weights that come from `exp` or a sigmoid.
    Weights(fn(&Attention, &TracedCell) -> Option<Observation>),
    /// One operation.
    Step(fn(&Traced, &TracedCell) -> Option<Observation>),
    /// All operations of a cell.
    Cell(fn(&TracedCell) -> Vec<Observation>),
    /// The same, where one mistake in a cell is enough.
    Once(fn(&TracedCell) -> Option<Observation>),
    /// A call that was repeated on changed inputs.
    Call(fn(&RepeatedCall, &TracedCell) -> Option<Observation>),
    /// What the repetitions of a call show by themselves: `_probe.py` says it.
    Reported,
}

/// What a detector found: the line, what was observed, and a fix.
pub(super) struct Observation {
    pub(crate) site: Option<Site>,
    pub(crate) observed: String,
    pub(crate) fix: String,
    /// What it is, where that differs from the mistake's own title.
    pub(crate) title: Option<String>,
    /// Why it matters, where that differs from the mistake's own reason.
    pub(crate) why: Option<String>,
}

impl Observation {
    pub(super) fn new(
        site: Option<Site>,
        observed: impl Into<String>,
        fix: impl Into<String>,
    ) -> Observation {
        Observation { site, observed: observed.into(), fix: fix.into(), title: None, why: None }
    }

    /// Says what it is in other words than the mistake.
    pub(super) fn titled(self, title: &str) -> Observation {
        Observation { title: Some(title.to_owned()), ..self }
    }

    /// Says why it matters in other words than the mistake.
    pub(super) fn because(self, why: &str) -> Observation {
        Observation { why: Some(why.to_owned()), ..self }
    }
}

/// A mistake that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub code: &'static str,
    pub mistake: &'static str,
    /// What it is, in a few words.
    pub(crate) title: String,
    /// The cell that has the line.
    pub cell: Option<String>,
    /// The line in that cell, from 1.
    pub line: Option<usize>,
    /// The column where the code that ran there begins, from 1.
    pub(crate) column: Option<usize>,
    /// The function that has the line: `CausalAttention.forward`.
    pub(crate) function: Option<String>,
    /// What was observed, with its numbers.
    pub observed: String,
    pub(crate) why: String,
    pub fix: String,
}

/// The operations of one cell, the names of its tensors, and the calls that were repeated.
pub(super) struct TracedCell<'r> {
    pub(crate) trace: &'r Trace,
    pub(crate) names: &'r TensorNames,
    pub(crate) calls: &'r [CallReport],
    sources: &'r HashMap<String, String>,
    names_in_calls: HashMap<usize, String>,
}

impl<'r> TracedCell<'r> {
    pub(super) fn new(
        trace: &'r Trace,
        names: &'r TensorNames,
        calls: &'r [CallReport],
        sources: &'r HashMap<String, String>,
    ) -> TracedCell<'r> {
        let mut names_in_calls = HashMap::new();
        for operand in trace.steps.iter().flat_map(|step| &step.operands) {
            if let (Some(tensor), Some(name)) = (&operand.tensor, &operand.name) {
                names_in_calls.entry(tensor.id()).or_insert_with(|| name.clone());
            }
        }
        TracedCell { trace, names, calls, sources, names_in_calls }
    }

    /// What it ran.
    pub(super) fn steps(&self) -> std::slice::Iter<'r, Traced> {
        self.trace.steps.iter()
    }

    /// The learner's name for a tensor, or `otherwise` if it has none.
    pub(super) fn name_of(&self, tensor: &Tensor, otherwise: &str) -> String {
        if let Some(name) = self.names_in_calls.get(&tensor.id()) {
            return name.clone();
        }
        match self.names.knows(tensor) {
            true => self.names.of(tensor).to_string(),
            false => otherwise.to_owned(),
        }
    }

    /// Whether an operation after step `at` reads this tensor or a view of it.
    pub(super) fn is_used_after(&self, tensor: &Tensor, at: usize) -> bool {
        self.steps().skip(at + 1).filter(|step| !step.is_view).any(|step| {
            let operands = step.operands.iter().filter_map(|operand| operand.tensor.as_ref());
            let indices = step.args.iter().flat_map(Arg::indices);
            operands.chain(indices).any(|operand| operand.storage().same(tensor.storage()))
        })
    }

    /// The operations of the same kind that the same line ran, in any call, and where they are in the trace: of a line that runs
    /// often, the trace may have lost what comes after some of them.
    pub(super) fn alike<'b>(&'b self, step: &'b Traced) -> impl Iterator<Item = (usize, &'b Traced)> {
        let site = step.site();
        let steps = self.steps().enumerate();
        steps.filter(move |(_, it)| std::ptr::eq(it.operation, step.operation) && it.site() == site)
    }

    /// Whether the program compares whole numbers with this one, as `tokens != PAD` does.
    pub(super) fn compares_with(&self, number: i64) -> bool {
        self.steps().any(|step| {
            matches!(step.operation.explanation, Explanation::Pointwise(Formula::Compare))
                && step.operand(0).is_some_and(|it| !it.dtype.is_float())
                && step.args.get(1).and_then(Arg::number) == Some(number as f64)
        })
    }

    /// The line of a call in which this text stands, and in which an operation ran.
    pub(super) fn site_of(&self, activation: u64, text: &str) -> Option<Site> {
        let calls = self.steps().flat_map(|step| &step.calls);
        calls.filter(|call| call.activation == activation).find_map(|call| {
            let site = call.site();
            self.line(&site)?.contains(text).then_some(site)
        })
    }

    /// The text of a line.
    pub(super) fn line(&self, site: &Site) -> Option<&str> {
        self.sources.get(site.cell)?.lines().nth(site.line.checked_sub(1)?)
    }

    /// The function that has this line.
    pub(super) fn function(&self, site: &Site) -> Option<String> {
        self.calls_at(site)
            .next()
            .map(|call| call.function)
            .filter(|name| *name != "<module>")
            .map(str::to_owned)
    }

    /// The column where the first expression begins that ran in this line.
    pub(super) fn column(&self, site: &Site) -> Option<usize> {
        self.calls_at(site).map(|call| call.span.start.column).min()
    }

    fn calls_at(&self, site: &Site) -> impl Iterator<Item = &Called> {
        let calls = self.steps().filter_map(Traced::place);
        calls.filter(move |call| call.cell == site.cell && call.span.start.line == site.line)
    }
}

/// ` in line 3`; empty where the line is not known.
pub(super) fn in_line(site: Option<&Site>) -> String {
    site.map(|site| format!(" in line {}", site.line)).unwrap_or_default()
}
