//! `attn`: self-attention, learned by running it.
//!
//! Data flows one way. A lesson file becomes steps, a step's code becomes tensor operations, an
//! operation becomes kernel calls on ndarray views; results come back as values, and only the
//! outermost layer writes to the terminal.
//!
//! | layer | what lives there |
//! |---|---|
//! | `syntax` | Python's parser, for source that anyone may have written |
//! | [`kernel`] | numbers in, numbers out: GEMM, softmax, attention, random streams |
//! | [`tensor`] | what PyTorch calls a tensor: views, dtypes, the recorded graph, printing |
//! | [`ops`] | the table of operations and the dispatcher; knows no Python object |
//! | [`torch`] | the modules `torch` and `torch.nn` that lesson code imports: thin bindings |
//! | [`numpy`] | the module `numpy`, over the same storages and operations |
//! | [`shims`] | the other modules that lesson code imports: parts of the standard library, `IPython`, `tqdm` |
//! | [`session`] | one interpreter: run a cell, keep what it printed and bound |
//! | [`lesson`] | lesson files, notebooks and scripts; the catalogue of steps |
//! | [`explain`] | why a number is what it is |
//! | [`view`] | values to styled text; never prints |
//! | [`app`] | commands: the only code that reads keys or writes to the terminal |

pub mod app;
pub mod explain;
pub mod kernel;
pub mod lesson;
pub mod numpy;
pub mod ops;
pub mod session;
pub mod shims;
mod syntax;
pub mod tensor;
pub mod torch;
pub mod view;
