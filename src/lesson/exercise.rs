//! Predictions and exercises as data. Who plays them decides how they look.
//! Expressions stay text here; the session evaluates them.

/// A question asked before a cell runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The question, Markdown.
    pub ask: String,
    /// What is right.
    pub answer: Answer,
    /// The usual wrong answers.
    pub wrong: Vec<Wrong>,
    /// What to say to the right answer.
    pub right: String,
    /// Line of its fence in the file.
    pub line: usize,
}

/// The right answer, worked out after the cell has run, never typed in.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// The shape of this expression.
    Shape(String),
    /// The value of this expression (a number or a small tensor), within a tolerance.
    Value {
        /// The expression.
        expr: String,
        /// Largest difference that still counts; `None`: any sensible rounding.
        tolerance: Option<f64>,
    },
    /// One of these.
    Choice(Vec<Choice>),
}

/// One of several answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its words.
    pub text: String,
    /// Whether it is right.
    pub right: bool,
    /// What to say to whoever takes it.
    pub because: String,
}

/// A usual wrong answer and what it would have been right for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wrong {
    /// An expression with the wrong shape (for [`Answer::Shape`]: a tensor or a tuple) or value.
    pub value: String,
    /// What to say.
    pub because: String,
}

/// Code the learner finishes.
#[derive(Clone, Debug, PartialEq)]
pub struct Exercise {
    /// A stable slug.
    pub slug: String,
    /// A few words for the list.
    pub title: String,
    /// The section of its lesson.
    pub section: String,
    /// How long it takes.
    pub minutes: u32,
    /// The task, Markdown.
    pub task: String,
    /// What the learner starts from; fails the checks.
    pub starter: Code,
    /// Hints, each saying more than the one before.
    pub hints: Vec<String>,
    /// Code that passes the checks.
    pub solution: Code,
    /// Assertions, run one block after another on the learner's state.
    pub checks: Vec<Code>,
    /// Wrong solutions with what the checks must say to them.
    pub attempts: Vec<Attempt>,
    /// Markdown after it: what it showed.
    pub after: String,
    /// How many of the lesson's steps stand before it: its state is that after them.
    pub after_steps: usize,
    /// Line of its fence in the file.
    pub line: usize,
}

/// A piece of code and the line of its first line in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Code {
    /// The code.
    pub source: String,
    /// Its first line, from 1.
    pub line: usize,
}

/// A wrong solution that is often tried.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// The code.
    pub code: Code,
    /// Words that the checks' message holds.
    pub says: String,
}
