//! `_tokenizers`: the tokenizers of Hugging Face's files `tokenizer.json`, in the order in which they work: added tokens
//! are cut out, the rest is normalised, cut into pieces, and each piece becomes tokens by the model; then special tokens
//! are put around.
//! Source: the crate `tokenizers` 0.20, which is too large to be taken in.

mod added;
mod bytes;
mod decoder;
mod file;
mod frame;
mod model;
mod normalizer;
mod pieces;
mod tokenizer;

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_tokenizers")]
mod native {
    use rustpython_vm::{VirtualMachine, builtins::PyTypeRef, class::PyClassImpl};

    use super::tokenizer::PyTokenizer;

    #[pyattr(name = "Tokenizer")]
    fn tokenizer_class(_vm: &VirtualMachine) -> PyTypeRef {
        PyTokenizer::make_static_type()
    }
}
