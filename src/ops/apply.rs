//! Calls that an operation makes of others.

use super::call::call;
use super::op::{Call, Caller};
use super::table;
use super::value::Value;
use crate::tensor::{Arg, Error, Result, Tensor};

impl Call<'_> {
    /// Calls another operation: its result has a history of its own, as if the learner had written the call.
    /// The arguments are those of its first form; those that are left out are `None`.
    pub(crate) fn apply(&self, name: &'static str, mut args: Vec<Arg>) -> Result<Tensor> {
        let op = table::row(name);
        args.resize(op.params()[0].len().max(args.len()), Arg::None);
        match call(Caller { state: self.state, site: self.site }, op, 0, args)? {
            Value::Tensor(tensor) => Ok(tensor),
            _ => Err(Error::runtime(format!("{name}() does not give one tensor"))),
        }
    }
}
