//! Commands that ask: where a number comes from, how long something takes.
//! Room: app. What they say is worked out elsewhere.

use super::super::shell::Shell;
use super::super::step::element_of;
use super::tensors::wanted;
use super::{Answer, Refusal, Repl, Went};
use crate::explain;
use crate::view::panel;

impl Repl<'_> {
    /// `:why EXPR [DEPTH]`
    pub(super) fn why(&mut self, words: &str, shell: &mut Shell) -> Answer {
        let words = wanted(words, ":why keys[1,0]")?;
        let Some((name, index)) = element_of(words) else {
            return Err(Refusal::said("One element is asked for, by its place: `:why keys[1,0]`."));
        };
        let tensor = self.tensor(name)?;
        if index.len() != tensor.ndim() || index.iter().zip(tensor.shape()).any(|(at, size)| at >= size) {
            let shape = explain::shapes::written(tensor.shape());
            return Err(Refusal::Said(format!("`{name}` is {shape}: `{words}` is no element of it.")));
        }
        let names = self.desk.borrow().names();
        match explain::worked(&tensor, &index, &names) {
            Some(worked) => shell.show(&panel::worked(&worked.lines(), shell.look))?,
            None => return Ok(self.answer(&format!("`{words}` was given as it is."), shell)?),
        }
        Ok(Went::Well)
    }

    /// `:time EXPR`
    pub(super) fn time(&mut self, expression: &str, shell: &mut Shell) -> Answer {
        let expression = wanted(expression, ":time keys @ keys.T")?;
        let copy = {
            let desk = self.desk.borrow();
            desk.replayed(&desk.ran)
        };
        let Some(mut scratch) = copy else {
            return Err(Refusal::Stopped);
        };
        let outcome = scratch.session.run(&format!("%timeit {expression}"), "timed");
        match outcome.error {
            Some(raised) if raised.interrupted => Err(Refusal::Stopped),
            Some(raised) => Err(self.refused(&raised, expression)),
            None => {
                shell.say(&outcome.stdout)?;
                Ok(Went::Well)
            }
        }
    }
}
