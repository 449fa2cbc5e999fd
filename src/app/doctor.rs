//! `attn doctor`: what runs without an error and is wrong.
//! Runs cells under the tracer, hands what ran to `explain`, and shows what was found.

use serde::Serialize;

use super::figures::Names;
use super::json::write_json;
use super::machine;
use super::notes::explained;
use super::plan::{Plan, Planned, plan};
use super::shell::{Exit, Failure, Shell};
use crate::explain;
use crate::explain::doctor::{Finding, examined};
use crate::lesson::Catalogue;
use crate::ops::trace::Trace;
use crate::session::{Outcome, Session};
use crate::view::doctor::{self as report, Found};
use crate::view::errors::error;

/// What `attn doctor` takes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A step (step3, scores), a lesson (3.4.1), or a .ipynb, .py or .md file
    #[arg(required = true, value_name = "WHERE|FILE", value_hint = clap::ValueHint::AnyPath)]
    targets: Vec<String>,
    /// Run on as far as this step; in a file, as far as this code cell
    #[arg(long, value_name = "STEP")]
    until: Option<String>,
}

/// What was found in one target.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    target: String,
    ok: bool,
    cells: usize,
    operations: usize,
    findings: Vec<Placed>,
    skipped: Vec<String>,
    error: Option<Raised>,
}

#[derive(Serialize)]
struct Placed {
    #[serde(flatten)]
    finding: Finding,
    code: Option<String>,
    ran_in: String,
}

#[derive(Serialize)]
struct Raised {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    cell: String,
    line: Option<usize>,
}

/// Runs each target and looks for silent mistakes.
pub fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = Catalogue::new();
    let mut exit = Exit::Good;
    for (at, target) in args.targets.iter().enumerate() {
        let plan = plan(target, args.until.as_deref(), &catalogue)?;
        for remark in &plan.remarks {
            shell.remark(&format!("{target}: {remark}"));
        }
        if at > 0 && !shell.options.json {
            shell.say("\n")?;
        }
        let ended = one(&plan, shell)?;
        exit = if ended as u8 > exit as u8 { ended } else { exit };
        if exit == Exit::Interrupted {
            break;
        }
    }
    Ok(exit)
}

/// What one cell's run gave the doctor: findings new in this target.
fn one(plan: &Plan, shell: &mut Shell) -> Result<Exit, Failure> {
    let mut session = machine::session(&shell.options);
    let (mut found, mut skipped) = (Vec::<(Found, String)>::new(), Vec::new());
    let (mut cells, mut operations, mut raised) = (0, 0, None);
    for cell in &plan.cells {
        let (outcome, trace) = match cell.silent {
            true => (session.run(&cell.source, &cell.name), Trace::default()),
            false => session.traced(&cell.source, &cell.name),
        };
        if !cell.silent {
            cells += 1;
            operations += trace.steps.len() + trace.beyond;
        }
        let seen = remarks(&trace, &session);
        match cell.step {
            Some((step, _)) if step.wrong => {
                if !seen.is_empty() {
                    skipped.push(format!("{} {} shows a mistake on purpose", cell.name, step.slug));
                }
            }
            _ => {
                for mut seen in seen {
                    seen.by = Some(cell.name.clone()).filter(|name| seen.finding.cell.as_ref() != Some(name));
                    let place = |it: &Finding| (it.mistake, it.cell.clone(), it.line);
                    if found.iter().all(|(known, _)| place(&known.finding) != place(&seen.finding)) {
                        found.push((seen, cell.name.clone()));
                    }
                }
            }
        }
        let meant = cell.step.is_some_and(|(step, _)| step.raises);
        if outcome.error.as_ref().is_some_and(|error| error.interrupted || !meant) {
            raised = Some((cell, outcome));
            break;
        }
    }
    let exit = match (&raised, found.is_empty()) {
        (Some((_, outcome)), _) if outcome.error.as_ref().is_some_and(|it| it.interrupted) => {
            Exit::Interrupted
        }
        (Some(_), _) => Exit::Raised,
        (None, true) => Exit::Good,
        (None, false) => Exit::Failed,
    };
    if shell.options.json {
        let error = raised.as_ref().and_then(|(cell, outcome)| {
            let error = outcome.error.as_ref()?;
            let (kind, message) = (error.kind.clone(), error.message.clone());
            Some(Raised { kind, message, cell: cell.name.clone(), line: error.line })
        });
        let findings = found
            .into_iter()
            .map(|(found, ran_in)| Placed { finding: found.finding, code: found.code, ran_in })
            .collect();
        let (schema, target, ok) = ("attn.doctor/2", plan.target.clone(), exit == Exit::Good);
        write_json(&Document { schema, target, ok, cells, operations, findings, skipped, error }, shell)?;
        return Ok(exit);
    }
    for (found, _) in &found {
        let mut text = report::found(found, shell.look);
        text.say(crate::view::Role::Prose, "");
        shell.show(&text)?;
    }
    for passed in &skipped {
        shell.remark(&format!("{passed}: passed over"));
    }
    match &raised {
        Some((cell, outcome)) => stopped(cell, outcome, &session, shell),
        None => shell.show(&report::summary(operations, cells, found.len(), shell.look))?,
    }
    Ok(exit)
}

/// Says that a cell raised, and what.
fn stopped(cell: &Planned, outcome: &Outcome, session: &Session, shell: &mut Shell) {
    let Some(raised) = &outcome.error else { return };
    shell.remark(&format!("{} raised: what comes after it was not looked at", cell.name));
    let names = cell.step.map(|(step, lesson)| Names::of(step, lesson));
    let axes = |name: &str| names.map(|names| names.axes(name)).unwrap_or_default();
    let (note, look) = (explained(raised, &cell.source, session, &axes), shell.look);
    shell.note(&error(&note, look));
}

/// The silent mistakes in what a cell ran, each with its line of code.
pub fn remarks(trace: &Trace, session: &Session) -> Vec<Found> {
    let names = explain::Names::new(session.variables().into_iter().map(|it| (it.name, it.value)));
    let code = |finding: &Finding| {
        let source = session.source(finding.cell.as_deref()?)?;
        source.lines().nth(finding.line?.checked_sub(1)?).map(|line| line.trim().to_owned())
    };
    let found = examined(trace, &names).into_iter();
    found.map(|finding| Found { code: code(&finding), by: None, finding }).collect()
}
