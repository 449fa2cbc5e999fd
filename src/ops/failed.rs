//! A call that raised, kept so that it can be explained.

use crate::tensor::{Arg, Descriptor, Error, Site};

/// The last operation of a session that raised.
#[derive(Clone)]
pub struct Failed {
    /// The operation.
    pub op: &'static Descriptor,
    /// Which of its forms the arguments fit.
    pub form: usize,
    /// Whether it was to write into its first argument.
    pub in_place: bool,
    /// All arguments in the order of its signature, defaults filled in.
    pub args: Vec<Arg>,
    /// The line that called it.
    pub site: Option<Site>,
    /// What was raised.
    pub error: Error,
}

impl std::fmt::Debug for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} that raised", self.op.name)
    }
}
