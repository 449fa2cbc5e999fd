//! A call that raised, kept so that it can be explained.

use crate::tensor::{Arg, Descriptor, Error};

/// The last operation of a session that raised.
#[derive(Clone, Debug)]
pub(crate) struct Failed {
    pub(crate) op: &'static Descriptor,
    /// Which of its forms the arguments fit.
    pub(crate) form: usize,
    /// Whether it was to write into its first argument.
    pub(crate) in_place: bool,
    /// All arguments in the order of its signature, defaults filled in.
    pub(crate) args: Vec<Arg>,
    pub(crate) error: Error,
}
