//! Runs cells one after another: the one place that decides which errors are expected, when a run ends, and what
//! Ctrl-C means between two cells.

use std::cell::OnceCell;

use super::super::terminal::progress_bar;
use super::super::terminal::shell::{Exit, Failure};
use super::evidence::{CellResult, Evidence};
use super::machine;
use super::plan::PlannedCell;
use super::step::{nonfinite, plots, step_panel};
use super::workspace::{RanCell, Workspace};
use crate::lesson::LessonStep;
use crate::ops::trace::Trace;
use crate::session::{CallReport, Outcome, Raised, Session};
use crate::view::Panel;

/// The cells whose operations are traced.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Tracing {
    #[default]
    Off,
    /// The cells that are shown, not the cells that only prepare for them.
    Shown,
    All,
    /// The cells that are shown; their calls that compute attention are repeated on changed inputs.
    Examined,
}

pub(crate) struct FinishedCell<'p, 'c> {
    /// Its position in the plan.
    pub(crate) index: usize,
    pub(crate) cell: &'p PlannedCell<'c>,
    /// What it printed, returned, bound and raised.
    pub(crate) outcome: Outcome,
    /// The operations that it ran; empty if the cell is not traced.
    pub(crate) trace: Trace,
    pub(crate) calls: Vec<CallReport>,
    panel: OnceCell<Panel>,
}

impl FinishedCell<'_, '_> {
    /// What is shown of a step, made once; `None` for the cell of a file. `session` is the one in which it has just run.
    pub(crate) fn panel(&self, session: &mut Session) -> Option<&Panel> {
        let (step, lesson) = self.cell.step?;
        Some(self.panel.get_or_init(|| step_panel(step, lesson, &self.outcome, session)))
    }

    /// The panel of a file's cell. The last value of a script is not shown.
    pub(crate) fn of_file(&self, script: bool, workspace: &Workspace) -> Panel {
        let FinishedCell { cell, outcome, .. } = self;
        let remarks = outcome.stderr.lines().map(str::to_owned);
        Panel {
            code: cell.source.clone(),
            stdout: outcome.stdout.clone(),
            result: outcome.result.clone().filter(|_| !script),
            error: outcome.error.as_ref().map(|raised| workspace.error_note(raised, &cell.source)),
            pictures: plots(outcome).collect(),
            remarks: remarks.chain(nonfinite(outcome, &workspace.session)).collect(),
            ..Panel::default()
        }
    }

    /// The error that fails the run, if there is one.
    pub(crate) fn failure(&self) -> Option<&Raised> {
        unexpected(self.cell.raises, &self.outcome)
    }
}

/// The error of a cell that fails a run. An error that the cell announces does not; an interrupt always does.
pub(crate) fn unexpected(announced: bool, outcome: &Outcome) -> Option<&Raised> {
    outcome.error.as_ref().filter(|raised| raised.interrupted || !announced)
}

/// Runs the cells of a plan in a workspace. Iterating runs one cell after another and ends after the last cell,
/// after a failure, and when Ctrl-C is pressed.
pub(crate) struct Runner<'w, 'p, 'c> {
    /// Where the cells run.
    pub(crate) workspace: &'w mut Workspace<'c>,
    cells: &'p [PlannedCell<'c>],
    next: usize,
    tracing: Tracing,
    keep_going: bool,
    /// Finds the family of random numbers that the recorded outputs show; `None` if it is given.
    evidence: Option<Evidence<'c>>,
    /// How often Ctrl-C had been pressed when the run began.
    presses: usize,
    exit: Exit,
    ended: bool,
}

