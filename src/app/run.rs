//! `attn run`: a step, a lesson, a notebook, a script.
//! Runs cells one after another and shows each as soon as it has run.

use std::time::Instant;

use super::document::{CellDocument, RunDocument};
use super::figures::Names;
use super::json::write_json;
use super::machine;
use super::notes::{explained, explanation};
use super::plan::{Plan, Planned, plan};
use super::progress::Progress;
use super::shell::{Exit, Failure, Shell};
use super::step::{nonfinite, step_panel, unrun_panel};
use super::trace::{self, Detail};
use super::what_if::{self, Changes};
use super::workspace::RanCell;
use crate::lesson::Catalogue;
use crate::ops::trace::Trace;
use crate::session::{Outcome, Raised, Session};
use crate::view::errors::error;
use crate::view::run::{CellRun, cell, finished};
use crate::view::{Panel, panel};

/// What `attn run` takes.
#[derive(clap::Args, Debug)]
pub struct Args {
    /// A step (step3, scores), a lesson (3.4.1), or a .ipynb, .py or .md file
    #[arg(required = true, value_name = "WHERE|FILE", value_hint = clap::ValueHint::AnyPath)]
    targets: Vec<String>,
    /// Run on as far as this step; in a file, as far as this code cell
    #[arg(long, value_name = "STEP")]
    until: Option<String>,
    /// Go on after a cell that raises
    #[arg(long)]
    keep_going: bool,
    /// Show each operation that ran, with its shapes and its cost; `all` unfolds loops and the library's calls
    #[arg(long, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "folded")]
    #[arg(hide_possible_values = true)]
    trace: Option<Detail>,
    #[command(flatten)]
    changes: Changes,
}

/// Runs each target in an interpreter of its own.
pub fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let catalogue = Catalogue::new();
    let mut exit = Exit::Good;
    if !args.changes.is_empty() && args.trace.is_some() {
        let words = "--trace shows one run, a change compares two: ask for one of them";
        return Err(Failure::Usage(words.to_owned()));
    }
    for (at, target) in args.targets.iter().enumerate() {
        let plan = plan(target, args.until.as_deref(), &catalogue)?;
        for remark in &plan.remarks {
            shell.remark(&format!("{target}: {remark}"));
        }
        if at > 0 && shell.styled() && !shell.options.json {
            shell.say("\n")?;
        }
        let ended = match shell.options.json {
            _ if !args.changes.is_empty() => (what_if::run(&plan, &args.changes, &catalogue, shell)?, None),
            true => as_json(plan, args, shell).map(|(exit, session)| (exit, Some(session)))?,
            false => as_text(&plan, args, &catalogue, shell).map(|(exit, session)| (exit, Some(session)))?,
        };
        let (ended, session) = ended;
        if at + 1 == args.targets.len() {
            // The program ends here: the system takes all of it back at once.
            std::mem::forget(session);
        }
        exit = worse(exit, ended);
        if exit == Exit::Interrupted {
            break;
        }
    }
    Ok(exit)
}

/// The ending that says more of two.
fn worse(one: Exit, other: Exit) -> Exit {
    if other as u8 > one as u8 { other } else { one }
}

/// Whether a cell's error ends the run badly; an error that its step announces does not.
fn unexpected<'o>(cell: &Planned, outcome: &'o Outcome) -> Option<&'o Raised> {
    let meant = cell.step.is_some_and(|(step, _)| step.raises);
    outcome.error.as_ref().filter(|raised| raised.interrupted || !meant)
}

/// How a run ends after this error.
fn ending(raised: &Raised) -> Exit {
    if raised.interrupted { Exit::Interrupted } else { Exit::Raised }
}

fn as_json(plan: Plan, args: &Args, shell: &mut Shell) -> Result<(Exit, Session), Failure> {
    let mut session = machine::session(&shell.options);
    let mut exit = Exit::Good;
    let mut cells = Vec::with_capacity(plan.cells.len());
    let mut ran = Vec::new();
    for (index, cell) in plan.cells.iter().enumerate() {
        ran.push(RanCell { name: cell.name.clone(), source: cell.source.clone() });
        let (outcome, traced) = match args.trace {
            Some(_) => session.traced(&cell.source, &cell.name),
            None => (session.run(&cell.source, &cell.name), Trace::default()),
        };
        shell.aside(&outcome.stderr);
        let mut document = CellDocument::new(index, cell, &outcome);
        document.trace = args.trace.map(|_| trace::operations(&traced, &ran));
        document.explanation = outcome.error.as_ref().and_then(|raised| {
            let names = cell.step.map(|(step, lesson)| Names::of(step, lesson));
            Some(explanation(raised, &session, &|name| {
                names.map(|names| names.axes(name)).unwrap_or_default()
            }))
            .filter(|found| *found != Default::default())
        });
        cells.push(document);
        if let Some(raised) = unexpected(cell, &outcome) {
            exit = worse(exit, ending(raised));
            if !args.keep_going || raised.interrupted {
                break;
            }
        }
    }
    let run = RunDocument { schema: "attn.run/2", target: plan.target, ok: exit == Exit::Good, cells };
    write_json(&run, shell)?;
    Ok((exit, session))
}

