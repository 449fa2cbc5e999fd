//! Runs a target and gathers what is wrong in it.

use serde_json::json;

use super::change::Change;
use super::settings::Settings;
use crate::app::cells::plan::Plan;
use crate::app::cells::runner::{Runner, Tracing};
use crate::app::cells::workspace::Workspace;
use crate::app::terminal::shell::{Exit, Shell};
use crate::explain;
use crate::explain::doctor::{Finding, examine, is_allowed, is_implied, watch, watched};
use crate::ops::trace::Trace;
use crate::session::{CallReport, Raised, Session};
use crate::tensor::ErrorFact;
use crate::view::doctor::{CodeFinding, Looked, Partly, Tally, Unexamined};
use crate::view::errors::ErrorNote;

/// A target that ran, and what was found.
#[derive(Default)]
pub(super) struct Examined {
    /// As it was typed.
    pub(super) target: String,
    /// Each finding, and the cell that ran it.
    pub(super) found: Vec<(CodeFinding, String)>,
    /// Cells that show a mistake on purpose.
    pub(super) skipped: Vec<String>,
    /// How much was examined.
    pub(super) looked: Looked,
    /// The classes and functions that compute attention and did not run, alone neither.
    pub(super) unexamined: Vec<Unexamined>,
    /// The work of these operations, as [`Trace::work`] counts it.
    pub(super) work: usize,
    /// The classes and functions that ran.
    pub(super) called: Vec<String>,
    pub(super) failed: Option<FailedCell>,
    /// Why and how only parts were examined.
    pub(super) partly: Option<Partly>,
    /// The changes of the file that fix a finding.
    pub(super) changes: Vec<Change>,
    exit: Exit,
}

pub(super) struct FailedCell {
    pub(super) name: String,
    pub(super) raised: Raised,
    pub(super) note: ErrorNote,
}

/// Exceptions that say that something is not there: a package, a file.
const ABSENT: [&str; 6] = [
    "ModuleNotFoundError",
    "ImportError",
    "FileNotFoundError",
    "PermissionError",
    "OSError",
    "NotImplementedError",
];

impl Examined {
    /// How the run ended, whatever was found. That something is absent is no mistake of the code.
    pub(super) fn ended(&self) -> Exit {
        let is_absent = self.failed.as_ref().is_some_and(|FailedCell { raised, .. }| {
            ABSENT.contains(&raised.kind.as_str()) || raised.fact.as_deref() == Some(&ErrorFact::NoDevice)
        });
        if self.partly.is_some() && is_absent { Exit::Good } else { self.exit }
    }

    /// 1 with findings, else how the run ended.
    pub(super) fn exit(&self) -> Exit {
        self.ended().max(if self.found.is_empty() { Exit::Good } else { Exit::Failed })
    }

    /// What this target adds to what all add up to.
    pub(super) fn tally(&self) -> Tally {
        let unchecked = self.failed.is_some() && self.looked.operations == 0;
        Tally {
            mistakes: self.found.len(),
            in_part: usize::from(!unchecked && !self.is_complete()),
            unchecked: usize::from(unchecked),
            ..Tally::default()
        }
    }

    /// Whether all that computes attention was examined.
    pub(super) fn is_complete(&self) -> bool {
        self.failed.is_none() && self.unexamined.is_empty() && self.looked.lost == 0
    }

    /// Adds the findings of a run in the cell `ran_in`, with their places; those in a line that is known are left out.
    pub(super) fn add(&mut self, found: Vec<CodeFinding>, ran_in: &str, plan: &Plan) {
        for mut new in found {
            let own = new.finding.cell.as_deref() == Some(ran_in);
            new.run_by = (!own && ran_in != ALONE).then(|| ran_in.to_owned());
            file_place(&mut new, plan);
            if new.file.is_some() {
                new.run_by = None;
            }
            if self.found.iter().all(|(known, _)| !known.is_at_place_of(&new)) {
                self.found.push((new, ran_in.to_owned()));
            }
        }
    }

    /// Counts the operations of a trace.
    pub(super) fn count_operations(&mut self, trace: &Trace) {
        self.looked.operations += trace.complete();
        self.looked.repeats += trace.repeats;
        self.looked.lost += trace.lost();
        self.work += trace.work();
    }
}

/// The cell in which classes and functions run alone.
pub(super) const ALONE: &str = "made-up inputs";

