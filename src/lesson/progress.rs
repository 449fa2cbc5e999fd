//! What a learner has done: steps seen, answers given, exercises tried. Kept under names, not numbers,
//! so that a new step shifts nothing.
//!
//! Whoever saves applies its own [`Change`]s to what is stored by then: two programs at once lose nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Exercise, Lesson, Step};

/// The form that this program writes.
pub const SCHEMA: &str = "attn.progress/1";
/// Attempts at one exercise that are kept, the newest.
const ATTEMPTS: usize = 20;

/// All that is kept of a learner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// [`SCHEMA`].
    pub schema: String,
    /// Where the walkthrough was left.
    #[serde(default)]
    pub place: Option<Place>,
    /// By the lesson's id.
    #[serde(default)]
    pub lessons: BTreeMap<String, Studied>,
}

/// A place in the chapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The lesson's id.
    pub lesson: String,
    /// The slug of a step or of an exercise; empty at the end of the lesson.
    pub slug: String,
}

/// What was done of one lesson.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Studied {
    /// By the step's slug.
    #[serde(default)]
    pub steps: BTreeMap<String, Seen>,
    /// By the exercise's slug.
    #[serde(default)]
    pub exercises: BTreeMap<String, Tried>,
}

/// What was done of one step.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seen {
    /// Whether its outcome was seen.
    #[serde(default)]
    pub done: bool,
    /// By the question.
    #[serde(default)]
    pub predictions: BTreeMap<String, Predicted>,
}

/// What was answered to one question.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Predicted {
    /// Every answer, in order.
    #[serde(default)]
    pub answers: Vec<Given>,
    /// Whether it was passed over.
    #[serde(default)]
    pub passed: bool,
}

/// One answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// As it was typed; for a choice, its words.
    pub text: String,
    /// Whether it was right.
    pub right: bool,
}

/// What was done of one exercise.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// The code of the attempts, the newest last.
    #[serde(default)]
    pub attempts: Vec<String>,
    /// How many tries there were in all.
    #[serde(default)]
    pub tries: usize,
    /// The code that passed the checks.
    #[serde(default)]
    pub passed: Option<String>,
    /// How many hints were read.
    #[serde(default)]
    pub hints: usize,
    /// Whether the solution was read.
    #[serde(default)]
    pub solution: bool,
    /// Whether it was passed over.
    #[serde(default)]
    pub skipped: bool,
}

/// One thing that the learner did.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Went to this place.
    At(Place),
    /// Saw the outcome of a step: lesson, slug.
    Done(String, String),
    /// Answered a question: lesson, slug, the question, the answer.
    Answered(String, String, String, Given),
    /// Passed over a question: lesson, slug, the question.
    Passed(String, String, String),
    /// Tried an exercise: lesson, slug, the code, whether it passed.
    Tried(String, String, String, bool),
    /// Did something with an exercise that is no try: lesson, slug, what.
    Helped(String, String, Help),
    /// Wants this forgotten.
    Forget(Forgotten),
}

/// What helps on with an exercise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Help {
    /// So many hints were read.
    Hints(usize),
    /// The solution was read.
    Solution,
    /// It was passed over.
    Skip,
}

/// What a reset forgets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Forgotten {
    /// Everything.
    All,
    /// A lesson, by its id.
    Lesson(String),
    /// A step or an exercise: lesson, slug.
    One(String, String),
}

/// Why a stored text is no [`Progress`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unread {
    /// A later version of the program wrote it: in this form.
    Newer(String),
    /// It is not what it claims to be: why.
    Damaged(String),
}

impl Default for Progress {
    fn default() -> Self {
        Progress { schema: SCHEMA.to_owned(), place: None, lessons: BTreeMap::new() }
    }
}

