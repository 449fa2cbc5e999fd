//! `attn faq`: the questions that readers of the chapter ask most, found by a learner's own words, each with a cell that
//! shows the answer.

use serde::Serialize;

use super::course;
use super::document::{CellDocument, RunDocument};
use super::json::write_json;
use super::plan::PlannedCell;
use super::runner::Runner;
use super::shell::{Exit, Failure, Shell};
use super::step::step_panel;
use super::workspace::Workspace;
use crate::lesson::search::{Searched, search};
use crate::lesson::{Catalogue, Fault, Lesson, Step};
use crate::view::{Panel, panel};

/// What `attn faq` takes.
#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// Words of the question, or its number; without them, the list of questions
    #[arg(value_name = "WORDS")]
    words: Vec<String>,
}

#[derive(Serialize)]
struct QuestionsDocument<'c> {
    schema: &'static str,
    questions: Vec<QuestionDocument<'c>>,
}

#[derive(Serialize)]
struct QuestionDocument<'c> {
    number: usize,
    slug: &'c str,
    question: &'c str,
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
    let unreadable = |fault: Fault| Failure::Unreadable(fault.to_string());
    let Some(faq) = catalogue.faq() else {
        return Err(Failure::Usage("this course has no questions: faq.md is missing".to_owned()));
    };
    let faq = faq.map_err(unreadable)?;
    let count = faq.steps.len();
    if wanted.trim().is_empty() {
        return list(faq, shell);
    }
    let found = match wanted.trim().parse::<usize>() {
        Ok(number) if !(1..=count).contains(&number) => {
            return Err(Failure::Usage(format!(
                "there is no question {number}: they are numbered 1 to {count}; `{command}` lists them"
            )));
        }
        Ok(number) => vec![number - 1],
        Err(_) => {
            let glossary = catalogue.glossary().map_err(unreadable)?;
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
    let Some((&best, others)) = found.split_first() else {
        return Err(Failure::Usage(format!(
            "no question contains these words; `{command}` lists all {count}, `attn show glossary` explains terms"
        )));
    };
    let exit = answer(&faq.steps[best], faq, catalogue, shell)?;
    for at in others.iter().take(OTHERS) {
        shell.remark(&format!("see also: {command} {}: {}", at + 1, faq.steps[*at].title));
    }
    Ok(exit)
}

fn list<'f>(faq: &'f Lesson, shell: &mut Shell) -> Result<Exit, Failure> {
    let questions = faq.steps.iter().enumerate();
    if shell.options.json {
        let question = |(at, step): (usize, &'f Step)| QuestionDocument {
            number: at + 1,
            slug: &step.slug,
            question: &step.title,
        };
        let questions = questions.map(question).collect();
        write_json(&QuestionsDocument { schema: "attn.faq/1", questions }, shell)?;
        return Ok(Exit::Good);
    }
    let mut markdown = format!("# {}\n\n{}\n\n", faq.title, faq.summary);
    for (at, step) in questions {
        markdown.push_str(&format!("{}. {}\n", at + 1, step.title));
    }
    shell.show(&crate::view::prose::prose(&markdown, shell.look))?;
    Ok(Exit::Good)
}

/// Runs the cell of a question after what it needs, and shows it.
fn answer(step: &Step, faq: &Lesson, catalogue: &Catalogue, shell: &mut Shell) -> Result<Exit, Failure> {
    let unreadable = |fault: Fault| Failure::Unreadable(fault.to_string());
    let mut cells = Vec::new();
    for needed in catalogue.prelude_of_lesson(faq).map_err(unreadable)? {
        if let Some(lesson) = catalogue.lesson_of(needed) {
            cells.push(PlannedCell::of_step(needed, lesson, true));
        }
    }
    cells.push(PlannedCell::of_step(step, faq, false));
    let mut workspace = Workspace::new(&shell.options);
    let mut runner = Runner::new(&mut workspace, &cells);
    while let Some(finished) = runner.next() {
        if finished.cell.silent && finished.failure().is_none() {
            continue;
        }
        if shell.options.json {
            let document = CellDocument::new(finished.index, finished.cell, &finished.outcome);
            let ok = finished.failure().is_none();
            let target = step.slug.clone();
            write_json(&RunDocument { schema: "attn.run/2", target, ok, cells: vec![document] }, shell)?;
            continue;
        }
        shell.aside(&finished.outcome.stderr);
        let (shown, lesson) = finished.cell.step.unwrap_or((step, faq));
        let session = &mut runner.workspace.session;
        let whole = step_panel(shown, lesson, &finished.outcome, session, catalogue);
        // A question has no place among the steps of the course.
        let whole = Panel { total: 0, prose: format!("## {}\n\n{}", shown.title, shown.prose), ..whole };
        shell.show(&panel(&whole, shell.look))?;
    }
    Ok(runner.exit())
}
