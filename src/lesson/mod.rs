//! Lesson files, notebooks and scripts as data: steps and cells, the catalogue of all steps, recorded outputs.
//! Only the gate, the judge and the pictures use a session.
//!
//! | file | what it does |
//! |---|---|
//! | [`step`], [`exercise`], [`axis_names`], [`invariant`], [`views`] | a lesson as data |
//! | [`myst`] | reads a lesson file, with `front_matter`, `fence`, `predict` and `markdown` |
//! | [`fault`] | what is wrong with a file, and where |
//! | [`vocabulary`] | every directive, option and axis name that a lesson may use |
//! | [`catalogue`] | all lessons of the course; finds steps and lessons by their names |
//! | [`course`], [`course_folder`] | folders of lessons: courses of their own, translations |
//! | [`blank`], [`filled`] | code that a cell hides for the learner to write, and what the cell computes with it |
//! | [`answer`], [`typed_shape`], [`number_words`], [`choice`], [`closeness`], [`judge`] | reads and judges what a learner answers |
//! | [`stem`] | words without their endings |
//! | [`progress`], [`states`], [`review`] | what a learner has done, in words and counts, and which questions come again |
//! | [`search`] | finds texts by a learner's words |
//! | [`notebook`], [`notebook_file`], [`read_error`] | other people's files as code cells |
//! | [`ipynb`], [`script`] | the formats of such files, read and written |
//! | [`pictures`] | the tensors and numbers of a step's pictures |
//! | [`glossary`], [`terms`] | the terms of the field, and where lessons link to them |
//! | [`compare`] | compares a recorded output with the actual one, with `machine_words` |
//! | [`recording`] | writes what cells show into a lesson |
//! | [`trained`] | the trained model that lessons read |
//! | [`gate`] | runs a lesson and checks everything that it claims |

pub mod answer;
pub mod axis_names;
mod blank;
pub mod catalogue;
pub mod choice;
mod closeness;
pub mod compare;
pub(crate) mod course;
pub(crate) mod course_folder;
mod embed;
pub mod exercise;
pub(crate) mod fault;
mod fence;
pub(crate) mod filled;
pub(crate) mod front_matter;
pub mod gate;
pub(crate) mod glossary;
pub(crate) mod invariant;
pub mod ipynb;
pub mod judge;
mod machine_words;
mod markdown;
pub mod myst;
pub mod notebook;
pub(crate) mod notebook_file;
mod number_words;
pub(crate) mod pictures;
mod predict;
pub mod progress;
pub mod read_error;
pub(crate) mod recording;
pub mod review;
pub mod script;
pub(crate) mod search;
pub mod states;
mod stem;
pub(crate) mod step;
pub mod terms;
pub mod trained;
pub mod typed_shape;
pub(crate) mod views;
pub mod vocabulary;

pub(crate) use blank::Blank;
pub use catalogue::{Catalogue, LessonStep, Target};
pub use course::Course;
pub(crate) use exercise::Exercise;
pub use exercise::Prediction;
pub use fault::Fault;
pub use glossary::{Glossary, Term};
pub use invariant::Invariant;
pub use markdown::fenced;
pub use notebook::Notebook;
pub(crate) use notebook_file::with_source;
pub use step::{Lesson, Step};
