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

pub use app::main;

mod syntax;

// The layers are public for the tests in `tests/`. `.ci/run` also checks the crate with `--cfg private_layers`: then the
// compiler names the code that nothing uses.
#[cfg(not(private_layers))]
pub mod app;
#[cfg(not(private_layers))]
pub mod explain;
#[cfg(not(private_layers))]
pub mod kernel;
#[cfg(not(private_layers))]
pub mod lesson;
#[cfg(not(private_layers))]
pub mod numpy;
#[cfg(not(private_layers))]
pub mod ops;
#[cfg(not(private_layers))]
pub mod session;
#[cfg(not(private_layers))]
pub mod shims;
#[cfg(not(private_layers))]
pub mod tensor;
#[cfg(not(private_layers))]
pub mod torch;
#[cfg(not(private_layers))]
pub mod view;

#[cfg(private_layers)]
mod app;
#[cfg(private_layers)]
mod explain;
#[cfg(private_layers)]
mod kernel;
#[cfg(private_layers)]
mod lesson;
#[cfg(private_layers)]
mod numpy;
#[cfg(private_layers)]
mod ops;
#[cfg(private_layers)]
mod session;
#[cfg(private_layers)]
mod shims;
#[cfg(private_layers)]
mod tensor;
#[cfg(private_layers)]
mod torch;
#[cfg(private_layers)]
mod view;
