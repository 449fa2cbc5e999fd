//! A lesson and its steps, as data.

use serde::Deserialize;

use super::axis_names::AxisNames;
use super::exercise::{Exercise, Prediction};
use super::invariant::Invariant;
use super::views::View;

/// One lesson file: its front matter, introduction, steps and exercises.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct Lesson {
    /// A stable name, e.g. `simple-self-attention`.
    pub id: String,
    pub title: String,
    /// The section of the chapter, e.g. `3.3.1`; empty for a lesson that goes beyond the chapter.
    pub section: String,
    /// Other names of the lesson, e.g. `exercise 3.1`.
    #[serde(default)]
    pub(crate) also: Vec<String>,
    /// The words that label the axes `token`, `query` and `key`.
    #[serde(default)]
    pub tokens: Vec<String>,
    /// One or two sentences for the list of lessons.
    pub summary: String,
    /// How many minutes it takes, exercises included.
    pub minutes: u32,
    /// Ids of the lessons whose variables this one uses.
    #[serde(default)]
    pub(crate) needs: Vec<String>,
    /// The title of the part of the course that begins with this lesson.
    #[serde(default)]
    pub part: Option<String>,
    /// The language of a translation; `None` for an original.
    #[serde(default)]
    pub lang: Option<String>,
    /// The file it was read from.
    #[serde(skip)]
    pub file: String,
    /// The whole of that file.
    #[serde(skip)]
    pub text: String,
    /// Markdown between the title and the first step.
    #[serde(skip)]
    pub intro: String,
    /// The steps, in reading order.
    #[serde(skip)]
    pub steps: Vec<Step>,
    /// The exercises, in reading order.
    #[serde(skip)]
    pub exercises: Vec<Exercise>,
    /// Its number in its course, from 1; 0 outside of a course.
    #[serde(skip)]
    pub number: usize,
    /// The number of the last lesson of its part of the course.
    #[serde(skip)]
    pub(crate) lessons: usize,
    /// The number of the last step of its part; 0 for the questions of readers and for a lesson outside of a course.
    #[serde(skip)]
    pub(crate) total_steps: usize,
}

impl Lesson {
    /// Its number, if it has one, and its title: `Lesson 1: Simple self-attention`.
    pub(crate) fn heading(&self) -> String {
        match self.number {
            0 => self.title.clone(),
            number => format!("Lesson {number}: {}", self.title),
        }
    }

    /// The section of the book, if it says more than the number of the lesson.
    pub(crate) fn book_section(&self) -> &str {
        let is_number = self.section.parse() == Ok(self.number);
        if is_number { "" } else { &self.section }
    }

    /// As [`Lesson::heading`], in a sentence: `lesson 1, Simple self-attention`.
    pub(crate) fn place(&self) -> String {
        match self.number {
            0 => self.title.clone(),
            number => format!("lesson {number}, {}", self.title),
        }
    }
}

/// One code cell of a lesson, with its prose, options, output and questions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// Its number in the course, from 1.
    pub number: usize,
    /// The cell's stable name, e.g. `scores`.
    pub slug: String,
    /// The heading above it; empty if it shares one with the step before.
    pub title: String,
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
    /// Tensors to show as tables; `None`: the tensors that the cell bound or changed.
    pub(crate) show: Option<Vec<String>>,
    /// Pictures to draw, in order.
    pub(crate) views: Vec<View>,
    /// One element to explain, e.g. `attn_scores_2[1]`.
    pub why: Option<String>,
    /// Statements that are true after the cell.
    pub(crate) checks: Vec<Invariant>,
    /// Markdown after the output.
    pub after: String,
    /// Questions that are asked before the cell runs.
    pub predictions: Vec<Prediction>,
    /// For a cell whose random numbers differ between builds of PyTorch: which ones were recorded, `book` or `mkl`.
    pub(crate) random: Option<String>,
    /// The cell raises an exception on purpose (tag `raises-exception`).
    pub(crate) raises: bool,
    /// No later step uses this one: it does not run before them.
    pub(crate) aside: bool,
    /// The cell shows a mistake on purpose: `attn doctor` skips it.
    pub wrong: bool,
    /// The output has times or other values that vary: it is not compared.
    pub varies: bool,
}

impl Step {
    /// Whether a learner may leave it out.
    pub(crate) fn is_optional(&self) -> bool {
        self.title.starts_with("Aside:")
    }

    /// The step's number as a name: `step` and the number.
    pub fn name(&self) -> String {
        format!("step{}", self.number)
    }
}
