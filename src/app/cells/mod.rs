//! From a name or a file to cells that ran, and from these to what is shown of them.
//!
//! | file | what it does |
//! |---|---|
//! | [`course`], [`plan`] | the lessons: the program's, or a folder's; from a name or a file to the cells that should run |
//! | [`runner`], [`evidence`] | runs the cells of a plan; which random numbers a file was recorded with |
//! | [`processes`] | several targets, each in a process of its own |
//! | [`machine`], [`workspace`] | sessions with the options of the command line; one with the state of a step |
//! | [`named_element`], [`element_text`], [`axis_names`] | how a learner names an element, an axis, a position |
//! | [`step`], [`figures`], [`pictures`], [`notes`] | from a step that ran, its tensors and its error to what the view shows |
//! | [`trace`], [`what_if`] | the operations of a cell in order; steps without and with a change, compared |
//! | [`trained`] | the trained model in a session of its own |
//! | [`document`] | the JSON of cells that ran |

pub(crate) mod axis_names;
pub(crate) mod course;
pub(crate) mod document;
pub(crate) mod element_text;
pub(crate) mod evidence;
pub(crate) mod figures;
pub(crate) mod machine;
pub(crate) mod named_element;
pub(crate) mod notes;
pub(crate) mod pictures;
pub(crate) mod plan;
pub(crate) mod processes;
pub(crate) mod runner;
pub mod step;
pub(crate) mod trace;
pub(crate) mod trained;
pub(crate) mod what_if;
pub mod workspace;
