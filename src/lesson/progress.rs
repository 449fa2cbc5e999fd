//! What a learner has done: steps seen, answers given, exercises tried. Stored by names, not numbers, so that a new
//! step does not shift it.
//!
//! To save is to apply one's own [`ProgressChange`]s to what is stored at that time, so that two programs that run at
//! once lose nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::exercise::Exercise;
use super::step::{Lesson, Step};

/// The schema that this program writes.
pub const SCHEMA: &str = "attn.progress/1";
/// How many attempts at one exercise are stored; older ones are dropped.
const ATTEMPTS: usize = 20;

/// What is stored of a learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// [`SCHEMA`].
    pub(crate) schema: String,
    /// The place where the walkthrough ended.
    #[serde(default)]
    pub(crate) place: Option<Bookmark>,
    /// By the lesson's id.
    #[serde(default)]
    pub lessons: BTreeMap<String, LessonProgress>,
    /// What a later version of the program stored.
    #[serde(flatten)]
    pub(crate) rest: UnknownFields,
}

/// A place in the course.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bookmark {
    /// The lesson's id.
    pub lesson: String,
    /// The slug of a step or of an exercise; empty at the end of the lesson.
    pub slug: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LessonProgress {
    /// By the step's slug.
    #[serde(default)]
    pub steps: BTreeMap<String, StepProgress>,
    /// By the exercise's slug.
    #[serde(default)]
    pub exercises: BTreeMap<String, ExerciseProgress>,
    /// What a later version of the program stored.
    #[serde(flatten)]
    pub(crate) rest: UnknownFields,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepProgress {
    /// Whether the learner saw its outcome.
    #[serde(default)]
    pub(crate) done: bool,
    #[serde(default)]
    pub(crate) predictions: BTreeMap<String, QuestionProgress>,
    /// What a later version of the program stored.
    #[serde(flatten)]
    pub(crate) rest: UnknownFields,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct QuestionProgress {
    /// Every answer, in order.
    #[serde(default)]
    pub(crate) answers: Vec<GivenAnswer>,
    /// Whether the learner skipped it.
    #[serde(default)]
    pub(crate) passed: bool,
    /// When it comes again, once it was reviewed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) review: Option<ReviewProgress>,
    /// What a later version of the program stored.
    #[serde(flatten)]
    pub(crate) rest: UnknownFields,
}

/// When a question comes again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ReviewProgress {
    /// How many times in a row it was answered right.
    pub(crate) streak: u32,
    /// The day on which it is due, counted from 1970-01-01.
    pub(crate) due: u64,
    /// What a later version of the program stored.
    #[serde(flatten)]
    pub(crate) rest: UnknownFields,
}

/// Fields that this version of the program does not know. They are written again as they were read.
type UnknownFields = serde_json::Map<String, serde_json::Value>;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnswer {
    /// The text that was typed; for a choice, its words.
    pub text: String,
    pub right: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExerciseProgress {
    /// The code of the attempts, the newest last.
    #[serde(default)]
    pub attempts: Vec<String>,
    /// The number of all attempts.
    #[serde(default)]
    pub tries: usize,
    /// The code that passed the checks.
    #[serde(default)]
    pub(crate) passed: Option<String>,
    /// How many hints were read.
    #[serde(default)]
    pub(crate) hints: usize,
    #[serde(default)]
    pub(crate) solution: bool,
    #[serde(default)]
    pub(crate) skipped: bool,
    /// What a later version of the program stored.
    #[serde(flatten)]
    pub(crate) rest: UnknownFields,
}

/// One thing that the learner did.
#[derive(Clone, PartialEq)]
pub enum ProgressChange {
    /// The learner went to this place.
    At(Bookmark),
    /// The learner saw the outcome of a step: lesson, slug.
    Done(String, String),
    /// The learner answered a question: lesson, slug, the question, the answer.
    Answered(String, String, String, GivenAnswer),
    /// The learner answered a question again: lesson, slug, the question, whether the answer was right, the day.
    Reviewed(String, String, String, bool, u64),
    /// The learner skipped a question: lesson, slug, the question.
    Passed(String, String, String),
    /// The learner tried an exercise: lesson, slug, the code, whether it passed.
    Tried(String, String, String, bool),
    /// The learner wrote code for an exercise and left without running it: lesson, slug, the code.
    Written(String, String, String),
    /// The learner used help in an exercise: lesson, slug, which help.
    Helped(String, String, ExerciseHelp),
    Forget(ResetScope),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ExerciseHelp {
    /// This many hints were read.
    Hints(usize),
    Solution,
    /// The exercise was skipped.
    Skip,
}

#[derive(Clone, PartialEq, Eq)]
pub enum ResetScope {
    All,
    /// A lesson, by its id.
    Lesson(String),
    /// A step or an exercise: lesson, slug.
    One(String, String),
}

/// Why a stored text cannot be read as [`Progress`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgressError {
    /// A later version of the program wrote it, with this schema.
    #[error("it was written by a newer attn ({0})")]
    Newer(String),
    /// It is damaged: in this way.
    #[error("it is damaged ({0})")]
    Damaged(String),
}

/// Whether a later version wrote this schema.
fn is_later(schema: &str) -> bool {
    let version = |schema: &str| schema.strip_prefix("attn.progress/")?.parse::<u64>().ok();
    version(schema) > version(SCHEMA)
}

impl Default for Progress {
    fn default() -> Self {
        Progress {
            schema: SCHEMA.to_owned(),
            place: None,
            lessons: BTreeMap::new(),
            rest: UnknownFields::new(),
        }
    }
}

impl Progress {
    /// Reads the text of [`Progress::text`]. Errors: another schema, or damage.
    pub fn read(text: &str) -> Result<Progress, ProgressError> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| ProgressError::Damaged(error.to_string()))?;
        match value.get("schema").and_then(|schema| schema.as_str()) {
            Some(SCHEMA) => {
                serde_json::from_value(value).map_err(|error| ProgressError::Damaged(error.to_string()))
            }
            Some(other) if is_later(other) => Err(ProgressError::Newer(other.to_owned())),
            _ => Err(ProgressError::Damaged(format!("it does not say \"schema\": \"{SCHEMA}\""))),
        }
    }

    /// The text that is stored.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("names and numbers can be written as JSON");
        text.push('\n');
        text
    }

    pub fn apply(&mut self, change: &ProgressChange) {
        match change {
            ProgressChange::At(place) => self.place = Some(place.clone()),
            ProgressChange::Done(lesson, slug) => self.seen_mut(lesson, slug).done = true,
            ProgressChange::Answered(lesson, slug, ask, given) => {
                let asked = self.asked_mut(lesson, slug, ask);
                asked.answers.push(given.clone());
                asked.passed = false;
            }
            ProgressChange::Passed(lesson, slug, ask) => self.asked_mut(lesson, slug, ask).passed = true,
            ProgressChange::Reviewed(lesson, slug, ask, right, day) => {
                self.asked_mut(lesson, slug, ask).review.get_or_insert_default().add(*right, *day);
            }
            ProgressChange::Tried(lesson, slug, code, passed) => {
                self.tried_mut(lesson, slug).add(code, *passed)
            }
            ProgressChange::Written(lesson, slug, code) => {
                let tried = self.tried_mut(lesson, slug);
                tried.keep(code);
                tried.skipped = false;
            }
            ProgressChange::Helped(lesson, slug, help) => {
                let tried = self.tried_mut(lesson, slug);
                match help {
                    ExerciseHelp::Hints(hints) => tried.hints = tried.hints.max(*hints),
                    ExerciseHelp::Solution => tried.solution = true,
                    ExerciseHelp::Skip => tried.skipped = true,
                }
            }
            ProgressChange::Forget(ResetScope::All) => *self = Progress::default(),
            ProgressChange::Forget(ResetScope::Lesson(id)) => {
                self.lessons.remove(id);
                self.place.take_if(|place| place.lesson == *id);
            }
            ProgressChange::Forget(ResetScope::One(id, slug)) => {
                if let Some(lesson) = self.lessons.get_mut(id) {
                    lesson.steps.remove(slug);
                    lesson.exercises.remove(slug);
                }
            }
        }
    }

    fn seen_mut(&mut self, lesson: &str, slug: &str) -> &mut StepProgress {
        let studied = self.lessons.entry(lesson.to_owned()).or_default();
        studied.steps.entry(slug.to_owned()).or_default()
    }

    fn asked_mut(&mut self, lesson: &str, slug: &str, ask: &str) -> &mut QuestionProgress {
        self.seen_mut(lesson, slug).predictions.entry(ask.to_owned()).or_default()
    }

    fn tried_mut(&mut self, lesson: &str, slug: &str) -> &mut ExerciseProgress {
        let studied = self.lessons.entry(lesson.to_owned()).or_default();
        studied.exercises.entry(slug.to_owned()).or_default()
    }

    /// The progress in a step, if there is any.
    pub(crate) fn seen(&self, lesson: &Lesson, step: &Step) -> Option<&StepProgress> {
        self.lessons.get(&lesson.id)?.steps.get(&step.slug)
    }

    /// Whether the learner saw the outcome of a step.
    pub(crate) fn done(&self, lesson: &Lesson, step: &Step) -> bool {
        self.seen(lesson, step).is_some_and(|seen| seen.done)
    }

    /// The progress in an exercise, if there is any.
    pub(crate) fn tried(&self, lesson: &Lesson, exercise: &Exercise) -> Option<&ExerciseProgress> {
        self.lessons.get(&lesson.id)?.exercises.get(&exercise.slug)
    }

    /// Whether nothing is stored.
    pub(crate) fn is_empty(&self) -> bool {
        self.place.is_none() && self.lessons.is_empty()
    }
}

impl ExerciseProgress {
    fn keep(&mut self, code: &str) {
        if self.attempts.last().is_none_or(|last| last != code) {
            self.attempts.push(code.to_owned());
        }
        let surplus = self.attempts.len().saturating_sub(ATTEMPTS);
        self.attempts.drain(..surplus);
    }

    fn add(&mut self, code: &str, passed: bool) {
        self.tries += 1;
        self.keep(code);
        if passed {
            self.passed = Some(code.to_owned());
            self.skipped = false;
        }
    }
}

/// After how many days a question comes again that was answered right once, twice and so on in a row.
const DAYS: [u64; 5] = [1, 3, 7, 16, 35];

impl ReviewProgress {
    /// Records an answer that was given on this day. A wrong answer makes the question due on the same day.
    fn add(&mut self, right: bool, day: u64) {
        self.streak = if right { self.streak + 1 } else { 0 };
        self.due = match self.streak as usize {
            0 => day,
            times => day + DAYS[(times - 1).min(DAYS.len() - 1)],
        };
    }
}
