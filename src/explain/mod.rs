//! Explanations: why a number has its value, what a cell did, what went wrong. All of it is read from the records of
//! operations that ran.
//!
//! | file | what it does |
//! |---|---|
//! | [`why`] | an element explained, and the elements it was computed from |
//! | [`storage_element`] | an element at one moment, and the operation that made it |
//! | [`subject`] | the element that is explained, with the names and values of its operands |
//! | [`forms`] | how an element follows from each kind of operation |
//! | [`account`], [`calc`], [`terms`] | the parts of an explanation: statements, calculations, numbers |
//! | [`name`], [`tensor_names`], [`locals`], [`code`], [`rounds`], [`written_call`], [`cell_source`] | the names of tensors and elements |
//! | [`worked`] | the line under a panel |
//! | [`trace`], [`shape_steps`] | what a cell did, what an expression does to shapes |
//! | [`what_if`], [`difference`], [`parting`] | what moved, where two tensors differ, and where two programs part |
//! | [`errors`], [`nan`], [`doctor`] | errors, nan, silent mistakes |

pub(crate) mod account;
pub(crate) mod calc;
mod cell_source;
mod code;
mod difference;
pub mod doctor;
pub mod errors;
mod forms;
mod locals;
mod name;
mod nan;
mod parting;
mod rounds;
pub mod shape_steps;
mod storage_element;
mod subject;
mod tensor_names;
mod terms;
pub mod trace;
pub mod what_if;
mod why;
mod worked;
mod written_call;

pub(crate) use account::SourceElement;
pub use account::{Statement, WhyEnd};
#[allow(unused_imports, reason = "tests use it")]
pub use calc::Calc;
pub use difference::{TensorDifference, difference};
pub(crate) use locals::LocalTensor;
pub use nan::first_nan;
pub use parting::{PartedOperand, PartedStep, Parting, Relation, parting};
pub(crate) use storage_element::{PastOperand, StorageElement};
pub(crate) use tensor_names::AxisPlace;
pub use tensor_names::TensorNames;
pub use terms::figure;
#[allow(unused_imports, reason = "tests use it")]
pub use why::{Why, why};
pub(crate) use why::{why_of, why_then};
pub(crate) use worked::worked;
