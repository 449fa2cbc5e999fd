//! Predictions and exercises as data. Their expressions are text, which a session evaluates.

use serde::Deserialize;

use super::blank::Blank;

/// A question asked before a cell runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The question, Markdown.
    pub ask: String,
    pub answer: RightAnswer,
    /// The usual wrong answers.
    pub wrong: Vec<WrongAnswer>,
    /// The remark on the right answer.
    pub right: String,
    /// The step of an earlier lesson that it goes back to, by its slug.
    pub review: Option<String>,
    /// Line of its fence in the file.
    pub line: usize,
}

/// The right answer. It is evaluated after the cell has run.
#[derive(Clone, Debug, PartialEq)]
pub enum RightAnswer {
    /// The value of this expression (a number or a small tensor), in a rounding to two digits or more.
    Value(String),
    Choice(Vec<Choice>),
    /// Code that the learner writes in the cell.
    Code(Blank),
    /// An answer in the learner's own words, which they compare with this one.
    Open(String),
}

impl Prediction {
    /// The choices; none if it has no choices.
    pub(crate) fn choices(&self) -> &[Choice] {
        match &self.answer {
            RightAnswer::Choice(choices) => choices,
            _ => &[],
        }
    }

    /// The code that the learner writes, if that is the question.
    pub(crate) fn blank(&self) -> Option<&Blank> {
        match &self.answer {
            RightAnswer::Code(blank) => Some(blank),
            _ => None,
        }
    }
}

/// One of several answers.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    pub text: String,
    /// Other words that a learner may say for it.
    #[serde(default)]
    pub also: Vec<String>,
    #[serde(default)]
    pub right: bool,
    /// The remark on this answer.
    #[serde(default)]
    pub because: String,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrongAnswer {
    /// An expression with the wrong value; for [`RightAnswer::Code`] the code that was written.
    pub value: String,
    /// The remark: what this answer would be right for.
    pub because: String,
}

/// Code that the learner completes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exercise {
    pub slug: String,
    /// A short title for the list of steps.
    pub(crate) title: String,
    pub(crate) section: String,
    /// How long it takes.
    pub(crate) minutes: u32,
    /// The task, Markdown.
    pub task: String,
    /// The code that the learner starts from; it fails the checks.
    pub(crate) starter: Snippet,
    /// Hints, each saying more than the one before.
    pub hints: Vec<String>,
    /// Code that passes the checks.
    pub(crate) solution: Snippet,
    /// Checks, run one after another after the learner's code.
    pub checks: Vec<Check>,
    /// Usual wrong solutions, with the message of the checks.
    pub attempts: Vec<Attempt>,
    /// Markdown after the exercise: what it shows.
    pub(crate) after: String,
    /// The number of the lesson's steps before it. It starts from the state after them.
    pub after_steps: usize,
    /// Line of its fence in the file.
    pub(crate) line: usize,
}

impl Exercise {
    /// Its title as a heading: `Exercise: Let another token ask`, but `Exercise 3.1: ...` as it is.
    pub(crate) fn heading(&self) -> String {
        match self.title.starts_with("Exercise ") {
            true => self.title.clone(),
            false => format!("Exercise: {}", self.title),
        }
    }

    /// The part of what follows it that sums up the lesson, from its heading on; empty in most exercises.
    pub(crate) fn recap(&self) -> &str {
        let at =
            if self.after.starts_with("### ") { Some(0) } else { self.after.find("\n### ").map(|at| at + 1) };
        at.map_or("", |at| &self.after[at..])
    }
}

/// A piece of code and the line of its first line in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snippet {
    pub(crate) source: String,
    /// Its first line, from 1.
    pub(crate) line: usize,
}

/// Assertions about the learner's code.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    pub(crate) code: Snippet,
    /// What it asks for, Markdown; empty if the lesson does not say.
    pub asks: String,
}

/// A wrong solution that is often tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    pub(crate) code: Snippet,
    /// Words of the message that the checks raise.
    pub(crate) says: String,
}
