//! `attn faq`: the questions that readers of the chapter ask most, found by a learner's own words, each with a cell that
//! shows the answer.

use serde_json::{Value, json};

use super::super::cells::course;
use super::super::cells::document::{of_cell, of_run};
use super::super::cells::plan::PlannedCell;
use super::super::cells::runner::{FinishedCell, Runner};
use super::super::cells::workspace::Workspace;
use super::super::json::write_json;
use super::super::terminal::shell::{Exit, Failure, Shell};
use super::options::GlobalOptions;
use crate::lesson::search::search;
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
    let catalogue = course::catalogue()?;
    let wanted = args.words.join(" ");
    if !shell.options.json {
        let (text, exit) = answer(&wanted, &catalogue, "attn faq", &shell.options, shell.look)?;
        return shell.show(&text).map(|()| exit);
    }
    let faq = questions(&catalogue)?;
    if wanted.trim().is_empty() {
        let question =
            |(at, step): (usize, &Step)| json!({"number": at + 1, "slug": step.slug, "question": step.title});
        let questions: Vec<Value> = faq.steps.iter().enumerate().map(question).collect();
        write_json(&json!({"schema": "attn.faq/1", "questions": questions}), shell)?;
        return Ok(Exit::Good);
    }
    let step = &faq.steps[found(&wanted, faq, &catalogue, "attn faq")?[0]];
    run_question(step, faq, &catalogue, &shell.options.clone(), &mut |finished, _| {
        let document = of_cell(finished.index, finished.cell, &finished.outcome, None);
        write_json(&of_run(&step.slug, finished.failure().is_none(), &[document]), shell)
    })
}

/// The list of questions, or the answer to the one that fits these words best, and how its cell ended; `command` is how the
/// learner asks another one.
pub(crate) fn answer(
    wanted: &str,
    catalogue: &Catalogue,
    command: &str,
    options: &GlobalOptions,
    look: Look,
) -> Result<(Text, Exit), Failure> {
    let faq = questions(catalogue)?;
    if wanted.trim().is_empty() {
        return Ok((listed(faq, command, look), Exit::Good));
    }
    let found = found(wanted, faq, catalogue, command)?;
    let mut text = Text::new();
    let exit = run_question(&faq.steps[found[0]], faq, catalogue, options, &mut |finished, workspace| {
        if let (Some(whole), Some((shown, _))) = (finished.panel(&mut workspace.session), finished.cell.step)
        {
            let prose = format!("## {}\n\n{}", shown.title, shown.prose);
            text.append(panel(&Panel { prose, ..whole.clone() }, look));
        }
        Ok(())
    })?;
    let mut others = Text::new();
    for at in found.iter().skip(1).take(OTHERS) {
        let words = format!("see also: {command} {}: {}", at + 1, faq.steps[*at].title);
        others.append(remark(&words, look));
    }
    text.section(others);
    Ok((text, exit))
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
            let steps = faq.steps.iter();
            let texts = steps.map(|step| (step.title.as_str(), format!("{} {}", step.prose, step.after)));
            search(wanted, &texts.collect::<Vec<_>>(), &glossary)
        }
    };
    match found.is_empty() {
        true => Err(Failure::Usage(match command {
            "faq" => format!("no question fits these words; `all` lists the {count}, `g` explains terms"),
            _ => format!(
                "no question fits these words; `{command}` lists all {count}, `attn show glossary` explains terms"
            ),
        })),
        false => Ok(found),
    }
}

fn listed(faq: &Lesson, command: &str, look: Look) -> Text {
    let mut markdown = format!("# {}\n\n", faq.title);
    // In the walkthrough, the prompt has said what to type.
    if command != "faq" {
        markdown.push_str(&format!("{}\n\n", faq.summary));
    }
    for (at, step) in faq.steps.iter().enumerate() {
        markdown.push_str(&format!("{}. {}\n", at + 1, step.title));
    }
    prose(&markdown, look)
}

/// Runs the cell of a question after what it needs; `each` is called with it, and with a cell before it that failed.
fn run_question<'c>(
    step: &'c Step,
    faq: &'c Lesson,
    catalogue: &'c Catalogue,
    options: &GlobalOptions,
    each: &mut dyn FnMut(&FinishedCell, &mut Workspace<'c>) -> Result<(), Failure>,
) -> Result<Exit, Failure> {
    let needed = catalogue.prelude_of(faq, 0)?;
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
