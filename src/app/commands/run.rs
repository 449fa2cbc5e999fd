//! `attn run`: runs a step, a lesson, a notebook or a script, and shows each cell as soon as it has run.

use std::time::Instant;

use super::super::cells::course;
use super::super::cells::document::{of_cell, of_run};
use super::super::cells::plan::{Plan, plan};
use super::super::cells::processes;
use super::super::cells::runner::{FinishedCell, Runner, Tracing};
use super::super::cells::step::unrun_panel;
use super::super::cells::trace::{self, Detail};
use super::super::cells::what_if::{self, Changes};
use super::super::cells::workspace::Workspace;
use super::super::json::write_json;
use super::super::terminal::progress_bar::ProgressBar;
use super::super::terminal::shell::{Exit, Failure, Shell};
use crate::explain::errors::ErrorExplanation;
use crate::kernel::threads;
use crate::session::Outcome;
use crate::view::errors::error;
use crate::view::{self, Panel, panel};

/// What `attn run` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A step (scores), a lesson (3.4.1), or a .ipynb, .py or .md file, - for stdin; before them or alone, a folder of
    /// lessons
    #[arg(required = true, value_name = "WHERE|FILE|FOLDER", value_hint = clap::ValueHint::AnyPath)]
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

/// Runs each target in an interpreter of its own, and several in processes of their own.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    let mut targets = args.targets.clone();
    let catalogue = course::of_words(&mut targets, shell)?;
    // What was typed, for each target: a lesson's file is called by its name.
    let mut typed = args.targets[args.targets.len() - targets.len()..].to_vec();
    if targets.is_empty() {
        for lesson in catalogue.lessons() {
            targets.push(lesson?.id.clone());
        }
        typed.clone_from(&targets);
    }
    let mut exit = Exit::Good;
    if !args.changes.is_empty() && args.trace.is_some() {
        let words = "--trace shows one run, a change compares two: ask for one of them";
        return Err(Failure::Usage(words.to_owned()));
    }
    let one = |at: usize, shell: &mut Shell| {
        let mut plan = plan(&targets[at], args.until.as_deref(), &catalogue)?;
        if targets[at] != typed[at] {
            plan.target.clone_from(&typed[at]);
        }
        plan.show_remarks(shell);
        if at > 0 && shell.styled() && !shell.options.json {
            shell.say("\n")?;
        }
        match args.changes.is_empty() {
            false => what_if::run(&plan, &args.changes, &catalogue, shell),
            true => {
                let mut workspace = plan.workspace(&shell.options);
                let tracing = match args.trace {
                    None => Tracing::Off,
                    Some(_) if shell.options.json => Tracing::All,
                    Some(_) => Tracing::Shown,
                };
                let runner = Runner::new(&mut workspace, &plan.cells).by_evidence();
                let mut runner = runner.tracing(tracing).keep_going(args.keep_going);
                match shell.options.json {
                    true => as_json(&plan, args, &mut runner, shell)?,
                    false => as_text(&plan, args, &mut runner, shell)?,
                }
                let ended = runner.exit();
                if targets.len() == 1 {
                    // The program ends here: the system frees all of it at once.
                    std::mem::forget(workspace);
                }
                Ok(ended)
            }
        }
    };
    processes::each(&typed, threads::count(), shell, one, |_, ran, shell| {
        exit = exit.max(ran.unwrap_or_else(|words| {
            shell.remark(&words);
            Exit::Raised
        }));
        Ok(exit != Exit::Interrupted)
    })?;
    Ok(exit)
}

fn as_json(plan: &Plan, args: &Args, runner: &mut Runner, shell: &mut Shell) -> Result<(), Failure> {
    let mut cells = Vec::with_capacity(plan.cells.len());
    while let Some(FinishedCell { index, cell, outcome, trace, .. }) = runner.next() {
        shell.aside(&outcome.stderr);
        let explanation = outcome.error.as_ref().map(|raised| runner.workspace.explanation(raised));
        let explanation = explanation.filter(|found| *found != ErrorExplanation::default());
        let mut document = of_cell(index, cell, &outcome, explanation);
        if args.trace.is_some() {
            document["trace"] = trace::operations(&trace, &runner.workspace.session);
        }
        cells.push(document);
    }
    write_json(&of_run(&plan.target, runner.exit() == Exit::Good, &cells), shell)
}

