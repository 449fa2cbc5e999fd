//! Predictions: questions that are asked before a cell is shown to run. The learner may answer as often as they like,
//! or not at all. The cell runs ahead, unseen, where the answer is judged in the state after it: a choice needs no run.

use super::super::cells::notes;
use super::super::terminal::progress_bar::quietly;
use super::super::terminal::shell::Failure;
use super::input::InputMode;
use super::stop_page::{PageStage, PredictionLine};
use super::walk::{Flow, Walk};
use crate::lesson::choice::{asked_back, chosen, meant};
use crate::lesson::exercise::RightAnswer;
use crate::lesson::filled;
use crate::lesson::judge::{self, Judgement};
use crate::lesson::progress::{GivenAnswer, ProgressChange};
use crate::lesson::review::as_statement;
use crate::lesson::{Blank, Prediction, Step, Target};
use crate::session::{Raised, Session};
use crate::tensor::show::tuple_repr;
use crate::view::quiz::AnswerVerdict;

impl<'c> Walk<'c, '_, '_> {
    /// The question that waits, its number and its step.
    pub(super) fn asked(&self) -> Option<(&'c Step, usize, &'c Prediction)> {
        match (self.stage(), self.step()) {
            (PageStage::Asking(at), Some(step)) => step.predictions.get(at).map(|asked| (step, at, asked)),
            _ => None,
        }
    }

    /// Whether another question follows the one that waits.
    pub(super) fn asks_again(&self) -> bool {
        self.asked().is_some_and(|(step, at, _)| self.open_question(step, at + 1).is_some())
    }

    /// Judges an answer and replies to it.
    pub(crate) fn answer(&mut self, said: &str) -> Result<Flow, Failure> {
        let Some((step, at, asked)) = self.asked() else { return Ok(Flow::Stay) };
        if let Err(why) = judge::readable(asked, said) {
            return self.not_read(asked, said, &why);
        }
        let Some(verdict) = self.judged(step, asked, said)? else { return Ok(Flow::Stay) };
        let (right, because) = match verdict {
            Judgement::NotUnderstood { why } => return self.note(&why),
            Judgement::Right => (true, remark_on(asked)),
            Judgement::Wrong { because } if because.is_empty() => {
                (false, "Try again, or `s` shows the answer.".to_owned())
            }
            Judgement::Wrong { because } => (false, because),
        };
        let given = GivenAnswer { text: in_words(asked, said), right };
        self.page().turns.push(PredictionLine::Answer(given.text.clone()));
        self.reply(standing(asked, right), because)?;
        let id = self.stop().lesson.id.clone();
        self.keep(ProgressChange::Answered(id, step.slug.clone(), asked.ask.clone(), given))?;
        if right {
            self.next_question(step, at)?;
        }
        Ok(Flow::Stay)
    }

    /// Says why an answer cannot be read. Where keys are read, the learner is asked about the choice that it may be, or sees the
    /// choices again.
    fn not_read(&mut self, asked: &Prediction, said: &str, why: &str) -> Result<Flow, Failure> {
        let choices = match &asked.answer {
            RightAnswer::Choice(choices) if self.mode == InputMode::Keys && !judge::gives_up(said) => choices,
            _ => return self.note(why),
        };
        if let Some((letter, question)) = asked_back(choices, said) {
            self.meant = Some(letter);
            return self.note(&question);
        }
        let question = self.waiting_question().filter(|_| meant(choices, said).is_empty());
        self.note(why)?;
        question.map_or(Ok(Flow::Stay), |question| self.put_apart(question))
    }

