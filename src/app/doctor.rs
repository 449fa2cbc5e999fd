//! `attn doctor`: mistakes that raise no error, found in the operations that cells run.

use serde::Serialize;

use super::course;
use super::json::write_json;
use super::plan::{Plan, plan};
use super::runner::{Runner, Tracing};
use super::shell::{Exit, Failure, Shell};
use crate::explain;
use crate::explain::doctor::{Finding, examine, is_allowed};
use crate::ops::trace::Trace;
use crate::session::{CallReport, Session};
use crate::view::Role;
use crate::view::doctor::{self as report, CodeFinding};
use crate::view::errors::error;

/// The arguments of `attn doctor`.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// A step (scores), a lesson (3.4.1), or a .ipynb, .py or .md file
    #[arg(required = true, value_name = "WHERE|FILE", value_hint = clap::ValueHint::AnyPath)]
    targets: Vec<String>,
    /// Run on as far as this step; in a file, as far as this code cell
    #[arg(long, value_name = "STEP")]
    until: Option<String>,
}

/// `attn.doctor/2`.
#[derive(Serialize)]
struct DoctorDocument {
    schema: &'static str,
    target: String,
    ok: bool,
    cells: usize,
    operations: usize,
    findings: Vec<FindingEntry>,
    skipped: Vec<String>,
    error: Option<CellError>,
}

#[derive(Serialize)]
struct FindingEntry {
    #[serde(flatten)]
    finding: Finding,
    code: Option<String>,
    ran_in: String,
}

#[derive(Serialize)]
struct CellError {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    cell: String,
    line: Option<usize>,
}

/// Runs each target and shows its silent mistakes.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = course::catalogue()?;
    let mut exit = Exit::Good;
    for (at, target) in args.targets.iter().enumerate() {
        let plan = plan(target, args.until.as_deref(), &catalogue)?;
        plan.show_remarks(shell);
        if at > 0 && !shell.options.json {
            shell.say("\n")?;
        }
        exit = exit.max(examine_target(&plan, shell)?);
        if exit == Exit::Interrupted {
            break;
        }
    }
    Ok(exit)
}

/// Runs one target and shows its mistakes.
fn examine_target(plan: &Plan, shell: &mut Shell) -> Result<Exit, Failure> {
    let mut workspace = plan.workspace(&shell.options);
    let mut runner = Runner::new(&mut workspace, &plan.cells).tracing(Tracing::Examined);
    let (mut found, mut skipped) = (Vec::<(CodeFinding, String)>::new(), Vec::new());
    let (mut cells, mut operations, mut failed) = (0, 0, None);
    while let Some(finished) = runner.next() {
        let (cell, trace) = (finished.cell, &finished.trace);
        if !cell.silent {
            cells += 1;
            operations += trace.steps.len() + trace.beyond;
        }
        let new = findings(trace, &finished.calls, &runner.workspace.session);
        match cell.step {
            Some((step, _)) if step.wrong => {
                if !new.is_empty() {
                    skipped.push(format!("{} {} shows a mistake on purpose", cell.name, step.slug));
                }
            }
            _ => {
                for mut new in new {
                    new.run_by =
                        Some(cell.name.clone()).filter(|name| new.finding.cell.as_ref() != Some(name));
                    let place = |it: &Finding| (it.mistake, it.cell.clone(), it.line);
                    if found.iter().all(|(known, _)| place(&known.finding) != place(&new.finding)) {
                        found.push((new, cell.name.clone()));
                    }
                }
            }
        }
        failed = finished.failure().cloned().map(|raised| (cell, raised));
    }
    let exit = match (runner.exit(), found.is_empty()) {
        (Exit::Good, false) => Exit::Failed,
        (exit, _) => exit,
    };
    if shell.options.json {
        let error = failed.map(|(cell, raised)| CellError {
            kind: raised.kind,
            message: raised.message,
            cell: cell.name.clone(),
            line: raised.line,
        });
        let findings = found
            .into_iter()
            .map(|(found, ran_in)| FindingEntry { finding: found.finding, code: found.code, ran_in })
            .collect();
        let (schema, target, ok) = ("attn.doctor/2", plan.target.clone(), exit == Exit::Good);
        write_json(
            &DoctorDocument { schema, target, ok, cells, operations, findings, skipped, error },
            shell,
        )?;
        return Ok(exit);
    }
    for (found, _) in &found {
        let mut text = report::found(found, shell.look);
        text.say(Role::Prose, "");
        shell.show(&text)?;
    }
    for reason in &skipped {
        shell.remark(&format!("{reason}: skipped"));
    }
    match &failed {
        Some((cell, raised)) => {
            shell.remark(&format!("{} raised: the cells after it did not run", cell.name));
            shell.note(&error(&workspace.error_note(raised, &cell.source), shell.look));
        }
        None => shell.show(&report::summary(operations, cells, found.len(), shell.look))?,
    }
    Ok(exit)
}

/// The silent mistakes in the operations of a cell and in its calls that were repeated, each with its line of code.
pub(crate) fn findings(trace: &Trace, calls: &[CallReport], session: &Session) -> Vec<CodeFinding> {
    let names = explain::TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let code = |finding: &Finding| {
        let source = session.source(finding.cell.as_deref()?)?;
        source.lines().nth(finding.line?.checked_sub(1)?).map(|line| line.trim().to_owned())
    };
    let found = examine(trace, &names, calls).into_iter();
    let found = found.map(|finding| CodeFinding { code: code(&finding), run_by: None, finding });
    found.filter(|it| !it.code.as_ref().is_some_and(|code| is_allowed(it.finding.mistake, code))).collect()
}