fn as_text(plan: &Plan, args: &Args, runner: &mut Runner, shell: &mut Shell) -> Result<(), Failure> {
    let (mut shown, mut failed) = (0, 0);
    let start = Instant::now();
    let progress = ProgressBar::watch(plan.cells.len(), shell);
    while let Some(cell) = runner.upcoming() {
        progress.at(runner.done(), &cell.title());
        let Some(finished) = runner.next() else { break };
        let workspace = &mut *runner.workspace;
        let failure = finished.failure();
        if cell.silent && failure.is_none() {
            continue;
        }
        progress.hide();
        if shell.terminal && failure.is_some_and(|raised| raised.interrupted) {
            // The terminal has echoed ^C: the output continues on a new line.
            shell.say("\n")?;
        }
        let trace =
            args.trace.map(|detail| trace::text(&finished.trace, &workspace.session, detail, shell.look));
        match cell.step {
            Some((step, lesson)) => {
                if shown > 0 {
                    shell.say("\n")?;
                }
                shell.aside(&finished.outcome.stderr);
                let whole = finished.panel(&mut workspace.session).cloned().unwrap_or_default();
                match trace {
                    None => shell.show(&panel(&whole, shell.look))?,
                    // With a trace, the step is shown without its prose and its tables.
                    Some(trace) => {
                        let short = Panel {
                            prose: String::new(),
                            stdout: whole.stdout,
                            result: whole.result,
                            error: whole.error,
                            ..unrun_panel(step, lesson)
                        };
                        let mut text = panel(&short, shell.look);
                        text.section(trace);
                        shell.show(&text)?;
                    }
                }
            }
            None if trace.is_some() || shell.styled() => {
                let panel = finished.of_file(plan.script, workspace);
                let text = view::run::cell(&cell.name, &panel, finished.outcome.elapsed, shell.look);
                for mut text in [Some(text), trace].into_iter().flatten() {
                    text.gap();
                    shell.show(&text)?;
                }
            }
            None => bare_cell(&finished, workspace, plan.script, shell)?,
        }
        shell.flush()?;
        shown += 1;
        failed += usize::from(failure.is_some());
    }
    let is_file = plan.cells.iter().all(|cell| cell.step.is_none());
    if is_file && shell.styled() && plan.cells.len() > 1 {
        shell.show(&view::run::finished(shown, failed, start.elapsed(), shell.look))?;
    }
    Ok(())
}

/// Writes what a file's cell printed and its last expression, for a pipe; its error is a remark.
fn bare_cell(
    finished: &FinishedCell,
    workspace: &Workspace,
    script: bool,
    shell: &mut Shell,
) -> Result<(), Failure> {
    let FinishedCell { cell, outcome, .. } = finished;
    let printed = printed(outcome, script, shell);
    if let Some(raised) = &outcome.error {
        shell.remark(&format!("{} raised", cell.name));
        shell.note(&error(&workspace.error_note(raised, &cell.source), shell.look));
    }
    match printed {
        Err(Failure::Closed) if outcome.error.is_some() => Err(Failure::ClosedAfterError),
        printed => printed,
    }
}

fn printed(outcome: &Outcome, script: bool, shell: &mut Shell) -> Result<(), Failure> {
    shell.say(&outcome.stdout)?;
    shell.aside(&outcome.stderr);
    if let Some(result) = outcome.result.as_ref().filter(|_| !script) {
        if !outcome.stdout.is_empty() && !outcome.stdout.ends_with('\n') {
            shell.say("\n")?;
        }
        shell.say(&format!("{result}\n"))?;
    }
    shell.flush()
}
