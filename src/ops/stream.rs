//! Which random numbers an operation draws: the state of the generator before and after it.

use std::cell::RefCell;
use std::rc::Rc;

use super::state::State;
use crate::kernel::random::{Family, Generator};
use crate::tensor::{Arg, RandomDraws};

/// The generator that a call may draw from, and its state before the call.
pub(super) struct Stream {
    generator: Rc<RefCell<Generator>>,
    before: (Option<u64>, Option<u64>),
    book: bool,
}

impl Stream {
    pub(super) fn of(state: &State, args: &[Arg]) -> Stream {
        let given = args.iter().find_map(|arg| match arg {
            Arg::Generator(generator) => Some(generator),
            _ => None,
        });
        let generator = given.unwrap_or(&state.generator).clone();
        let before = {
            let generator = generator.borrow();
            (generator.given(), generator.words())
        };
        Stream { generator, before, book: state.family.get() == Family::Book }
    }

    /// What was drawn since then.
    pub(super) fn drawn(&self) -> Option<RandomDraws> {
        let generator = self.generator.borrow();
        let (given, words) = self.before;
        let count = generator.given()? - given?;
        (count > 0).then_some(RandomDraws {
            seed: generator.initial_seed(),
            first: given.map(|given| given + 1),
            count,
            words,
            book: self.book,
        })
    }
}
