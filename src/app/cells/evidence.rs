//! Which build's random numbers reproduce what a file has recorded. Builds of PyTorch differ in what dropout and a few other
//! operations draw; a notebook does not say which build it ran on, but its outputs do.

use std::cmp::Ordering;

use super::super::commands::options::GlobalOptions;
use super::plan::PlannedCell;
use super::workspace::Workspace;
use crate::kernel::random::Family;
use crate::lesson::compare::{TOLERANCE, Verdict, compare_output};
use crate::lesson::notebook::RecordedOutput;
use crate::ops::trace::Trace;
use crate::session::{CallReport, Channel, Outcome, Session};

/// How many such numbers a trial draws before it has shown which family fits.
const MOST_DRAWS: u64 = 30_000_000;

/// After how many cells that neither family reproduces the search ends.
const MOST_MISSES: usize = 3;

/// What a cell showed, the operations that ran if it was traced, and the calls that were repeated.
pub(crate) type CellResult = (Outcome, Trace, Vec<CallReport>);

/// The search for the family, while the cells of a file run with the usual one. The cells run a second time only if one
/// has drawn such numbers and does not show what is recorded.
#[derive(Default)]
pub(crate) struct Evidence<'c> {
    /// The same cells with the other family, as far as they have run.
    trial: Option<Workspace<'c>>,
    /// The cells since the first draw and what they showed.
    since: Vec<(String, String)>,
    misses: usize,
    settled: bool,
}

impl<'c> Evidence<'c> {
    /// Compares what the last of these cells showed with what is recorded for it. If the other family reproduces more of it,
    /// `workspace` becomes the one with that family, and the cell's result there is returned. `run` runs the last cell.
    pub(crate) fn judged(
        &mut self,
        workspace: &mut Workspace<'c>,
        cells: &[PlannedCell<'c>],
        result: CellResult,
        run: impl Fn(&mut Workspace<'c>) -> CellResult,
    ) -> CellResult {
        let Some((cell, before)) = cells.split_last().filter(|_| !self.settled) else { return result };
        if workspace.session.state().family_draws.get() == 0 || interrupted(&result) {
            return result;
        }
        let output = output_of(&result.0);
        self.since.push((cell.name.clone(), output.clone()));
        let is_compared = cell.step.is_none() && !cell.varies;
        let Some(recorded) = cell.recorded.as_ref().filter(|_| is_compared).map(|it| it.shown()) else {
            return result;
        };
        if compare_output(Some(&recorded), &output, TOLERANCE).verdict != Verdict::Differs {
            return result;
        }
        if workspace.session.has_written() {
            self.settled = true;
            return with_remark(result, UNTRIED);
        }
        let agreed = agreeing_lines(&recorded, &output);
        let mut trial = self.trial.take().unwrap_or_else(|| other(workspace));
        let mut differing = Vec::new();
        for earlier in &before[trial.ran.len()..] {
            let outcome = trial.run(&earlier.source, &earlier.name);
            let known = self.since.iter().find(|(name, _)| *name == earlier.name);
            if known.is_some_and(|(_, output)| *output != output_of(&outcome)) {
                differing.push(earlier.name.as_str());
            }
        }
        let listener = watch(&mut trial.session, &recorded, agreed);
        let tried = run(&mut trial);
        trial.session.set_listener(listener);
        if interrupted(&tried) {
            return result;
        }
        let tried_output = output_of(&tried.0);
        let is_cut = was_stopped(&trial.session);
        match agreeing_lines(&recorded, &tried_output).cmp(&agreed) {
            Ordering::Greater if !is_cut => {
                self.settled = true;
                trial.session.state().family_limit.set(u64::MAX);
                *workspace = trial;
                let before = match differing.as_slice() {
                    [] => String::new(),
                    names => format!("; the output above of {} was drawn otherwise", names.join(", ")),
                };
                return with_remark(tried, &format!("{FITS}{before}"));
            }
            Ordering::Equal if !is_cut => {
                self.misses += usize::from(tried_output != output);
                self.settled = self.misses == MOST_MISSES;
                self.trial = Some(trial).filter(|_| !self.settled);
            }
            _ => self.settled = true,
        }
        result
    }
}

const FITS: &str = "random numbers are drawn as in builds with Intel's library (--random mkl), since that is what the \
                    recorded output shows";

const UNTRIED: &str = "dropout and the like draw as in the book. Whether they fit the recorded outputs as in builds with \
                       Intel's library was not tried, since cells have written files: --random mkl draws so";

/// An empty workspace with the other family of random numbers.
fn other<'c>(workspace: &Workspace<'c>) -> Workspace<'c> {
    let options = GlobalOptions { random: Some(Family::Mkl), ..workspace.options().clone() };
    let other = Workspace::new(&options);
    other.session.state().family_limit.set(MOST_DRAWS);
    other
}

fn interrupted((outcome, ..): &CellResult) -> bool {
    outcome.error.as_ref().is_some_and(|raised| raised.interrupted)
}

fn was_stopped(session: &Session) -> bool {
    session.state().family_draws.get() > session.state().family_limit.get()
}

fn with_remark(mut result: CellResult, remark: &str) -> CellResult {
    result.0.stderr.push_str(&format!("{remark}\n"));
    result
}

/// Everything that a cell showed, in the form of recorded outputs.
pub(crate) fn output_of(outcome: &Outcome) -> String {
    RecordedOutput::from(outcome).shown()
}

/// While the next cell of a trial runs: once it has printed more of the recorded lines than `agreed`, it may draw as much as
/// it likes; once it prints another line, it draws nothing more. Returns the listener before.
fn watch(session: &mut Session, recorded: &str, agreed: usize) -> Option<crate::session::Listener> {
    let state = session.state().clone();
    let recorded: Vec<String> = recorded.lines().map(str::to_owned).collect();
    let (mut line, mut agreeing, mut decided) = (String::new(), 0, false);
    session.set_listener(Some(Box::new(move |channel, text: &str| {
        for piece in text.split_inclusive('\n').filter(|_| channel == Channel::Stdout) {
            line.push_str(piece);
            if decided || !line.ends_with('\n') {
                continue;
            }
            let same = recorded.get(agreeing).is_some_and(|one| one.trim_end() == line.trim_end());
            agreeing += usize::from(same);
            decided = !same || agreeing > agreed;
            if decided {
                state.family_limit.set(if same { u64::MAX } else { state.family_draws.get() });
            }
            line.clear();
        }
    })))
}

/// How many lines are the same from the beginning.
fn agreeing_lines(recorded: &str, output: &str) -> usize {
    let pairs = recorded.lines().zip(output.lines());
    pairs.take_while(|(one, other)| one.trim_end() == other.trim_end()).count()
}
