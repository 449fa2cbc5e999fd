//! Runs a target and gathers what is wrong in it.

use crate::app::cells::plan::Plan;
use crate::app::cells::runner::{Runner, Tracing};
use crate::app::terminal::shell::{Exit, Shell};
use crate::explain;
use crate::explain::doctor::{Finding, Reading, examine, is_allowed, read_together};
use crate::ops::trace::Trace;
use crate::session::{CallReport, Raised, Session};
use crate::tensor::ErrorFact;
use crate::view::doctor::{CodeFinding, Tally};
use crate::view::errors::ErrorNote;

/// A target that ran, and what was found.
pub(super) struct Examined {
    /// As it was typed.
    pub(super) target: String,
    /// Each finding, and the cell that ran it.
    pub(super) found: Vec<(CodeFinding, String)>,
    /// Cells that show a mistake on purpose.
    pub(super) skipped: Vec<String>,
    pub(super) cells: usize,
    pub(super) operations: usize,
    /// The work of these operations, as [`Trace::work`] counts it.
    pub(super) work: usize,
    /// The classes and functions that ran.
    pub(super) called: Vec<String>,
    pub(super) failed: Option<FailedCell>,
    /// Why and how only parts were examined.
    pub(super) partly: Option<Partly>,
    exit: Exit,
}

pub(super) struct FailedCell {
    pub(super) name: String,
    pub(super) raised: Raised,
    pub(super) note: ErrorNote,
}

/// How a target was examined that cannot run as a whole.
#[derive(serde::Serialize)]
pub(super) struct Partly {
    pub(super) reason: String,
    /// The classes and functions that ran before that, and none of `ran`.
    pub(super) before: Vec<String>,
    /// The classes and functions that ran on made-up inputs; none if the syntax tree was read.
    pub(super) ran: Vec<String>,
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
    /// 1 with findings, else how the run ended. That something is absent is no mistake of the code.
    pub(super) fn exit(&self) -> Exit {
        let is_absent = self.failed.as_ref().is_some_and(|FailedCell { raised, .. }| {
            ABSENT.contains(&raised.kind.as_str()) || raised.fact.as_deref() == Some(&ErrorFact::NoDevice)
        });
        let exit = if self.partly.is_some() && is_absent { Exit::Good } else { self.exit };
        match (exit, self.found.is_empty()) {
            (Exit::Good, false) => Exit::Failed,
            (exit, _) => exit,
        }
    }

    /// What this target adds to what all add up to.
    pub(super) fn tally(&self) -> Tally {
        let failed = self.failed.is_some();
        Tally {
            targets: 0,
            mistakes: self.found.len(),
            in_part: usize::from(failed && self.operations > 0),
            unchecked: usize::from(failed && self.operations == 0),
        }
    }
}

/// Runs a target and finds its mistakes.
pub(super) fn examine_target(plan: &Plan, shell: &Shell) -> Examined {
    let mut workspace = plan.workspace(&shell.options);
    let mut runner = Runner::new(&mut workspace, &plan.cells).tracing(Tracing::Examined);
    let (mut found, mut skipped) = (Vec::<(CodeFinding, String)>::new(), Vec::new());
    let (mut cells, mut operations, mut work, mut failed) = (0, 0, 0, None);
    let (mut ran, mut called) = (Vec::<(String, String)>::new(), Vec::new());
    while let Some(finished) = runner.next() {
        let (cell, trace) = (finished.cell, &finished.trace);
        let session = &runner.workspace.session;
        if !cell.silent {
            cells += 1;
            operations += trace.steps.len() + trace.beyond;
        }
        work += trace.work();
        for name in called_in(trace) {
            if called.iter().all(|known| known != name) {
                called.push(name.to_owned());
            }
        }
        // The cells of a file are read together, the steps of a lesson one by one.
        let new = match cell.step {
            Some(_) => findings(trace, &finished.calls, session),
            None => found_in_operations(trace, &finished.calls, session),
        };
        if cell.step.is_none() {
            let source = session.source(&cell.name).unwrap_or(&cell.source);
            ran.push((cell.name.clone(), source.to_owned()));
        }
        match cell.step {
            Some((step, _)) if step.wrong => {
                if !new.is_empty() {
                    skipped.push(format!("{} {} shows a mistake on purpose", cell.name, step.slug));
                }
            }
            _ => {
                for mut new in new {
                    let own = new.finding.cell.as_ref() == Some(&cell.name);
                    new.run_by = (!own).then(|| cell.name.clone());
                    file_place(&mut new, plan);
                    if found.iter().all(|(known, _)| !known.is_at_place_of(&new)) {
                        found.push((new, cell.name.clone()));
                    }
                }
            }
        }
        failed = finished.failure().cloned().map(|raised| (cell, raised));
    }
    let exit = runner.exit();
    for mut new in read_cells(&ran, Reading::Ran) {
        file_place(&mut new, plan);
        if found.iter().all(|(known, _)| !known.is_at_place_of(&new)) {
            let cell = new.finding.cell.clone().unwrap_or_default();
            found.push((new, cell));
        }
    }
    let failed = failed.map(|(cell, raised)| FailedCell {
        name: cell.name.clone(),
        note: workspace.error_note(&raised, &cell.source),
        raised,
    });
    let target = plan.target.clone();
    Examined { target, found, skipped, cells, operations, work, called, failed, partly: None, exit }
}