/// Runs a target and finds its mistakes.
pub(super) fn examine_target(plan: &Plan, settings: &Settings, shell: &Shell) -> Examined {
    let mut workspace = plan.workspace(&shell.options);
    let is_file = plan.cells.iter().all(|cell| cell.step.is_none());
    let words = ["optim", "train", "backward", "nn.Module", "allclose(", "equal("];
    let trains = |source: &str| words.iter().any(|it| source.contains(it));
    let is_alone = plan.cells.iter().filter(|cell| !cell.silent).count() == 1;
    let is_watched = (is_file || is_alone) && plan.cells.iter().any(|cell| trains(&cell.source));
    if is_watched {
        watch(&mut workspace.session);
    }
    let mut examined = Examined { target: plan.target.clone(), ..Examined::default() };
    let mut runner = Runner::new(&mut workspace, &plan.cells).tracing(Tracing::Examined);
    let mut failed = None;
    while let Some(finished) = runner.next() {
        let (cell, trace) = (finished.cell, &finished.trace);
        if !cell.silent {
            examined.looked.cells += 1;
            examined.count_operations(trace);
        }
        for name in called_in(trace) {
            if examined.called.iter().all(|known| known != name) {
                examined.called.push(name.to_owned());
            }
        }
        let new = findings(trace, &finished.calls, &runner.workspace.session);
        match cell.step {
            // A step that was asked for alone is examined like any other.
            Some((step, _)) if step.wrong && !is_alone => {
                if !new.is_empty() {
                    examined.skipped.push(format!("{} {} shows a mistake on purpose", cell.name, step.slug));
                }
            }
            _ => examined.add(new, &cell.name, plan),
        }
        failed = finished.failure().cloned().map(|raised| (cell, raised));
    }
    examined.exit = runner.exit();
    examined.failed = failed.map(|(cell, raised)| FailedCell {
        name: cell.name.clone(),
        note: workspace.error_note(&raised, &cell.source),
        raised,
    });
    if examined.failed.is_none() && is_file && examined.exit == Exit::Good {
        run_alone(&mut examined, plan, settings, &mut workspace);
    }
    if is_watched {
        let mut found = watched(&mut workspace.session);
        found.retain(|new| !examined.found.iter().any(|(known, _)| is_implied(new, &known.finding)));
        let found = with_code(found, &workspace.session);
        let ran_in = plan.cells.last().map(|cell| cell.name.clone()).unwrap_or_default();
        examined.add(found, &ran_in, plan);
    }
    examined
}

/// Runs the classes and functions that compute attention and did not run yet, on made-up inputs. Returns their names.
pub(super) fn run_alone(
    examined: &mut Examined,
    plan: &Plan,
    settings: &Settings,
    workspace: &mut Workspace,
) -> Vec<String> {
    let name = plan.target.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_test = name.starts_with("test_") || name.ends_with("_test.py");
    let exercise = format!(
        "from _made_up import exercise as _exercise; _exercised = _exercise(globals(), {}, {}, {})",
        json!(examined.called),
        if is_test { "True" } else { "False" },
        json!(settings.of_made_up())
    );
    let (_, trace, calls) = workspace.examined(&exercise, ALONE);
    let report = workspace.text("__import__('json').dumps(_exercised)").unwrap_or_default();
    let (ran, missed): (Vec<String>, Vec<Unexamined>) = serde_json::from_str(&report).unwrap_or_default();
    if !ran.is_empty() {
        examined.count_operations(&trace);
        let found = findings(&trace, &calls, &workspace.session);
        examined.add(found, ALONE, plan);
    }
    examined.unexamined.extend(missed);
    // Of a file that failed, this is said with the reason.
    if examined.failed.is_none() {
        examined.looked.alone.extend(ran.iter().cloned());
    }
    ran
}

/// The learner's classes and functions that called the operations.
fn called_in(trace: &Trace) -> impl Iterator<Item = &str> {
    let calls = trace.steps.iter().flat_map(|step| &step.calls).filter(|call| !call.library);
    let functions = calls.map(|call| call.function).filter(|name| !name.ends_with("__init__"));
    functions.filter_map(|name| name.split('.').next()).filter(|name| !name.starts_with('<'))
}

/// Adds to a finding in a script, or in a module that it imports, the file and the line in it.
fn file_place(found: &mut CodeFinding, plan: &Plan) {
    if plan.target.ends_with(".ipynb") {
        return;
    }
    let (Some(name), Some(line)) = (&found.finding.cell, found.finding.line) else { return };
    match plan.cells.iter().find(|cell| cell.name == *name) {
        Some(cell) if cell.step.is_none() => {
            found.file_line = Some(cell.line + line - 1);
            found.file = Some(plan.target.clone());
        }
        None if name.ends_with(".py") => {
            found.file_line = Some(line);
            found.file = Some(name.clone());
        }
        _ => {}
    }
}

/// Findings with their lines of code, without those that a comment there says are meant.
fn with_code(found: Vec<Finding>, session: &Session) -> Vec<CodeFinding> {
    let code = |finding: &Finding| {
        let source = session.source(finding.cell.as_deref()?)?;
        source.lines().nth(finding.line?.checked_sub(1)?).map(|line| line.trim().to_owned())
    };
    let found = found.into_iter().map(|finding| CodeFinding::new(code(&finding), finding));
    let is_meant =
        |it: &CodeFinding| it.code.as_ref().is_some_and(|code| is_allowed(it.finding.mistake, code));
    found.filter(|it| !is_meant(it)).collect()
}

/// The silent mistakes in the operations of a cell and in its calls that were repeated, each with its line of code.
pub(crate) fn findings(trace: &Trace, calls: &[CallReport], session: &Session) -> Vec<CodeFinding> {
    let names = explain::TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    with_code(examine(trace, &names, calls, &session.sources().collect()), session)
}
