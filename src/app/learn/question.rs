//! Predictions: asked before the cell is shown to run, answered as often as wished, never in the way.
//! Whether an answer is right the lesson's judge says; the state it needs is run ahead, unseen.

use super::super::shell::Failure;
use super::walk::{Flow, Stage, Walk};
use crate::lesson::exercise::RightAnswer;
use crate::lesson::judge::{self, Judgement};
use crate::lesson::progress::{GivenAnswer, ProgressChange};
use crate::lesson::{Prediction, Step};
use crate::view::learn::answered;
use crate::view::quiz::{Standing, question, reply};
use crate::view::{Look, Text};

/// Something that was asked, said or replied.
#[derive(Clone, Debug, PartialEq)]
pub enum Turn {
    /// The question and its choices.
    Question(String, Vec<String>),
    /// What the learner answered.
    Answer(String),
    /// How it stands, and why (Markdown).
    Reply(Standing, String),
}

impl Turn {
    /// A question with its choices.
    pub fn question(asked: &Prediction) -> Turn {
        Turn::Question(asked.ask.clone(), choices(asked))
    }

    /// As it is shown.
    pub fn text(&self, look: Look) -> Text {
        match self {
            Turn::Question(ask, choices) => question(ask, choices, look),
            Turn::Answer(answer) => answered(answer, look),
            Turn::Reply(standing, because) => reply(*standing, because, look),
        }
    }
}

/// The choices of a question, in words.
pub fn choices(asked: &Prediction) -> Vec<String> {
    match &asked.answer {
        RightAnswer::Choice(choices) => choices.iter().map(|choice| choice.text.clone()).collect(),
        _ => Vec::new(),
    }
}

impl<'c> Walk<'c, '_, '_> {
    fn asked(&self) -> Option<(&'c Step, usize, &'c Prediction)> {
        match (self.stage(), self.step()) {
            (Stage::Asking(at), Some(step)) => step.predictions.get(at).map(|asked| (step, at, asked)),
            _ => None,
        }
    }

    /// Hears an answer.
    pub fn answer(&mut self, said: &str) -> Result<Flow, Failure> {
        let Some((step, at, asked)) = self.asked() else {
            return Ok(Flow::Stay);
        };
        if let Err(why) = judge::readable(asked, said) {
            return self.note(&why);
        }
        let Some(verdict) = self.judged(step, asked, said)? else {
            return Ok(Flow::Stay);
        };
        let (right, because) = match verdict {
            Judgement::NotUnderstood { why } => return self.note(&why),
            Judgement::Right => (true, asked.right.clone()),
            Judgement::Wrong { because } => (false, because),
        };
        let given = GivenAnswer { text: said_in_words(asked, said), right };
        self.page().turns.push(Turn::Answer(given.text.clone()));
        let standing = if right { Standing::Right } else { Standing::NotYet };
        self.reply(standing, &because)?;
        let id = self.stop().lesson.id.clone();
        self.keep(ProgressChange::Answered(id, step.slug.clone(), asked.ask.clone(), given))?;
        if right {
            self.next_question(step, at)?;
        }
        Ok(Flow::Stay)
    }

    /// The verdict in the state after the cell, which runs now if it has not. `None`: it could not be made.
    fn judged(
        &mut self,
        step: &'c Step,
        asked: &Prediction,
        said: &str,
    ) -> Result<Option<Judgement>, Failure> {
        if self.page().panel.is_none() && !self.run_step()? {
            return Ok(None);
        }
        let Some(workspace) = self.bench.at(step) else {
            self.note(
                "The cell did not run to its end, so this cannot be judged. `k` goes on without an answer.",
            )?;
            self.page().panel = None;
            return Ok(None);
        };
        match judge::judge(asked, said, &mut workspace.session) {
            Ok(verdict) => Ok(Some(verdict)),
            Err(raised) => {
                let words =
                    format!("This question cannot be judged ({}). `k` goes on without.", raised.message);
                self.note(&words)?;
                Ok(None)
            }
        }
    }

    fn reply(&mut self, standing: Standing, because: &str) -> Result<(), Failure> {
        let turn = Turn::Reply(standing, because.to_owned());
        let text = turn.text(self.shell.look);
        self.page().turns.push(turn);
        self.put(&text)
    }

