//! Repeats calls of a cell on changed inputs, for the doctor. The session is as it was afterwards.

use serde::Deserialize;

use super::engine::{Outcome, Session};
use super::namespace::Bindings;
use crate::ops::trace::Trace;
use crate::torch::CapturedCall;

/// What was observed when a call was repeated.
#[derive(Clone, Default, Deserialize, PartialEq)]
#[serde(default)]
pub struct CallReport {
    /// The number of the activation in the trace.
    pub(crate) activation: u64,
    /// The names of its parameters.
    pub(crate) arguments: Vec<String>,
    /// How many of its arguments hold tokens.
    pub(crate) inputs: usize,
    /// How many of them were changed together.
    pub(crate) changed: usize,
    /// The axes that the inputs and the output share.
    pub(crate) axes: Vec<AxisReport>,
    /// The matrices of the module that its output does not depend on, whole or in some of their rows.
    pub(crate) untouched: Vec<MatrixReport>,
    /// The tables that a module keeps beside its parameters, and that its output does not depend on.
    pub(crate) kept: Vec<String>,
    /// Layers that did not run where another one of their kind ran twice with the same input: the names of both.
    pub(crate) in_place_of: Vec<[String; 2]>,
    /// Whether its module, or the class of an argument, says that it is causal.
    pub(crate) is_causal: bool,
    /// The token that is padding, and how many texts there are.
    pub(crate) padding_token: Option<(i64, usize)>,
    /// The numbers of the tokens in each input that holds such.
    pub(crate) tokens: Vec<Vec<f64>>,
    /// The mistakes that the repetitions show by themselves.
    pub(crate) found: Vec<CallFinding>,
}

/// A mistake that the repetitions of a call show by themselves.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct CallFinding {
    /// Its name.
    pub(crate) mistake: String,
    pub(crate) observed: String,
    pub(crate) fix: String,
    /// What it is and why it matters, where that is not what the mistake says.
    pub(crate) title: Option<String>,
    pub(crate) why: Option<String>,
    /// A part of the line in which it is; otherwise it is where the attention is.
    pub(crate) line: Option<String>,
    /// It is one only in a call that computes attention itself, in one line.
    #[serde(default)]
    pub(crate) alone: bool,
    /// It is one only if the program knows this token as padding.
    pub(crate) asked: Option<i64>,
}

#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct MatrixReport {
    /// Its name within the module.
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    /// On how many of its rows the output does not depend.
    pub(crate) rows: usize,
    /// Whether its layer ran, and nothing that the call returns depends on the matrix.
    pub(crate) dead: bool,
    /// Whether its gradient is 0 but for rounding.
    pub(crate) cancels: bool,
}

impl MatrixReport {
    /// Whether the output depends on none of its rows.
    pub(crate) fn is_whole(&self) -> bool {
        self.shape.first() == Some(&self.rows)
    }
}

/// An axis of inputs and output, and what changes along it did.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct AxisReport {
    /// The axis, counted from the front.
    pub(crate) axis: usize,
    /// How many positions it has.
    pub(crate) size: usize,
    /// The changes, one position at a time.
    pub(crate) changes: Vec<ChangeReport>,
}

/// What happened when the input at one position was changed.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct ChangeReport {
    pub(crate) at: usize,
    /// How far each position of the output moved; 0 for what is rounding.
    pub(crate) moved: Vec<f64>,
}

impl Session {
    /// Runs one cell as [`Session::traced`] does, then repeats those of its calls that `choose` names by the number of
    /// their activation. Random numbers, records and variables are as the cell left them.
    pub fn examined(
        &mut self,
        source: &str,
        name: &str,
        choose: impl FnOnce(&Trace) -> Vec<u64>,
    ) -> (Outcome, Trace, Vec<CallReport>) {
        self.observer.capture.begin();
        self.state.recorder.end_keeping();
        self.state.tracer.begin_lines();
        let (outcome, trace) = self.run_traced(source, name);
        let chosen = if outcome.error.is_none() { choose(&trace) } else { Vec::new() };
        let observer = self.observer.clone();
        let calls = self.interpreter.enter(|_| {
            let mut calls = observer.capture.take();
            calls.retain(|call| chosen.contains(&call.activation));
            calls
        });
        let others =
            |call: &CapturedCall| calls.iter().filter(|it| it.differs_from(call)).collect::<Vec<_>>();
        let work = trace.work_of_calls();
        let reports = calls.iter().filter_map(|call| {
            let work = work.get(&call.activation).copied().unwrap_or_default();
            self.repeated(call, &others(call), work)
        });
        let reports = reports.collect();
        (outcome, trace, reports)
    }

    /// The report on a call; `None` if it cannot be repeated.
    fn repeated(&mut self, call: &CapturedCall, others: &[&CapturedCall], work: usize) -> Option<CallReport> {
        let activation = call.activation;
        let recording = !self.state.recorder.is_off();
        self.state.recorder.set_off(true);
        let report = self.with_rng_restored(|session| {
            session.guarded(|session, vm| {
                let bindings = Bindings::of(&session.scope.globals);
                let report = call.examine(others, work, vm);
                bindings.restore(&session.scope.globals, vm);
                Ok(report.ok())
            })
        });
        self.state.recorder.set_off(!recording);
        self.output.borrow_mut().take();
        self.state.take_failed();
        let report: CallReport = serde_json::from_str(&report.ok().flatten()?).ok()?;
        Some(CallReport { activation, ..report })
    }
}