impl Progress {
    /// Reads what [`Progress::text`] wrote. Errors: another form, or damage.
    pub fn read(text: &str) -> Result<Progress, Unread> {
        let value: serde_json::Value =
            serde_json::from_str(text).map_err(|error| Unread::Damaged(error.to_string()))?;
        match value.get("schema").and_then(|schema| schema.as_str()) {
            Some(SCHEMA) => serde_json::from_value(value).map_err(|error| Unread::Damaged(error.to_string())),
            Some(other) if other.starts_with("attn.progress/") => Err(Unread::Newer(other.to_owned())),
            _ => Err(Unread::Damaged(format!("it does not say \"schema\": \"{SCHEMA}\""))),
        }
    }

    /// As it is stored.
    pub fn text(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("names and numbers can be written as JSON");
        text.push('\n');
        text
    }

    /// Does what the change says.
    pub fn apply(&mut self, change: &Change) {
        match change {
            Change::At(place) => self.place = Some(place.clone()),
            Change::Done(lesson, slug) => self.seen_mut(lesson, slug).done = true,
            Change::Answered(lesson, slug, ask, given) => {
                let asked = self.seen_mut(lesson, slug).predictions.entry(ask.clone()).or_default();
                asked.answers.push(given.clone());
                asked.passed = false;
            }
            Change::Passed(lesson, slug, ask) => {
                let asked = self.seen_mut(lesson, slug).predictions.entry(ask.clone()).or_default();
                asked.passed = true;
            }
            Change::Tried(lesson, slug, code, passed) => self.tried_mut(lesson, slug).add(code, *passed),
            Change::Helped(lesson, slug, help) => {
                let tried = self.tried_mut(lesson, slug);
                match help {
                    Help::Hints(hints) => tried.hints = tried.hints.max(*hints),
                    Help::Solution => tried.solution = true,
                    Help::Skip => tried.skipped = true,
                }
            }
            Change::Forget(Forgotten::All) => *self = Progress::default(),
            Change::Forget(Forgotten::Lesson(id)) => {
                self.lessons.remove(id);
                self.place.take_if(|place| place.lesson == *id);
            }
            Change::Forget(Forgotten::One(id, slug)) => {
                if let Some(lesson) = self.lessons.get_mut(id) {
                    lesson.steps.remove(slug);
                    lesson.exercises.remove(slug);
                }
            }
        }
    }

    fn seen_mut(&mut self, lesson: &str, slug: &str) -> &mut Seen {
        let studied = self.lessons.entry(lesson.to_owned()).or_default();
        studied.steps.entry(slug.to_owned()).or_default()
    }

    fn tried_mut(&mut self, lesson: &str, slug: &str) -> &mut Tried {
        let studied = self.lessons.entry(lesson.to_owned()).or_default();
        studied.exercises.entry(slug.to_owned()).or_default()
    }

    /// What was done of a step, if anything.
    pub fn seen(&self, lesson: &Lesson, step: &Step) -> Option<&Seen> {
        self.lessons.get(&lesson.id)?.steps.get(&step.slug)
    }

    /// Whether a step's outcome was seen.
    pub fn done(&self, lesson: &Lesson, step: &Step) -> bool {
        self.seen(lesson, step).is_some_and(|seen| seen.done)
    }

    /// What was done of an exercise, if anything.
    pub fn tried(&self, lesson: &Lesson, exercise: &Exercise) -> Option<&Tried> {
        self.lessons.get(&lesson.id)?.exercises.get(&exercise.slug)
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.place.is_none() && self.lessons.is_empty()
    }

    /// The figures of a lesson's predictions and exercises.
    pub fn tally(&self, lesson: &Lesson) -> Tally {
        let mut tally = Tally { exercises: lesson.exercises.len(), ..Tally::default() };
        for step in &lesson.steps {
            tally.questions += step.predictions.len();
            let asked = self.seen(lesson, step).map(|seen| &seen.predictions);
            for prediction in &step.predictions {
                let Some(given) = asked.and_then(|asked| asked.get(&prediction.ask)) else { continue };
                match given.answers.iter().position(|given| given.right) {
                    Some(0) => tally.at_once += 1,
                    Some(_) => tally.later += 1,
                    None => {}
                }
            }
        }
        let passed =
            |exercise: &&Exercise| self.tried(lesson, exercise).is_some_and(|it| it.passed.is_some());
        tally.passed = lesson.exercises.iter().filter(passed).count();
        tally
    }
}