impl<'w, 'p, 'c> Runner<'w, 'p, 'c> {
    /// Runs nothing yet.
    pub(crate) fn new(workspace: &'w mut Workspace<'c>, cells: &'p [PlannedCell<'c>]) -> Runner<'w, 'p, 'c> {
        let presses = machine::presses();
        Runner {
            workspace,
            cells,
            next: 0,
            tracing: Tracing::Off,
            keep_going: false,
            evidence: None,
            presses,
            exit: Exit::Good,
            ended: false,
        }
    }

    /// Traces the operations of these cells.
    pub(crate) fn tracing(self, tracing: Tracing) -> Self {
        Runner { tracing, ..self }
    }

    /// Goes on after a failure. Ctrl-C ends the run all the same.
    pub(crate) fn keep_going(self, keep_going: bool) -> Self {
        Runner { keep_going, ..self }
    }

    /// Where no family of random numbers is asked for, draws the family that the recorded outputs of the cells show.
    pub(crate) fn by_evidence(self) -> Self {
        let is_open = self.workspace.options().random.is_none();
        Runner { evidence: is_open.then(Evidence::default), ..self }
    }

    /// The cell that runs next; `None` when the run has ended.
    pub(crate) fn upcoming(&self) -> Option<&'p PlannedCell<'c>> {
        self.cells.get(self.next).filter(|_| !self.ended && !self.is_interrupted())
    }

    /// How many cells have run.
    pub(crate) fn done(&self) -> usize {
        self.next
    }

    /// Whether Ctrl-C was pressed since the run began: in a cell, or between two cells, where there is no cell to stop.
    pub(crate) fn is_interrupted(&self) -> bool {
        self.exit == Exit::Interrupted || machine::presses() != self.presses
    }

    /// How the run has ended so far.
    pub(crate) fn exit(&self) -> Exit {
        if self.is_interrupted() { Exit::Interrupted } else { self.exit }
    }
}

impl<'p, 'c> Iterator for Runner<'_, 'p, 'c> {
    type Item = FinishedCell<'p, 'c>;

    fn next(&mut self) -> Option<FinishedCell<'p, 'c>> {
        let cell = self.upcoming()?;
        if let Some((step, lesson)) = cell.step {
            self.workspace.enter(step, lesson);
        }
        let run = |workspace: &mut Workspace<'c>| match cell.silent {
            true => progress_bar::quietly(|| ran(cell, self.tracing, workspace)),
            false => ran(cell, self.tracing, workspace),
        };
        let mut result = run(self.workspace);
        if let Some(evidence) = &mut self.evidence {
            result = evidence.judged(self.workspace, &self.cells[..=self.next], result, run);
        }
        let (outcome, trace, calls) = result;
        let panel = OnceCell::new();
        let finished = FinishedCell { index: self.next, cell, outcome, trace, calls, panel };
        self.next += 1;
        if let Some(raised) = finished.failure() {
            let exit = if raised.interrupted { Exit::Interrupted } else { Exit::Raised };
            self.exit = self.exit.max(exit);
            self.ended = raised.interrupted || !self.keep_going;
        }
        Some(finished)
    }
}

/// Runs a cell, traced if that is asked for.
fn ran(cell: &PlannedCell, tracing: Tracing, workspace: &mut Workspace) -> CellResult {
    let traced = match tracing {
        Tracing::Off => false,
        Tracing::Shown | Tracing::Examined => !cell.silent,
        Tracing::All => true,
    };
    let (source, name) = (&cell.source, &cell.name);
    match (traced, tracing) {
        (true, Tracing::Examined) => workspace.examined(source, name),
        (true, _) => {
            let (outcome, trace) = workspace.traced(source, name);
            (outcome, trace, Vec::new())
        }
        (false, _) => (workspace.run(source, name), Trace::default(), Vec::new()),
    }
}

/// Runs the cells of these steps, of which nothing is shown. Errors: Ctrl-C was pressed.
pub(crate) fn prepare<'c>(workspace: &mut Workspace<'c>, steps: &[LessonStep<'c>]) -> Result<(), Failure> {
    let cells: Vec<PlannedCell> = steps.iter().map(|step| PlannedCell::of_step(*step, true)).collect();
    let mut runner = Runner::new(workspace, &cells).keep_going(true);
    runner.by_ref().last();
    if runner.is_interrupted() { Err(Failure::Stopped) } else { Ok(()) }
}

/// Runs these cells again in a new workspace with the names of `from`, which is not touched. Returns `None` if Ctrl-C was
/// pressed.
pub(crate) fn replayed<'c>(from: &Workspace<'c>, cells: &[RanCell]) -> Option<Workspace<'c>> {
    let presses = machine::presses();
    let cells: Vec<PlannedCell> = cells.iter().map(PlannedCell::again).collect();
    let mut workspace = from.empty();
    // Ctrl-C may have been pressed while the interpreter of the new workspace started.
    let mut runner = Runner { presses, ..Runner::new(&mut workspace, &cells).keep_going(true) };
    runner.by_ref().last();
    let interrupted = runner.is_interrupted();
    (!interrupted).then_some(workspace)
}

/// A copy of a workspace, made by running all of its cells again. `None`: Ctrl-C was pressed.
pub(crate) fn copy<'c>(from: &Workspace<'c>) -> Option<Workspace<'c>> {
    replayed(from, &from.ran)
}