    /// The verdict on an answer. Only a choice can be judged without the state after the cell, which runs now if it has
    /// not. `None`: there is none, and the learner was told why.
    fn judged(
        &mut self,
        step: &'c Step,
        asked: &Prediction,
        said: &str,
    ) -> Result<Option<Judgement>, Failure> {
        match &asked.answer {
            RightAnswer::Choice(choices) => return Ok(Some(judge::of_choice(choices, said))),
            RightAnswer::Code(blank) => return self.judged_code(step, asked, blank, said),
            RightAnswer::Open(_) => return Ok(Some(Judgement::Right)),
            _ => {}
        }
        if self.page().panel.is_none() && !quietly(|| self.run_step())? {
            return Ok(None);
        }
        let Some(workspace) = self.lesson.at(step) else {
            self.note(
                "The cell did not run to its end, so this cannot be judged. `k` continues without an answer.",
            )?;
            self.page().panel = None;
            return Ok(None);
        };
        match judge::judge(asked, said, &mut workspace.session) {
            Ok(verdict) => Ok(Some(verdict)),
            Err(raised) => {
                let words =
                    format!("This question cannot be judged ({}). `k` continues without.", raised.message);
                self.note(&words)?;
                Ok(None)
            }
        }
    }

    /// The verdict on code for a blank, which is run in copies of the state before the cell.
    fn judged_code(
        &mut self,
        step: &'c Step,
        asked: &Prediction,
        blank: &Blank,
        said: &str,
    ) -> Result<Option<Judgement>, Failure> {
        self.prepared(|state| {
            filled::judge(asked, blank, &step.code, said, &mut |code| {
                let mut workspace = state.before(step)?;
                Ok(quietly(|| filled::run(blank, code, &mut workspace.session, &remarks_on)))
            })
        })
    }

    fn reply(&mut self, standing: AnswerVerdict, because: String) -> Result<(), Failure> {
        let turn = PredictionLine::Reply(standing, because);
        let text = turn.text(self.shell.look);
        self.page().turns.push(turn);
        self.put(&text)
    }

    fn next_question(&mut self, step: &'c Step, at: usize) -> Result<(), Failure> {
        self.page().warned = false;
        let remembered = step.predictions[at].review.is_some();
        let Some(open) = self.open_question(step, at + 1) else {
            self.page().stage = PageStage::Ready;
            return if remembered { self.show_page() } else { Ok(()) };
        };
        let next = &step.predictions[open];
        let turn = PredictionLine::question(next, &step.code);
        let text = turn.text(self.shell.look);
        let page = self.page();
        page.turns.push(turn);
        page.stage = PageStage::Asking(open);
        // The text of the lesson comes after the questions about earlier ones.
        if remembered && next.review.is_none() { self.show_page() } else { self.put_below(text) }
    }

    /// Shows the answer to the question that waits, with the reason, and asks the next one. One that the learner `skips` is
    /// passed even without an answer, and the outcome of the cell follows the last one.
    pub(super) fn show_answer(&mut self, skips: bool) -> Result<Flow, Failure> {
        let Some((step, at, asked)) = self.asked() else { return Ok(Flow::Stay) };
        if !self.explain_answer(step, asked)? && !skips {
            return Ok(Flow::Stay);
        }
        let id = self.stop().lesson.id.clone();
        self.keep(ProgressChange::Passed(id, step.slug.clone(), asked.ask.clone()))?;
        self.next_question(step, at)?;
        match self.stage() {
            PageStage::Ready if skips && asked.review.is_none() => self.outcome(),
            _ => Ok(Flow::Stay),
        }
    }

    /// Replies with the answer and the reason for it, which may need the state after the cell; false if that did not run.
    fn explain_answer(&mut self, step: &'c Step, asked: &Prediction) -> Result<bool, Failure> {
        let truth = match judge::stated(asked) {
            None if self.page().panel.is_none() && !quietly(|| self.run_step())? => return Ok(false),
            None => {
                self.lesson.at(step).and_then(|workspace| judge::truth(asked, &mut workspace.session).ok())
            }
            stated => stated,
        };
        let because = match truth {
            Some(truth) => match as_statement(&asked.right) {
                right if right.is_empty() => truth,
                // A reply that names the answer itself says it once.
                right if right.starts_with(&truth) => right,
                right => format!("{truth}. {right}"),
            },
            None => asked.right.clone(),
        };
        self.reply(AnswerVerdict::Shown, because)?;
        Ok(true)
    }

