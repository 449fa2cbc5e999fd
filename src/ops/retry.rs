//! A call that raised, tried again on other operands or with another operation.
//! It runs in a state of its own: nothing of the session is read or written.

use super::call::{call, call_in_place};
use super::failed::Failed;
use super::op::Op;
use super::state::{Caller, State};
use super::table;
use super::value::Value;
use crate::kernel::random::Family;
use crate::tensor::descriptor::InPlace;
use crate::tensor::{Arg, Error, Record, Result};

impl Failed {
    /// The row of the operation.
    pub(crate) fn row(&self) -> &'static Op {
        table::row_of(self.op).expect("only rows of the table are called")
    }

    /// The same call on other arguments. An in-place call runs as the operation that returns a new tensor, if there is
    /// one.
    pub(crate) fn again(&self, args: Vec<Arg>) -> Result<Value> {
        run_apart(self.row(), self.form, args)
    }

    /// Another operation of the table, called instead.
    pub(crate) fn instead(&self, name: &str, form: usize, args: Vec<Arg>) -> Result<Value> {
        let Some(op) = table::find(name) else {
            return Err(Error::runtime(format!("there is no operation {name}")));
        };
        run_apart(op, form, args)
    }
}

/// A recorded operation on other arguments, in the order of its signature. One that wrote in place returns a new tensor.
/// Nothing where the table has no such operation, or where it drew random numbers.
pub(crate) fn repeated(record: &Record, args: Vec<Arg>) -> Option<Value> {
    let op = table::row_of(record.operation).filter(|_| record.drawn.is_none())?;
    run_apart(op, record.form, args).ok()
}

/// Runs an operation in a state of its own, without a record.
pub(crate) fn run_apart(op: &'static Op, form: usize, args: Vec<Arg>) -> Result<Value> {
    let state = State::new(Family::default());
    state.grad_mode.set(false);
    state.recorder.set_off(true);
    let caller = Caller { state: &state, site: &|| None };
    match op.in_place == InPlace::Always {
        true => call_in_place(caller, op, form, args).map(Value::Tensor),
        false => call(caller, op, form, args),
    }
}
