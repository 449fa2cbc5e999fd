//! What the learner has seen and done at a stop. It is kept, so that looking back runs nothing.

use crate::lesson::Prediction;
use crate::lesson::exercise::RightAnswer;
use crate::lesson::progress::ExerciseProgress;
use crate::view::learn::answered;
use crate::view::quiz::{AnswerVerdict, QuestionKind, question, reply};
use crate::view::{Look, Panel, Text};

/// How far the learner is at a stop.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PageStage {
    /// The question of this number waits for its answer.
    Asking(usize),
    /// The cell can be run, or the exercise can be written.
    #[default]
    Ready,
    /// The learner has seen all of it.
    Shown,
}

#[derive(Default)]
pub(crate) struct StopPage {
    /// How far the learner is.
    pub(crate) stage: PageStage,
    /// The cell's panel, since it ran. It may not have been shown yet.
    pub(crate) panel: Option<Panel>,
    /// Whether the printed tensors were unfolded.
    pub(crate) opened: bool,
    /// Whether it has a tensor to choose a number from, since its cell ran.
    pub(crate) has_tensors: bool,
    /// The questions, answers and replies so far.
    pub(crate) turns: Vec<PredictionLine>,
    /// The work on an exercise.
    pub(crate) book: Workbook,
    /// Whether the learner was told that Enter skips.
    pub(crate) warned: bool,
    /// Whether Ctrl-C stopped the cell the last time it ran.
    pub(crate) stopped: bool,
    /// The cell as the learner edited it.
    pub(crate) edited: Option<String>,
    /// The line at which what the learner wrote was stopped.
    pub(crate) stopped_at: Option<usize>,
}

/// The learner's work on an exercise.
#[derive(Clone, Default)]
pub(crate) struct Workbook {
    /// The number of hints shown.
    pub(crate) hints: usize,
    /// The number of the hint that was shown last, counted from 1.
    pub(crate) last_hint: usize,
    /// The newest attempt.
    pub(crate) attempt: Option<String>,
    pub(crate) passed: Option<String>,
    /// Whether the learner asked for the solution since they came here.
    pub(crate) solution: bool,
    /// Whether the learner was told that the key shows the solution.
    pub(crate) offered: bool,
}

impl Workbook {
    /// The work that the progress file has.
    pub(crate) fn of(tried: &ExerciseProgress) -> Workbook {
        Workbook {
            hints: tried.hints,
            last_hint: tried.hints,
            attempt: tried.attempts.last().cloned(),
            passed: tried.passed.clone(),
            ..Workbook::default()
        }
    }
}

/// Lines of a cell that stay on a screen of 24 rows with the question below them.
const LONG: usize = 14;

#[derive(Clone, PartialEq)]
pub(crate) enum PredictionLine {
    Question(String, Vec<String>, QuestionKind),
    /// The learner's answer.
    Answer(String),
    /// Whether it is right, and why (Markdown).
    Reply(AnswerVerdict, String),
}

impl PredictionLine {
    /// A question about a step's code, with its choices. Where a long cell has a blank, or the question ends with a colon, the line
    /// stands with the question: the cell may have left the screen.
    pub(crate) fn question(asked: &Prediction, code: &str) -> PredictionLine {
        let kind = match (&asked.review, asked.blank()) {
            (Some(_), _) => QuestionKind::Review,
            (None, Some(_)) => QuestionKind::Blank,
            (None, None) if matches!(asked.answer, RightAnswer::Open(_)) => QuestionKind::Open,
            (None, None) => QuestionKind::Prediction,
        };
        let is_open = asked.ask.ends_with(':') || code.lines().count() > LONG;
        let line = asked
            .blank()
            .filter(|_| is_open)
            .map(|blank| format!("\n\n`{}`", blank.open_line(code)))
            .unwrap_or_default();
        let choices = asked.choices().iter().map(|choice| choice.text.clone()).collect();
        PredictionLine::Question(format!("{}{line}", asked.ask), choices, kind)
    }

    pub(crate) fn text(&self, look: Look) -> Text {
        match self {
            PredictionLine::Question(ask, choices, kind) => question(ask, choices, *kind, look),
            PredictionLine::Answer(answer) => answered(answer, look),
            PredictionLine::Reply(standing, because) => reply(*standing, because, look),
        }
    }
}
