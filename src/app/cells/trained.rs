//! The trained model in a session of its own.

use super::super::commands::options::GlobalOptions;
use super::super::terminal::shell::Failure;
use super::machine;
use crate::lesson::trained::{self, Looked, Question};
use crate::session::{Outcome, Session};

/// A session in which the model is loaded.
pub(crate) struct TrainedModel {
    session: Session,
}

impl TrainedModel {
    /// Runs the model's code and loads its weights.
    pub(crate) fn load(options: &GlobalOptions) -> Result<TrainedModel, Failure> {
        let options = GlobalOptions { no_record: true, ..options.clone() };
        let mut model = TrainedModel { session: machine::session(&options) };
        for (name, source) in trained::cells() {
            model.run(&source, name)?;
        }
        Ok(model)
    }

    /// What the model makes of a sentence.
    pub(crate) fn look(&mut self, question: &Question) -> Result<Looked, Failure> {
        let outcome = self.run(&question.source(), "look")?;
        Looked::read(&outcome.stdout).map_err(Failure::Unreadable)
    }

    fn run(&mut self, source: &str, name: &str) -> Result<Outcome, Failure> {
        let outcome = self.session.run(source, name);
        match &outcome.error {
            Some(raised) if raised.interrupted => Err(Failure::Stopped),
            Some(raised) => Err(Failure::Unreadable(format!("the trained model: {}", raised.message))),
            None => Ok(outcome),
        }
    }
}