    /// The first question of a step, from this one on, that waits for an answer: it was neither answered rightly nor
    /// skipped, and does not go back to a step that the learner has not seen. Of a step that the learner chose, one that was
    /// missed or skipped.
    pub(super) fn open_question(&self, step: &Step, from: usize) -> Option<usize> {
        let progress = self.store.progress();
        let seen = progress.seen(self.stop().lesson, step);
        let is_open = |asked: &Prediction| {
            let known = seen.and_then(|seen| seen.predictions.get(&asked.ask));
            let settled =
                known.is_some_and(|it| it.passed || it.answers.last().is_some_and(|last| last.right));
            let met = asked.review.as_ref().is_none_or(|slug| match self.catalogue.find(slug) {
                Ok(Target::Step(step, lesson)) => progress.seen(lesson, step).is_some_and(|seen| seen.done),
                _ => true,
            });
            let missed = known.is_some_and(|it| !it.answers.iter().any(|given| given.right));
            !settled && met || missed && self.chosen == Some(self.at) && asked.review.is_none()
        };
        (from..step.predictions.len()).find(|at| is_open(&step.predictions[*at]))
    }

    /// The questions of a step and the answers of an earlier session.
    pub(super) fn earlier_turns(&self, step: &Step) -> Vec<PredictionLine> {
        let seen = self.store.progress().seen(self.stop().lesson, step);
        let mut turns = Vec::new();
        for asked in &step.predictions {
            let known = seen.and_then(|seen| seen.predictions.get(&asked.ask));
            let Some(given) = known.filter(|it| !it.answers.is_empty()) else { continue };
            turns.push(PredictionLine::question(asked, &step.code));
            for GivenAnswer { text, right } in &given.answers {
                turns.push(PredictionLine::Answer(text.clone()));
                let because = if *right { remark_on(asked) } else { String::new() };
                turns.push(PredictionLine::Reply(standing(asked, *right), because));
            }
        }
        turns
    }
}

/// The verdict that the reply to an answer begins with.
fn standing(asked: &Prediction, right: bool) -> AnswerVerdict {
    match (&asked.answer, right) {
        (_, false) => AnswerVerdict::NotYet,
        (RightAnswer::Open(_), true) => AnswerVerdict::Compare,
        (_, true) => AnswerVerdict::Right,
    }
}

/// The remark on a right answer; for an open question the answer to compare with.
fn remark_on(asked: &Prediction) -> String {
    match &asked.answer {
        RightAnswer::Open(answer) => answer.clone(),
        _ => asked.right.clone(),
    }
}

/// An answer as it is saved: a choice in its own words instead of its letter.
fn in_words(asked: &Prediction, said: &str) -> String {
    let chosen = chosen(asked.choices(), said).ok().map(|at| asked.choices()[at].text.clone());
    chosen.unwrap_or_else(|| said.trim().to_owned())
}

/// What there is to say about the error of a filled cell: for an unknown name the nearest one. What would fix another error is
/// left for the learner to find.
fn remarks_on(raised: &Raised, session: &Session) -> String {
    let found = notes::explanation(raised, session, &|_| None, &|_| Vec::new());
    let clash = found.clash.map(|clash| {
        let shapes = clash.operands.map(|operand| tuple_repr(&operand.shape));
        format!("`{}` is {}: {}.", clash.text, shapes.join(&format!(" {} ", clash.between)), clash.rule)
    });
    let name = found.fixes.first().filter(|_| raised.kind == "NameError");
    let name = name.map(|name| format!("Did you mean `{}`?", name.code));
    let all = clash.into_iter().chain(found.remarks).chain(name);
    all.map(|words| format!(". {}", words.trim_end_matches('.'))).collect()
}
