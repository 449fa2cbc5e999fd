//! What is exported: steps that were run for it, exercises, and what the learner said to each.
//! The catalogue and the progress in; interpreters run; nothing is written.

use serde::Serialize;

use super::super::document::CellDocument;
use super::super::options::GlobalOptions;
use super::super::plan::steps;
use super::super::runner::{FinishedCell, Runner};
use super::super::shell::Failure;
use super::super::step::step_panel;
use super::super::stops::{Stop, StopKind, find};
use super::super::workspace::Workspace;
use crate::lesson::progress::{ExerciseProgress, GivenAnswer, Progress};
use crate::lesson::{Catalogue, Exercise, Lesson, Step, Target};
use crate::session::Outcome;
use crate::view::Panel;
use crate::view::markdown::AnsweredQuestion;

/// What is exported, in order.
pub struct Material<'c> {
    /// Steps and exercises.
    pub parts: Vec<Part<'c>>,
}

/// One step or exercise.
pub enum Part<'c> {
    /// A step that ran.
    Step(Box<Run<'c>>),
    /// An exercise.
    Exercise(Written<'c>),
}

/// A step that ran.
pub struct Run<'c> {
    /// The step.
    pub step: &'c Step,
    /// Its lesson.
    pub lesson: &'c Lesson,
    /// Whether it ran only because a later one needs it.
    pub silent: bool,
    /// What came of it.
    pub outcome: Outcome,
    /// As it is shown.
    pub panel: Panel,
    /// What was asked, and what the learner answered.
    pub asked: Vec<AnsweredQuestion>,
    /// Whether the learner has seen it.
    pub done: bool,
    cell: CellDocument,
}

/// An exercise, and what the learner wrote.
pub struct Written<'c> {
    /// The exercise.
    pub exercise: &'c Exercise,
    /// Its lesson.
    pub lesson: &'c Lesson,
    /// What was done of it.
    pub tried: ExerciseProgress,
}

impl Written<'_> {
    /// The learner's code: what passed, else the newest attempt; else what there is to start from.
    pub fn code(&self) -> &str {
        let own = self.tried.passed.as_ref().or(self.tried.attempts.last());
        own.unwrap_or(&self.exercise.starter.source)
    }
}

impl<'c> Material<'c> {
    /// Runs what is asked for. With `seen_only`, of the chapter only lessons that the learner has been in.
    pub fn gather(
        place: Option<&str>,
        seen_only: bool,
        catalogue: &'c Catalogue,
        progress: &Progress,
        options: &GlobalOptions,
    ) -> Result<Material<'c>, Failure> {
        let stops = Stop::all(catalogue).map_err(|fault| Failure::Unreadable(fault.to_string()))?;
        let chosen = chosen(place, &stops, catalogue)?;
        let seen = |stop: &&Stop| !seen_only || progress.lessons.contains_key(&stop.lesson.id);
        let chosen: Vec<Stop<'c>> = chosen.iter().filter(seen).copied().collect();
        let shown: Vec<&'c Step> = chosen
            .iter()
            .filter_map(|stop| match stop.kind {
                StopKind::Step(step) => Some(step),
                _ => None,
            })
            .collect();
        let mut runs = run(&shown, catalogue, progress, options)?.into_iter().peekable();
        let mut parts = Vec::new();
        for stop in &chosen {
            match stop.kind {
                StopKind::Step(step) => {
                    while let Some(run) = runs.next_if(|run| run.step.number <= step.number) {
                        parts.push(Part::Step(Box::new(run)));
                    }
                }
                StopKind::Exercise(exercise) => {
                    let tried = progress.tried(stop.lesson, exercise).cloned().unwrap_or_default();
                    parts.push(Part::Exercise(Written { exercise, lesson: stop.lesson, tried }));
                }
                StopKind::End => {}
            }
        }
        Ok(Material { parts })
    }

    /// As machines read it.
    pub fn document<'m>(&'m self, target: &'m str) -> Document<'m> {
        let mut document =
            Document { schema: "attn.export/1", target, steps: Vec::new(), exercises: Vec::new() };
        for part in &self.parts {
            match part {
                Part::Step(run) => document.steps.push(StepRow {
                    section: &run.lesson.section,
                    title: &run.step.title,
                    prose: &run.step.prose,
                    cell: &run.cell,
                    after: &run.step.after,
                    needed_only: run.silent,
                    done: run.done,
                    predictions: run.asked.iter().map(answers).collect(),
                }),
                Part::Exercise(written) => document.exercises.push(ExerciseRow {
                    slug: &written.exercise.slug,
                    section: &written.lesson.section,
                    title: &written.exercise.title,
                    task: &written.exercise.task,
                    attempts: &written.tried.attempts,
                    passed: written.tried.passed.as_deref(),
                }),
            }
        }
        document
    }
}

