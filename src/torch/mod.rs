//! The modules `torch`, `torch.nn` and `torch.nn.functional` that lesson code imports.
//!
//! `bind` reads Python arguments by the signature of a row of [`crate::ops::table`], `module` makes Python functions
//! and methods from the rows, `frames` tells the tracer which Python code made a call. `nn` and what is built from
//! operations is readable Python in `py/`.

mod autocast;
mod backward;
mod bind;
mod build;
mod calls;
mod classes;
mod composed;
pub(crate) mod descriptor;
mod frames;
mod function;
mod generator;
mod history;
mod item;
mod module;
mod module_class;
pub(crate) mod names;
mod numbers;
mod operators;
mod optimizer;
mod overrides;
mod protocols;
mod py_tensor;
mod raise;
mod site;
mod tensor_class;
mod to_python;
mod traversal;
mod traversal_host;

pub(crate) use build::sequence;
pub(crate) use calls::CapturedCall;
pub(crate) use composed::composed as run_composed;
pub(crate) use frames::FrameObserver;
pub(crate) use module::install;
pub(crate) use numbers::items;
pub(crate) use overrides::takes_part;
pub(crate) use protocols::Elements;
pub(crate) use py_tensor::{PyTensor, tensor_object, tensor_of};
pub(crate) use raise::{OrRaise, fact_of, raise};
pub(crate) use site::{is_library, site};
pub(crate) use tensor_class::nested;
pub(crate) use to_python::check_list;
