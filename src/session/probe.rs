//! Repeats calls of a cell on changed inputs, for the doctor. The session is as it was afterwards.

use serde::Deserialize;

use super::engine::{Outcome, Session};
use super::namespace::Bindings;
use crate::ops::trace::Trace;
use crate::torch::CapturedCall;

/// What was observed when a call was repeated.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(default)]
pub struct CallReport {
    /// The number of the activation in the trace.
    pub(crate) activation: u64,
    /// The names of its parameters.
    pub(crate) arguments: Vec<String>,
    /// How many of its arguments hold tokens.
    pub(crate) inputs: usize,
    /// The axes that the inputs and the output share.
    pub(crate) axes: Vec<AxisReport>,
    /// How far the output in eval mode moves from one seed to another.
    pub(crate) unsteady: f64,
    /// The matrices of the module that its output does not depend on.
    pub(crate) untouched: Vec<String>,
    /// The numbers of the tokens in each input that holds such.
    pub(crate) tokens: Vec<Vec<f64>>,
}

/// An axis of inputs and output, and what changes along it did.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct AxisReport {
    /// The axis, counted from the front.
    pub(crate) axis: usize,
    /// How many positions it has.
    pub(crate) size: usize,
    /// The changes, one position at a time.
    pub(crate) changes: Vec<ChangeReport>,
}

/// What happened when the input at one position was changed.
#[derive(Clone, Debug, Deserialize, PartialEq)]
pub(crate) struct ChangeReport {
    /// The position.
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
        let (outcome, trace) = self.traced(source, name);
        let chosen = if outcome.error.is_none() { choose(&trace) } else { Vec::new() };
        let observer = self.observer.clone();
        let calls = self.interpreter.enter(|_| {
            let mut calls = observer.capture.take();
            calls.retain(|call| chosen.contains(&call.activation));
            calls
        });
        let reports = calls.into_iter().filter_map(|call| self.repeated(call)).collect();
        (outcome, trace, reports)
    }

    /// The report on a call; `None` if it cannot be repeated.
    fn repeated(&mut self, call: CapturedCall) -> Option<CallReport> {
        let activation = call.activation;
        let recording = !self.state.recorder.is_off();
        self.state.recorder.set_off(true);
        let report = self.with_rng_restored(|session| {
            session.guarded(|session, vm| {
                let bindings = Bindings::of(&session.scope.globals);
                let report = call.examine(vm);
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
