//! What the learner looks up and tries out on the way: where numbers come from, a REPL, a trace, what if, words.
//! Copies of the lesson's state are handed to other rooms; the lesson's own is not touched.

use super::super::runner::copy;
use super::super::shell::Failure;
use super::super::workspace::Workspace;
use super::bench::Unmade;
use super::elsewhere;
use super::input::{self, Read};
use super::stops::Kind;
use super::walk::{Flow, Stage, Waiting, Walk};
use crate::view::prose::prose;
use crate::view::{Line, Text};

impl<'c> Walk<'c, '_, '_> {
    /// A REPL with a copy of the state at this place.
    pub fn repl(&mut self) -> Result<Flow, Failure> {
        let Some(workspace) = self.copy()? else {
            return Ok(Flow::Stay);
        };
        self.shell.say("\n")?;
        self.shell.flush()?;
        let catalogue = self.catalogue;
        super::terminal::awaiting(|| elsewhere::repl(workspace, catalogue, self.shell))?;
        self.measure();
        self.note("Back in the walkthrough: the lesson's own state is as it was.")
    }

    /// Every operation of the cell.
    pub fn trace(&mut self) -> Result<Flow, Failure> {
        let Some(workspace) = self.copy()? else {
            return Ok(Flow::Stay);
        };
        let text = elsewhere::trace(&workspace, self.shell.look);
        self.show_after_gap(text)
    }

    /// What would be if something had been otherwise from the start.
    pub fn what_if(&mut self, change: &str) -> Result<Flow, Failure> {
        let Some(change) =
            self.asked_for(change, "what if: ", "`inputs[1,0]=0.9`, `seed 7`, `dim=-1 => dim=0`")?
        else {
            return Ok(Flow::Stay);
        };
        let Some(workspace) = self.copy()? else {
            return Ok(Flow::Stay);
        };
        let text = elsewhere::what_if(&workspace, &change, &self.shell.options, self.shell.look);
        self.show_after_gap(text)
    }

    /// A word of the field; all of them where none is named.
    pub fn glossary(&mut self, word: &str) -> Result<Flow, Failure> {
        let Some(word) = self.asked_for(word, "word: ", "a word, such as `head`; `all` lists them")? else {
            return Ok(Flow::Stay);
        };
        let text = elsewhere::glossary(&word, self.catalogue, self.shell.look);
        self.show_after_gap(text)
    }

    fn show_after_gap(&mut self, text: Text) -> Result<Flow, Failure> {
        let mut shown = Text { lines: vec![Line::new()] };
        shown.append(text);
        self.put(&shown)?;
        Ok(Flow::Stay)
    }

    /// What was typed after the word, else what is typed now. `None`: nothing was.
    fn asked_for(&mut self, given: &str, prompt: &str, wanted: &str) -> Result<Option<String>, Failure> {
        if !given.is_empty() {
            return Ok(Some(given.to_owned()));
        }
        let hint = prose(&format!("Type {wanted}; Enter alone goes back."), self.shell.look);
        self.put(&hint)?;
        Ok(match input::line(prompt, self.mode, self.shell)? {
            Read::Line(line) if !line.trim().is_empty() => Some(line.trim().to_owned()),
            _ => None,
        })
    }

    /// A workspace of its own with the state at this place: after the cell where it was seen, before it elsewhere.
    fn copy(&mut self) -> Result<Option<Workspace<'c>>, Failure> {
        let (stop, stage) = (self.stop(), self.stage());
        let mut waiting = Waiting::new(self.mode);
        let shell = &mut *self.shell;
        let mut hears = |ran: usize, all: usize| waiting.hear(ran, all, shell);
        let made = match (stop.kind, stop.lesson.steps.last()) {
            (Kind::Step(step), _) if stage == Stage::Shown => match self.bench.at(step) {
                Some(workspace) => copy(workspace).map(Some).ok_or(Unmade::Stopped),
                None => self.bench.after(step, stop.lesson, &mut hears).map(Some),
            },
            (Kind::Step(step), _) => self.bench.before(step, &mut hears).map(|mut workspace| {
                workspace.at = Some((step, stop.lesson));
                Some(workspace)
            }),
            (Kind::Exercise(exercise), _) => self.bench.exercise(exercise, stop.lesson, &mut hears).map(Some),
            (Kind::End, Some(last)) => self.bench.after(last, stop.lesson, &mut hears).map(Some),
            (Kind::End, None) => Ok(None),
        };
        waiting.end(self.shell)?;
        match made {
            Ok(workspace) => Ok(workspace),
            Err(unmade @ (Unmade::Stopped | Unmade::Failed(_))) => self.unmade(unmade).map(|_| None),
        }
    }
}