/// The stops that are asked for.
fn chosen<'c>(
    place: Option<&str>,
    stops: &[Stop<'c>],
    catalogue: &Catalogue,
) -> Result<Vec<Stop<'c>>, Failure> {
    let Some(place) = place else {
        return Ok(stops.to_vec());
    };
    if let Ok(Target::Lesson(lesson)) = catalogue.find(place) {
        return Ok(stops.iter().filter(|stop| stop.lesson.id == lesson.id).copied().collect());
    }
    let at = find(stops, place, catalogue).map_err(Failure::Usage)?;
    Ok(vec![stops[at]])
}

fn run<'c>(
    shown: &[&'c Step],
    catalogue: &'c Catalogue,
    progress: &Progress,
    options: &GlobalOptions,
) -> Result<Vec<Run<'c>>, Failure> {
    let cells = steps(shown, catalogue)?;
    let mut workspace = Workspace::new(options);
    let mut runner = Runner::new(&mut workspace, &cells).keep_going(true);
    let mut runs = Vec::with_capacity(cells.len());
    while let Some(FinishedCell { index, cell, outcome, .. }) = runner.next() {
        let (step, lesson) = cell.step.expect("the plan has steps only");
        runs.push(Run {
            step,
            lesson,
            silent: cell.silent,
            panel: step_panel(step, lesson, &outcome, &mut runner.workspace.session, catalogue),
            asked: asked(step, lesson, progress),
            done: progress.done(lesson, step),
            cell: CellDocument::new(index, cell, &outcome),
            outcome,
        });
    }
    match runner.is_interrupted() {
        true => Err(Failure::Stopped),
        false => Ok(runs),
    }
}

fn asked(step: &Step, lesson: &Lesson, progress: &Progress) -> Vec<AnsweredQuestion> {
    let seen = progress.seen(lesson, step);
    let one = |ask: &String| {
        let given = seen.and_then(|seen| seen.predictions.get(ask)).map(|it| it.answers.as_slice());
        let answer = |given: &GivenAnswer| (given.text.clone(), given.right);
        AnsweredQuestion { ask: ask.clone(), answers: given.unwrap_or_default().iter().map(answer).collect() }
    };
    step.predictions.iter().map(|prediction| one(&prediction.ask)).collect()
}

/// An export, as machines read it.
#[derive(Serialize)]
pub struct Document<'m> {
    schema: &'static str,
    target: &'m str,
    steps: Vec<StepRow<'m>>,
    exercises: Vec<ExerciseRow<'m>>,
}

#[derive(Serialize)]
struct StepRow<'m> {
    section: &'m str,
    title: &'m str,
    prose: &'m str,
    #[serde(flatten)]
    cell: &'m CellDocument,
    after: &'m str,
    needed_only: bool,
    done: bool,
    predictions: Vec<Answers<'m>>,
}

#[derive(Serialize)]
struct Answers<'m> {
    ask: &'m str,
    answers: Vec<Answer<'m>>,
}

#[derive(Serialize)]
struct Answer<'m> {
    text: &'m str,
    right: bool,
}

#[derive(Serialize)]
struct ExerciseRow<'m> {
    slug: &'m str,
    section: &'m str,
    title: &'m str,
    task: &'m str,
    attempts: &'m [String],
    passed: Option<&'m str>,
}

fn answers(asked: &AnsweredQuestion) -> Answers<'_> {
    Answers {
        ask: &asked.ask,
        answers: asked.answers.iter().map(|(text, right)| Answer { text, right: *right }).collect(),
    }
}
