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
    /// How many axes they have, and the output.
    pub(crate) ranks: [usize; 2],
    /// The axes that the inputs and the output share.
    pub(crate) axes: Vec<AxisReport>,
    /// How far the output in eval mode moves from one seed to another.
    pub(crate) unsteady: f64,
    /// The matrices of the module that its output does not depend on, whole or in some of their rows.
    pub(crate) untouched: Vec<MatrixReport>,
    /// A list of layers that all ran, of which the output depends on none but the last.
    pub(crate) only_last: Option<String>,
    /// The parts of the module that keep the shape of its input.
    pub(crate) parts: Vec<PartReport>,
    /// Layers that did not run where another one of their kind ran twice with the same input: the names of both.
    pub(crate) in_place_of: Vec<[String; 2]>,
    /// The names of the tensors among its arguments on which no output depends.
    pub(crate) unmoved: Vec<String>,
    /// The masks of pairs that its module keeps and on which no output depends.
    pub(crate) unread: Vec<String>,
    /// Those of its arguments that are true and false for pairs of tokens or for tokens, or a bias of the scores.
    pub(crate) masks: Vec<String>,
    /// Whether its module, or the class of an argument, says that it is causal.
    pub(crate) is_causal: bool,
    /// The axes along which the output varies when all tokens are equal.
    pub(crate) varies: Vec<usize>,
    /// How far outputs move, beyond changing places, when the samples of a batch are reversed.
    pub(crate) by_place: f64,
    /// What moves when hidden tokens are changed, for each mask of padding among its arguments.
    pub(crate) padding: Vec<PaddingReport>,
    /// The token that is padding, and how many texts there are.
    pub(crate) padding_token: Option<(i64, usize)>,
    /// What moves when a text comes without its padding.
    pub(crate) unpadded: Option<UnpaddedReport>,
    /// How the outputs with a cache differ from those without.
    pub(crate) cached: Option<CacheReport>,
    /// The numbers of the tokens in each input that holds such.
    pub(crate) tokens: Vec<Vec<f64>>,
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
}

/// A part of a module.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct PartReport {
    pub(crate) name: String,
    /// Whether the output depends on the input also where what the part returns is 0.
    pub(crate) passed: bool,
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

impl AxisReport {
    /// The same with the positions counted from the end.
    pub(crate) fn mirrored(&self) -> AxisReport {
        let mirrored = |change: &ChangeReport| ChangeReport {
            at: self.size - 1 - change.at,
            moved: change.moved.iter().rev().copied().collect(),
        };
        AxisReport { axis: self.axis, size: self.size, changes: self.changes.iter().map(mirrored).collect() }
    }
}

/// What happened when the input at one position was changed.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct ChangeReport {
    pub(crate) at: usize,
    /// How far each position of the output moved; 0 for what is rounding.
    pub(crate) moved: Vec<f64>,
}

/// The outputs of a call in two parts, the second with the cache of the first, compared with those in one.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct CacheReport {
    /// How many tokens the first part had.
    pub(crate) first: usize,
    /// How many tokens there were.
    pub(crate) tokens: usize,
    /// How far the output of each token moved; 0 for what is rounding.
    pub(crate) moved: Vec<f64>,
    /// The position that the learner's code passed with a cache, and the cache's length, if they differ.
    pub(crate) offset: Option<(usize, usize)>,
}

/// What happened when the tokens were changed for which a mask is true, and those for which it is false.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct PaddingReport {
    pub(crate) mask: String,
    pub(crate) sample: usize,
    /// For how many of its tokens the mask is false.
    pub(crate) hidden: usize,
    /// How far the outputs of the other tokens moved, for true and for false.
    pub(crate) moved: [f64; 2],
}

/// The outputs of a text without its padding, compared with those in a batch.
#[derive(Clone, Deserialize, PartialEq)]
pub(crate) struct UnpaddedReport {
    pub(crate) sample: usize,
    /// How many tokens the text has, and how many with its padding.
    pub(crate) tokens: usize,
    pub(crate) padded: usize,
    /// The token that is padding.
    pub(crate) token: i64,
    /// Whether an embedding or a mask says so; otherwise it only stands at the ends of texts.
    pub(crate) known: bool,
    /// How far an output moved at most; 0 for what is rounding.
    pub(crate) moved: f64,
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