    fn next_question(&mut self, step: &'c Step, at: usize) -> Result<(), Failure> {
        self.page().warned = false;
        let Some(next) = step.predictions.get(at + 1) else {
            self.page().stage = Stage::Ready;
            return Ok(());
        };
        let turn = Turn::question(next);
        let mut text = Text { lines: vec![crate::view::Line::new()] };
        text.append(turn.text(self.shell.look));
        let page = self.page();
        page.turns.push(turn);
        page.stage = Stage::Asking(at + 1);
        self.put(&text)
    }

    /// Shows the answer to the question that waits, and goes on to the next.
    pub(super) fn show_answer(&mut self) -> Result<Flow, Failure> {
        let Some((step, at, asked)) = self.asked() else {
            return Ok(Flow::Stay);
        };
        if self.page().panel.is_none() && !self.run_step()? {
            return Ok(Flow::Stay);
        }
        let truth =
            self.bench.at(step).and_then(|workspace| judge::truth(asked, &mut workspace.session).ok());
        let because = match truth {
            Some(truth) => format!("{truth}. {}", without_yes(&asked.right)),
            None => asked.right.clone(),
        };
        self.reply(Standing::Shown, &because)?;
        self.passed(step, at, asked)
    }

    /// Passes over the question that waits. After the last one the cell's outcome is shown: it was asked for.
    pub(super) fn skip_question(&mut self) -> Result<Flow, Failure> {
        let Some((step, at, asked)) = self.asked() else {
            return Ok(Flow::Stay);
        };
        self.passed(step, at, asked)?;
        match self.stage() {
            Stage::Ready => self.outcome(),
            _ => Ok(Flow::Stay),
        }
    }

    fn passed(&mut self, step: &'c Step, at: usize, asked: &Prediction) -> Result<Flow, Failure> {
        let id = self.stop().lesson.id.clone();
        self.keep(ProgressChange::Passed(id, step.slug.clone(), asked.ask.clone()))?;
        self.next_question(step, at)?;
        Ok(Flow::Stay)
    }

    /// The questions of a step with what was answered at another time, judged again for the replies.
    pub(super) fn remembered(&mut self, step: &'c Step) -> Result<Vec<Turn>, Failure> {
        let lesson = self.stop().lesson;
        let known = self.store.progress().seen(lesson, step).map(|seen| seen.predictions.clone());
        let known = known.unwrap_or_default();
        let mut turns = Vec::new();
        for asked in &step.predictions {
            let Some(given) = known.get(&asked.ask).filter(|it| !it.answers.is_empty()) else { continue };
            turns.push(Turn::question(asked));
            for GivenAnswer { text, right } in &given.answers {
                turns.push(Turn::Answer(text.clone()));
                let verdict =
                    self.bench.at(step).map(|workspace| judge::judge(asked, text, &mut workspace.session));
                turns.push(match (verdict, right) {
                    (Some(Ok(Judgement::Wrong { because })), _) => Turn::Reply(Standing::NotYet, because),
                    (_, true) => Turn::Reply(Standing::Right, asked.right.clone()),
                    (_, false) => Turn::Reply(Standing::NotYet, String::new()),
                });
            }
        }
        Ok(turns)
    }
}

/// An answer as it is kept: a choice in its own words, so that it can be read without its letter.
fn said_in_words(asked: &Prediction, said: &str) -> String {
    let chosen = match &asked.answer {
        RightAnswer::Choice(choices) => judge::chosen(choices, said).ok().map(|at| choices[at].text.clone()),
        _ => None,
    };
    chosen.unwrap_or_else(|| said.trim().to_owned())
}

/// The words to a right answer without the "Yes" that only an answer calls for.
fn without_yes(right: &str) -> String {
    let rest = right.strip_prefix("Yes").map(|rest| rest.trim_start_matches([':', ',', '.', ' ']));
    let rest = rest.unwrap_or(right);
    let mut letters = rest.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_to_the_right_answer_stand_alone() {
        assert_eq!(without_yes("Yes. One score for each."), "One score for each.");
        assert_eq!(without_yes("Yes: the highest gains."), "The highest gains.");
        assert_eq!(without_yes("Three products."), "Three products.");
    }
}
