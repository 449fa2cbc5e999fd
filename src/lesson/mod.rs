//! Lesson files, notebooks and scripts to steps and cells; the catalogue of all steps; recorded outputs.
//! Reads text and gives data; only the gate runs anything, and nothing here prints.
//!
//! | file | what it does |
//! |---|---|
//! | [`myst`] | one lesson file to a [`Lesson`], or a [`Fault`] with file and line |
//! | [`vocabulary`] | every directive, option and axis name a lesson may use |
//! | [`exercise`] | predictions and exercises as data |
//! | [`answer`], [`judge`] | what a learner answers, read and judged by meaning |
//! | [`invariant`] | the sentences of `:check:` |
//! | [`catalogue`] | all lessons of this program; names to steps |
//! | [`progress`] | what a learner has done, as data |
//! | [`notebook`], [`script`] | what others wrote: `.ipynb`, `.py`, `.md` |
//! | [`written`] | cells to a script or a notebook |
//! | [`views`] | the pictures that a step asks for, and the tensors they are of |
//! | [`glossary`], [`terms`] | the field's words, and where lessons use them |
//! | [`compare`] | recorded output against what came out now |
//! | [`gate`] | a lesson run, and all it claims tried |

pub mod answer;
pub mod catalogue;
pub mod compare;
mod embed;
pub mod exercise;
mod fence;
pub mod gate;
pub mod glossary;
pub mod invariant;
pub mod judge;
mod markdown;
pub mod myst;
pub mod notebook;
mod predict;
pub mod progress;
pub mod script;
pub mod terms;
pub mod views;
pub mod vocabulary;
pub mod written;

use std::fmt;

pub use catalogue::{Catalogue, Target};
pub use exercise::{Exercise, Prediction};
pub use glossary::Glossary;
pub use invariant::Invariant;
pub use notebook::Document;
pub use views::View;

/// One lesson file: front matter, what stands before the first step, and the steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    /// A stable name, e.g. `simple-self-attention`.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The section of the chapter, e.g. `3.3.1`.
    pub section: String,
    /// Other names that find it, e.g. `exercise 3.1`.
    pub also: Vec<String>,
    /// The words that label the axes `token`, `query` and `key`.
    pub tokens: Vec<String>,
    /// One or two sentences for the list of lessons.
    pub summary: String,
    /// How long it takes to go through, exercises included.
    pub minutes: u32,
    /// Ids of the lessons whose variables this one goes on with.
    pub needs: Vec<String>,
    /// The file it was read from.
    pub file: String,
    /// The whole of that file.
    pub text: String,
    /// Markdown between the title and the first step.
    pub intro: String,
    /// The steps, in reading order.
    pub steps: Vec<Step>,
    /// The exercises, in reading order.
    pub exercises: Vec<Exercise>,
}

/// One code cell of a lesson with all that is said about it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Position in the whole chapter, from 1.
    pub number: usize,
    /// The cell's stable name, e.g. `scores`.
    pub slug: String,
    /// The heading it stands under; empty if it shares one with the step before.
    pub title: String,
    /// The section of its lesson.
    pub section: String,
    /// Markdown before the cell.
    pub prose: String,
    /// The cell's code, without its option lines.
    pub code: String,
    /// Line of the code's first line in the file, from 1.
    pub line: usize,
    /// What the cell printed and, after it, the text of its bare last expression.
    pub recorded: Option<String>,
    /// Names of the axes of some of its tensors.
    pub axes: Vec<AxisNames>,
    /// Tensors worth a table; `None`: those that the cell bound or changed.
    pub show: Option<Vec<String>>,
    /// Pictures worth drawing, in order.
    pub views: Vec<View>,
    /// One element worth a worked line, e.g. `attn_scores_2[1]`.
    pub why: Option<String>,
    /// Invariants as written; [`Step::invariants`] gives them as data.
    pub checks: Vec<String>,
    /// Markdown after the output: what these numbers show.
    pub after: String,
    /// Questions to ask before the cell runs.
    pub predictions: Vec<Prediction>,
    /// The cell draws from a stream that differs between builds; `book` or `mkl` says which one was recorded.
    pub random: Option<String>,
    /// The cell ends in an exception on purpose (tag `raises-exception`).
    pub raises: bool,
    /// No later step builds on this one: it is left out of preludes.
    pub aside: bool,
    /// The cell shows a mistake on purpose: the doctor passes over it.
    pub wrong: bool,
    /// The output holds times or the like: it is shown, and not compared.
    pub varies: bool,
}

impl Step {
    /// `step3`.
    pub fn name(&self) -> String {
        format!("step{}", self.number)
    }

    /// The invariants of `:check:`, parsed. Sentences were verified when the lesson was read.
    pub fn invariants(&self) -> Vec<Invariant> {
        self.checks.iter().filter_map(|c| Invariant::parse(c).ok()).collect()
    }
}

/// The axes of one tensor in order, e.g. `attn_scores`: `query`, `key`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AxisNames {
    /// The variable.
    pub tensor: String,
    /// A name for each axis, first axis first.
    pub axes: Vec<String>,
}

/// What is wrong with a lesson file, where, and what was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// The nearest right names, best first.
    pub nearest: Vec<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)?;
        if !self.nearest.is_empty() {
            write!(f, " (nearest: {})", self.nearest.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}
