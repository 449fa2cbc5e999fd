//! A call that raised: kept as it was, so that it can be explained, and tried again on other operands.
//! Trying again happens in a state of its own: nothing of the session is read or written.

use super::call::{Caller, Value, call, call_in_place};
use super::state::State;
use super::table::{self, Op};
use crate::kernel::random::Family;
use crate::tensor::descriptor::InPlace;
use crate::tensor::{Arg, Error, Result, Site};

/// The last operation of a session that raised.
#[derive(Clone)]
pub struct Failed {
    /// The operation.
    pub op: &'static Op,
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

impl Failed {
    /// The same call on other arguments; in-place calls as their twins that give a new tensor, where there is one.
    pub fn again(&self, args: Vec<Arg>) -> Result<Value> {
        self.instead(self.op.name, self.form, args)
    }

    /// Another operation of the table in its place.
    pub fn instead(&self, name: &str, form: usize, args: Vec<Arg>) -> Result<Value> {
        let Some(op) = table::find(name) else {
            return Err(Error::runtime(format!("there is no operation {name}")));
        };
        let state = State::new(Family::default());
        let caller = Caller { state: &state, site: &|| None };
        match op.in_place == InPlace::Always {
            true => call_in_place(caller, op, form, args).map(Value::Tensor),
            false => call(caller, op, form, args),
        }
    }
}

impl State {
    /// Keeps a call that raised; the one before it is forgotten.
    pub(super) fn keep_failed(&self, failed: Failed) {
        self.failed.replace(Some(failed));
    }

    /// The last call that raised since it was asked for.
    pub fn take_failed(&self) -> Option<Failed> {
        self.failed.take()
    }
}
