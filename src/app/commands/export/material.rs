//! What is exported: steps, which run for the export, exercises, and the learner's answers.

use super::super::options::GlobalOptions;
use super::lineage::Lineage;
use crate::app::cells::plan::steps;
use crate::app::cells::runner::{FinishedCell, Runner};
use crate::app::cells::step::{shown_tensors, step_panel};
use crate::app::cells::workspace::Workspace;
use crate::app::learner::stops::{Stop, StopKind, find};
use crate::app::terminal::shell::Failure;
use crate::lesson::exercise::RightAnswer;
use crate::lesson::progress::{ExerciseProgress, Progress};
use crate::lesson::{Catalogue, Exercise, Lesson, LessonStep, Prediction, Step, Target};
use crate::session::Outcome;
use crate::view::Panel;
use crate::view::html::ShownTensors;
use crate::view::markdown::AnsweredQuestion;

/// One step or exercise.
pub(crate) enum ExportPart<'c> {
    Step(Box<ExportedStep<'c>>),
    Exercise(ExportedExercise<'c>),
}

impl<'c> ExportPart<'c> {
    pub(crate) fn lesson(&self) -> &'c Lesson {
        match self {
            ExportPart::Step(run) => run.lesson,
            ExportPart::Exercise(exported) => exported.lesson,
        }
    }

    /// Whether it is a step that ran only because a later one needs it.
    pub(crate) fn is_silent(&self) -> bool {
        matches!(self, ExportPart::Step(run) if run.silent)
    }
}

pub(crate) struct ExportedStep<'c> {
    pub(crate) step: &'c Step,
    pub(crate) lesson: &'c Lesson,
    /// Whether it ran only because a later step needs it.
    pub(crate) silent: bool,
    pub(crate) outcome: Outcome,
    pub(crate) panel: Panel,
    /// The questions and the learner's answers.
    pub(crate) asked: Vec<AnsweredQuestion>,
    /// Its tensors, if they are explained.
    pub(crate) tensors: ShownTensors,
    /// Whether the learner has seen it.
    pub(crate) done: bool,
}

/// An exercise and the learner's code.
pub(crate) struct ExportedExercise<'c> {
    pub(crate) exercise: &'c Exercise,
    pub(crate) lesson: &'c Lesson,
    /// The learner's progress.
    pub(crate) tried: ExerciseProgress,
}

impl ExportedExercise<'_> {
    /// The learner's code: what passed, else the newest attempt, else the starter.
    pub(crate) fn code(&self) -> &str {
        let own = self.tried.passed.as_ref().or(self.tried.attempts.last());
        own.unwrap_or(&self.exercise.starter.source)
    }
}

/// Runs the steps of a place or of the chapter. With `seen_only`, only the steps of lessons that the learner has begun.
/// `lineage` takes the tensors that they show, with their explanations.
pub(crate) fn gather<'c>(
    place: Option<&str>,
    seen_only: bool,
    catalogue: &'c Catalogue,
    progress: &Progress,
    options: &GlobalOptions,
    lineage: Option<&mut Lineage>,
) -> Result<Vec<ExportPart<'c>>, Failure> {
    let stops = Stop::all(catalogue)?;
    let chosen = chosen(place, &stops, catalogue)?;
    let seen = |stop: &&Stop| !seen_only || progress.lessons.contains_key(&stop.lesson.id);
    let chosen: Vec<Stop<'c>> = chosen.iter().filter(seen).copied().collect();
    let shown: Vec<LessonStep<'c>> = chosen
        .iter()
        .filter_map(|stop| match stop.kind {
            StopKind::Step(step) => Some((step, stop.lesson)),
            _ => None,
        })
        .collect();
    let mut runs = run(&shown, catalogue, progress, options, lineage)?.into_iter().peekable();
    let mut parts = Vec::new();
    for stop in &chosen {
        match stop.kind {
            StopKind::Step(step) => {
                while let Some(run) = runs.next_if(|run| run.step.number <= step.number) {
                    parts.push(ExportPart::Step(Box::new(run)));
                }
            }
            StopKind::Exercise(exercise) => {
                let tried = progress.tried(stop.lesson, exercise).cloned().unwrap_or_default();
                parts.push(ExportPart::Exercise(ExportedExercise { exercise, lesson: stop.lesson, tried }));
            }
            StopKind::End => {}
        }
    }
    Ok(parts)
}
/// The stops of a place, or all.
fn chosen<'c>(
    place: Option<&str>,
    stops: &[Stop<'c>],
    catalogue: &Catalogue,
) -> Result<Vec<Stop<'c>>, Failure> {
    let Some(place) = place else { return Ok(stops.to_vec()) };
    if let Ok(Target::Lesson(lesson)) = catalogue.find(place) {
        return Ok(stops.iter().filter(|stop| stop.lesson.id == lesson.id).copied().collect());
    }
    let at = find(stops, place, catalogue).map_err(Failure::Usage)?;
    Ok(vec![stops[at]])
}

fn run<'c>(
    shown: &[LessonStep<'c>],
    catalogue: &'c Catalogue,
    progress: &Progress,
    options: &GlobalOptions,
    mut lineage: Option<&mut Lineage>,
) -> Result<Vec<ExportedStep<'c>>, Failure> {
    let cells = steps(shown, catalogue)?;
    let mut workspace = Workspace::new(options);
    let mut runner = Runner::new(&mut workspace, &cells).keep_going(true);
    let mut runs = Vec::with_capacity(cells.len());
    while let Some(FinishedCell { cell, outcome, .. }) = runner.next() {
        let (step, lesson) = cell.step.expect("the plan has steps only");
        let panel = step_panel(step, lesson, &outcome, &mut runner.workspace.session);
        let tensors = match &mut lineage {
            Some(lineage) if !cell.silent => {
                let shown = shown_tensors(step, &outcome, &mut runner.workspace.session);
                let shown = panel.figures.iter().cloned().zip(shown.into_iter().map(|it| it.value));
                lineage.add(shown.collect(), runner.workspace)
            }
            _ => ShownTensors::default(),
        };
        runs.push(ExportedStep {
            step,
            lesson,
            silent: cell.silent,
            panel,
            tensors,
            asked: asked(step, lesson, progress),
            done: progress.done(lesson, step),
            outcome,
        });
    }
    if runner.is_interrupted() { Err(Failure::Stopped) } else { Ok(runs) }
}

fn asked(step: &Step, lesson: &Lesson, progress: &Progress) -> Vec<AnsweredQuestion> {
    let seen = progress.seen(lesson, step);
    let one = |Prediction { ask, answer, .. }: &Prediction| {
        let given = seen.and_then(|seen| seen.predictions.get(ask)).map(|it| it.answers.clone());
        let mut answers = given.unwrap_or_default();
        // An answer in the learner's own words was compared by nobody else.
        let is_open = matches!(answer, RightAnswer::Open(_));
        answers.iter_mut().for_each(|it| it.right &= !is_open);
        AnsweredQuestion { ask: ask.clone(), answers }
    };
    step.predictions.iter().map(one).collect()
}
