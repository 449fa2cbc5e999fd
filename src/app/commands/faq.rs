//! `attn faq`: the questions that readers of the chapter ask most, found by a learner's own words, each with a cell that
//! shows the answer.

use serde_json::{Value, json};

use super::super::cells::course;
use super::super::cells::document::{CellDocument, RunDocument};
use super::super::cells::plan::PlannedCell;
use super::super::cells::runner::{FinishedCell, Runner};
use super::super::cells::workspace::Workspace;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use super::options::GlobalOptions;
use crate::lesson::search::{Searched, search};
use crate::lesson::{Catalogue, Lesson, Step};
use crate::view::prose::prose;
use crate::view::wrap::remark;
use crate::view::{Look, Panel, Text, panel};

/// What `attn faq` takes.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Words of the question, or its number; without them, the list of questions
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
}

/// How many other questions are named beside the one that fits best.
const OTHERS: usize = 3;

/// Lists the questions, or answers the one that fits best.
pub(crate) fn run(args: &Args, shell: &mut Shell) -> Result<Exit, Failure> {
    asked(&args.words.join(" "), &course::catalogue()?, "attn faq", shell)
}

/// Lists the questions, or answers the one that fits these words best; `command` is how the learner asks another one.
pub(crate) fn asked(
    wanted: &str,
    catalogue: &Catalogue,
    command: &str,
    shell: &mut Shell,
) -> Result<Exit, Failure> {
    let faq = questions(catalogue)?;
    if wanted.trim().is_empty() {
        match shell.options.json {
            true => {
                let question = |(at, step): (usize, &Step)| json!({"number": at + 1, "slug": step.slug, "question": step.title});
                let questions: Vec<Value> = faq.steps.iter().enumerate().map(question).collect();
                write_json(&json!({"schema": "attn.faq/1", "questions": questions}), shell)?;
            }
            false => shell.show(&listed(faq, shell.look))?,
        }
        return Ok(Exit::Good);
    }
    let found = found(wanted, faq, catalogue, command)?;
    let step = &faq.steps[found[0]];
    if shell.options.json {
        return run_question(step, faq, catalogue, &shell.options.clone(), &mut |finished, _| {
            let document = CellDocument::new(finished.index, finished.cell, &finished.outcome);
            let (ok, target) = (finished.failure().is_none(), step.slug.clone());
            write_json(&RunDocument { schema: "attn.run/2", target, ok, cells: vec![document] }, shell)
        });
    }
    let (text, stderr, exit) = answered(step, faq, catalogue, &shell.options, shell.look)?;
    shell.aside(&stderr);
    shell.show(&text)?;
    for words in see_also(&found, faq, command) {
        shell.remark(&words);
    }
    Ok(exit)
}

/// The list of questions, or the answer to the one that fits these words best, as [`asked`] shows it.
pub(crate) fn text(
    wanted: &str,
    catalogue: &Catalogue,
    command: &str,
    options: &GlobalOptions,
    look: Look,
) -> Result<Text, Failure> {
    let faq = questions(catalogue)?;
    if wanted.trim().is_empty() {
        return Ok(listed(faq, look));
    }
    let found = found(wanted, faq, catalogue, command)?;
    let (mut text, ..) = answered(&faq.steps[found[0]], faq, catalogue, options, look)?;
    text.gap();
    for words in see_also(&found, faq, command) {
        text.append(remark(&words, look));
    }
    Ok(text)
}

/// The questions of a course, as a lesson. Errors: it has none, or they cannot be read.
fn questions(catalogue: &Catalogue) -> Result<&Lesson, Failure> {
    let none = || Failure::Usage("this course has no questions: faq.md is missing".to_owned());
    Ok(catalogue.faq().ok_or_else(none)??)
}

/// The numbers, from 0, of the questions that fit these words: at least one, the best first.
fn found(wanted: &str, faq: &Lesson, catalogue: &Catalogue, command: &str) -> Result<Vec<usize>, Failure> {
    let count = faq.steps.len();
    let found = match wanted.trim().parse::<usize>() {
        Ok(number) if !(1..=count).contains(&number) => {
            return Err(Failure::Usage(format!(
                "there is no question {number}: they are numbered 1 to {count}; `{command}` lists them"
            )));
        }
        Ok(number) => vec![number - 1],
        Err(_) => {
            let glossary = catalogue.glossary()?;
            let body = |step: &Step| format!("{} {}", step.prose, step.after);
            let bodies: Vec<String> = faq.steps.iter().map(body).collect();
            let texts: Vec<Searched> = faq
                .steps
                .iter()
                .zip(&bodies)
                .map(|(step, body)| Searched { title: &step.title, body })
                .collect();
            search(wanted, &texts, &glossary)
        }
    };
    match found.is_empty() {
        true => Err(Failure::Usage(format!(
            "no question contains these words; `{command}` lists all {count}, `attn show glossary` explains terms"
        ))),
        false => Ok(found),
    }
}

/// The other questions that fit, a line each.
fn see_also(found: &[usize], faq: &Lesson, command: &str) -> Vec<String> {
    let others = found.iter().skip(1).take(OTHERS);
    others.map(|at| format!("see also: {command} {}: {}", at + 1, faq.steps[*at].title)).collect()
}

fn listed(faq: &Lesson, look: Look) -> Text {
    let mut markdown = format!("# {}\n\n{}\n\n", faq.title, faq.summary);
    for (at, step) in faq.steps.iter().enumerate() {
        markdown.push_str(&format!("{}. {}\n", at + 1, step.title));
    }
    prose(&markdown, look)
}

/// The cell of a question with its outcome, what it wrote to stderr, and how it ended.
fn answered(
    step: &Step,
    faq: &Lesson,
    catalogue: &Catalogue,
    options: &GlobalOptions,
    look: Look,
) -> Result<(Text, String, Exit), Failure> {
    let (mut text, mut stderr) = (Text::new(), String::new());
    let exit = run_question(step, faq, catalogue, options, &mut |finished, workspace| {
        stderr.push_str(&finished.outcome.stderr);
        if let (Some(whole), Some((shown, _))) = (finished.panel(&mut workspace.session), finished.cell.step)
        {
            let prose = format!("## {}\n\n{}", shown.title, shown.prose);
            text.append(panel(&Panel { prose, ..whole.clone() }, look));
        }
        Ok(())
    })?;
    Ok((text, stderr, exit))
}

/// Runs the cell of a question after what it needs; `each` is called with it, and with a cell before it that failed.
fn run_question<'c>(
    step: &'c Step,
    faq: &'c Lesson,
    catalogue: &'c Catalogue,
    options: &GlobalOptions,
    each: &mut dyn FnMut(&FinishedCell, &mut Workspace<'c>) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let needed = catalogue.prelude_of_lesson(faq)?;
    let mut cells: Vec<PlannedCell> =
        needed.into_iter().map(|needed| PlannedCell::of_step(needed, true)).collect();
    cells.push(PlannedCell::of_step((step, faq), false));
    let mut workspace = Workspace::new(options);
    let mut runner = Runner::new(&mut workspace, &cells);
    while let Some(finished) = runner.next() {
        if !finished.cell.silent || finished.failure().is_some() {
            each(&finished, runner.workspace)?;
        }
    }
    Ok(runner.exit())
}