fn as_text(
    plan: &Plan,
    args: &Args,
    catalogue: &Catalogue,
    shell: &mut Shell,
) -> Result<(Exit, Session), Failure> {
    let mut session = machine::session(&shell.options);
    let mut exit = Exit::Good;
    let (mut ran, mut raising) = (0, 0);
    let mut before = Vec::new();
    let start = Instant::now();
    let progress = Progress::watch(plan.cells.len(), shell);
    for (at, cell) in plan.cells.iter().enumerate() {
        progress.at(at, &cell.title());
        before.push(RanCell { name: cell.name.clone(), source: cell.source.clone() });
        let (outcome, traced) = match args.trace {
            Some(_) if !cell.silent => session.traced(&cell.source, &cell.name),
            _ => (session.run(&cell.source, &cell.name), Trace::default()),
        };
        let told = args.trace.map(|detail| trace::text(&traced, &before, detail, shell.look));
        let bad = unexpected(cell, &outcome);
        if !cell.silent || bad.is_some() {
            progress.hide();
        }
        if shell.terminal && bad.is_some_and(|raised| raised.interrupted) {
            // The terminal has echoed ^C: what follows begins on a line of its own.
            shell.say("\n")?;
        }
        match cell.step {
            Some(_) if cell.silent && bad.is_none() => continue,
            Some((step, lesson)) => {
                if ran > 0 {
                    shell.say("\n")?;
                }
                shell.aside(&outcome.stderr);
                let made = step_panel(step, lesson, &outcome, &mut session, catalogue);
                match told {
                    None => shell.show(&panel(&made, shell.look))?,
                    // Whoever asks what ran has read the rest.
                    Some(told) => {
                        let bare = Panel {
                            prose: String::new(),
                            stdout: made.stdout,
                            result: made.result,
                            error: made.error,
                            ..unrun_panel(step, lesson, catalogue)
                        };
                        let mut text = panel(&bare, shell.look);
                        text.section(told);
                        shell.show(&text)?;
                    }
                }
            }
            None if told.is_some() => {
                styled_cell(cell, &outcome, &session, plan.script, shell)?;
                let mut text = told.unwrap_or_default();
                text.gap();
                shell.show(&text)?;
            }
            None if shell.styled() => styled_cell(cell, &outcome, &session, plan.script, shell)?,
            None => bare_cell(cell, &outcome, &session, plan.script, shell)?,
        }
        shell.flush()?;
        ran += 1;
        if let Some(raised) = bad {
            raising += 1;
            exit = worse(exit, ending(raised));
            if !args.keep_going || raised.interrupted {
                break;
            }
        }
    }
    let is_file = plan.cells.iter().all(|cell| cell.step.is_none());
    if is_file && shell.styled() && plan.cells.len() > 1 {
        shell.show(&finished(ran, raising, start.elapsed(), shell.look))?;
    }
    Ok((exit, session))
}

/// A file's cell as a terminal shows it.
fn styled_cell(
    cell: &Planned,
    outcome: &Outcome,
    session: &Session,
    script: bool,
    shell: &mut Shell,
) -> Result<(), Failure> {
    let run = CellRun {
        title: cell.name.clone(),
        code: cell.source.clone(),
        stdout: outcome.stdout.clone(),
        result: outcome.result.clone().filter(|_| !script),
        error: outcome.error.as_ref().map(|raised| explained(raised, &cell.source, session, &|_| Vec::new())),
        remarks: outcome.stderr.lines().map(str::to_owned).chain(nonfinite(outcome, session)).collect(),
        elapsed: outcome.elapsed,
    };
    let mut text = self::cell(&run, shell.look);
    text.gap();
    shell.show(&text)
}

/// A file's cell in a pipe: what it printed and its last expression; what it raised is a remark.
fn bare_cell(
    cell: &Planned,
    outcome: &Outcome,
    session: &Session,
    script: bool,
    shell: &mut Shell,
) -> Result<(), Failure> {
    shell.say(&outcome.stdout)?;
    shell.aside(&outcome.stderr);
    if let Some(result) = outcome.result.as_ref().filter(|_| !script) {
        if !outcome.stdout.is_empty() && !outcome.stdout.ends_with('\n') {
            shell.say("\n")?;
        }
        shell.say(&format!("{result}\n"))?;
    }
    if let Some(raised) = &outcome.error {
        shell.remark(&format!("{} raised", cell.name));
        let look = shell.look;
        shell.note(&error(&explained(raised, &cell.source, session, &|_| Vec::new()), look));
    }
    Ok(())
}