impl Tried {
    fn add(&mut self, code: &str, passed: bool) {
        self.tries += 1;
        if self.attempts.last().is_none_or(|last| last != code) {
            self.attempts.push(code.to_owned());
        }
        let surplus = self.attempts.len().saturating_sub(ATTEMPTS);
        self.attempts.drain(..surplus);
        if passed {
            self.passed = Some(code.to_owned());
            self.skipped = false;
        }
    }
}

impl Predicted {
    /// Whether the right answer was given.
    pub fn right(&self) -> bool {
        self.answers.iter().any(|given| given.right)
    }
}

/// How a lesson's questions and exercises went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Predictions that it asks for.
    pub questions: usize,
    /// Right at the first try.
    pub at_once: usize,
    /// Right, after others.
    pub later: usize,
    /// Exercises that it has.
    pub exercises: usize,
    /// Exercises whose checks were passed.
    pub passed: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(slug: &str, text: &str, right: bool) -> Change {
        let given = Given { text: text.to_owned(), right };
        Change::Answered("lesson".to_owned(), slug.to_owned(), "What?".to_owned(), given)
    }

    #[test]
    fn what_is_written_is_read() {
        let mut progress = Progress::default();
        let place = Place { lesson: "lesson".to_owned(), slug: "scores".to_owned() };
        for change in [
            Change::At(place),
            Change::Done("lesson".to_owned(), "scores".to_owned()),
            answered("scores", "(6, 3)", false),
            answered("scores", "6", true),
            Change::Tried("lesson".to_owned(), "write".to_owned(), "x = \"é\"\n".to_owned(), true),
            Change::Helped("lesson".to_owned(), "write".to_owned(), Help::Hints(2)),
        ] {
            progress.apply(&change);
        }
        assert_eq!(Progress::read(&progress.text()), Ok(progress));
    }

    #[test]
    fn other_forms_are_told_apart() {
        assert!(matches!(Progress::read(""), Err(Unread::Damaged(_))));
        assert!(matches!(Progress::read("{\"lessons\": {}}"), Err(Unread::Damaged(_))));
        let newer = "{\"schema\": \"attn.progress/2\"}";
        assert_eq!(Progress::read(newer), Err(Unread::Newer("attn.progress/2".to_owned())));
        let bent = format!("{{\"schema\": \"{SCHEMA}\", \"lessons\": 3}}");
        assert!(matches!(Progress::read(&bent), Err(Unread::Damaged(_))));
    }

    #[test]
    fn attempts_are_kept_up_to_a_number() {
        let mut progress = Progress::default();
        for n in 0..ATTEMPTS + 5 {
            progress.apply(&Change::Tried("l".to_owned(), "e".to_owned(), format!("x = {n}"), false));
        }
        let tried = &progress.lessons["l"].exercises["e"];
        assert_eq!((tried.tries, tried.attempts.len()), (ATTEMPTS + 5, ATTEMPTS));
        assert_eq!(tried.attempts.last().map(String::as_str), Some("x = 24"));
    }

    #[test]
    fn changes_of_two_programs_add_up() {
        let (ours, theirs) = (answered("a", "1", false), answered("b", "2", true));
        let mut one = Progress::default();
        let mut other = Progress::default();
        one.apply(&ours);
        one.apply(&theirs);
        other.apply(&theirs);
        other.apply(&ours);
        assert_eq!(one, other);
        assert_eq!(one.lessons["lesson"].steps.len(), 2);
    }
}