/// The learner's classes and functions that called the operations.
fn called_in(trace: &Trace) -> impl Iterator<Item = &str> {
    let calls = trace.steps.iter().flat_map(|step| &step.calls).filter(|call| !call.library);
    let functions = calls.map(|call| call.function).filter(|name| !name.ends_with("__init__"));
    functions.filter_map(|name| name.split('.').next()).filter(|name| !name.starts_with('<'))
}

/// Adds to a finding in a script the file and the line in it.
pub(super) fn file_place(found: &mut CodeFinding, plan: &Plan) {
    found.file_line = file_line(plan, &found.finding);
    found.file = found.file_line.map(|_| plan.target.clone());
}

/// The line in its file of a finding in a script.
fn file_line(plan: &Plan, finding: &Finding) -> Option<usize> {
    if plan.target.ends_with(".ipynb") {
        return None;
    }
    let cell = plan.cells.iter().find(|cell| Some(&cell.name) == finding.cell.as_ref())?;
    if cell.step.is_some() {
        return None;
    }
    Some(cell.line + finding.line? - 1)
}

/// The mistakes that the syntax of these cells shows, read as one program, each with its line of code.
pub(super) fn read_cells(cells: &[(String, String)], reading: Reading) -> Vec<CodeFinding> {
    let named: Vec<(&str, &str)> =
        cells.iter().map(|(name, source)| (name.as_str(), source.as_str())).collect();
    let with_code = |finding: Finding| {
        let own = named.iter().find(|(name, _)| Some(*name) == finding.cell.as_deref());
        let line = own.and_then(|(_, source)| source.lines().nth(finding.line?.checked_sub(1)?));
        CodeFinding::new(line.map(|line| line.trim().to_owned()), finding)
    };
    let found = read_together(&named, reading).into_iter().map(with_code);
    found.filter(|it| !is_meant(it)).collect()
}

/// Whether a comment in its line says that a mistake is meant.
fn is_meant(found: &CodeFinding) -> bool {
    found.code.as_ref().is_some_and(|code| is_allowed(found.finding.mistake, code))
}

/// The silent mistakes in the operations of a cell, in its calls that were repeated and in its syntax, each with its line
/// of code.
pub(crate) fn findings(trace: &Trace, calls: &[CallReport], session: &Session) -> Vec<CodeFinding> {
    let mut all = found_in_operations(trace, calls, session);
    let own =
        trace.steps.iter().flat_map(|step| &step.calls).find(|call| !call.library).map(|call| call.cell);
    if let Some((cell, source)) = own.and_then(|cell| Some((cell, session.source(cell)?))) {
        let read = read_cells(&[(cell.to_owned(), source.to_owned())], Reading::Ran).into_iter();
        let new: Vec<CodeFinding> =
            read.filter(|it| all.iter().all(|known| !known.is_at_place_of(it))).collect();
        all.extend(new);
    }
    all
}

/// The silent mistakes in the operations of a cell and in its calls that were repeated, each with its line of code.
fn found_in_operations(trace: &Trace, calls: &[CallReport], session: &Session) -> Vec<CodeFinding> {
    let names = explain::TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let code = |finding: &Finding| {
        let source = session.source(finding.cell.as_deref()?)?;
        source.lines().nth(finding.line?.checked_sub(1)?).map(|line| line.trim().to_owned())
    };
    let found = examine(trace, &names, calls, &session.sources().collect()).into_iter();
    let found = found.map(|finding| CodeFinding::new(code(&finding), finding));
    found.filter(|it| !is_meant(it)).collect()
}
