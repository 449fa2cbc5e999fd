//! What the learner can try and look up on the way: a REPL, a trace, what-if, the glossary. All of it works on copies of
//! the lesson's state.

use super::super::cells::runner::copy;
use super::super::cells::trace::Detail;
use super::super::cells::workspace::Workspace;
use super::super::cells::{trace, what_if};
use super::super::commands::{faq, look, review, show};
use super::super::keeper::journal::{self, Entry};
use super::super::learner::stops::StopKind;
use super::super::repl;
use super::super::terminal::progress_bar::quietly;
use super::super::terminal::prompt::TypedLine;
use super::super::terminal::shell::Failure;
use super::attend;
use super::input::{self, Escape, InputMode};
use super::lesson_state::bind_own;
use super::practice::scratch_workspace;
use super::stop_page::PageStage;
use super::terminal;
use super::walk::{Flow, Walk, running};
use crate::lesson::Term;
use crate::lesson::review::ReviewQuestion;
use crate::view::Text;
use crate::view::glossary::entries;
use crate::view::prose::prose;
use crate::view::quantity::counted;

impl<'c> Walk<'c, '_, '_> {
    /// Opens a REPL with a copy of the state at this stop.
    pub(crate) fn repl(&mut self) -> Result<Flow, Failure> {
        let Some(mut workspace) = self.copy()? else { return Ok(Flow::Stay) };
        let has_run = self.stage() == PageStage::Shown;
        let place = match self.stop().kind {
            StopKind::Step(step) if !has_run => Some(format!("State before {} {}", step.name(), step.slug)),
            StopKind::Exercise(exercise) => {
                let written = self.page().book.attempt.clone().or(self.page().book.passed.clone());
                let (code, own) = match written {
                    Some(code) => (code, ", with what you wrote"),
                    None => (exercise.starter.source.clone(), ", with the code that it starts from"),
                };
                input::unattended(self.mode, || quietly(|| workspace.run(&code, "your code")))?;
                Some(format!("State of the exercise {}{own}", exercise.slug))
            }
            _ => None,
        };
        self.shell.say("\n")?;
        self.shell.flush()?;
        let catalogue = self.catalogue;
        if self.mode == InputMode::Keys {
            terminal::drop_typed()?;
        }
        let left = self.restored.take().unwrap_or_default();
        journal::note(&Entry::Repl(true));
        terminal::awaiting(|| repl::open(workspace, place, left, catalogue, self.shell))?;
        journal::note(&Entry::Repl(false));
        self.shell.refit();
        self.note("Back in the walkthrough: the lesson's own state is as it was.")
    }

    /// Shows every operation of the cell.
    pub(crate) fn trace(&mut self) -> Result<Flow, Failure> {
        let Some(workspace) = self.copy()? else { return Ok(Flow::Stay) };
        let look = self.shell.look;
        let rerun = || trace::rerun(&workspace, workspace.ran.len());
        self.put_apart(match input::unattended(self.mode, rerun)? {
            Some(trace) if trace.steps.is_empty() => prose("This cell runs no operation on tensors.", look),
            Some(trace) => trace::text(&trace, &workspace.session, Detail::Folded, look),
            None => prose("Stopped.", look),
        })
    }

    /// Shows what would be different if something had been changed from the start.
    pub(crate) fn what_if(&mut self, change: &str) -> Result<Flow, Failure> {
        let Some(mut workspace) = self.copy()? else { return Ok(Flow::Stay) };
        if workspace.ran.is_empty() {
            return self.note("No cell has run yet, so there is nothing to change. Enter runs this one.");
        }
        let wanted =
            [vec!["one change, or ?".to_owned()], what_if::examples(&mut workspace)].concat().join("; ");
        let look = self.shell.look;
        loop {
            let Some(typed) = self.argument(change, "what if: ", &wanted)? else { return Ok(Flow::Stay) };
            let compared = running(self.mode, self.shell, || what_if::typed(&workspace, &typed, look))?;
            let is_asked_again = change.is_empty() && matches!(compared, Err(Failure::Usage(_)));
            let text = or_reason(compared, look);
            if !is_asked_again {
                return self.put_apart(text);
            }
            self.put(&text)?;
        }
    }

    /// Shows a term of the glossary, or with `all` every term.
    pub(crate) fn glossary(&mut self, word: &str) -> Result<Flow, Failure> {
        let glossary = match self.catalogue.glossary() {
            Ok(glossary) => glossary,
            Err(fault) => return self.note(&fault.to_string()),
        };
        let given = word;
        let word = loop {
            let wanted = "a word, such as `head`; `all` lists them";
            let Some(word) = self.argument(given, "word: ", wanted)? else { return Ok(Flow::Stay) };
            if word != "all" {
                break word;
            }
            let names: Vec<String> = glossary.terms.iter().map(|term| format!("`{}`", term.name)).collect();
            let listed = format!("{}.", names.join(", "));
            if !given.is_empty() {
                return self.note(&listed);
            }
            self.put(&prose(&listed, self.shell.look))?;
        };
        let mut found: Vec<&Term> = glossary.find(&word).into_iter().collect();
        if found.is_empty() {
            let near = glossary.nearest(&word);
            let Some((first, others)) = near.split_first() else {
                return self.note(&format!("No entry for `{word}`. `all` lists every entry."));
            };
            let others = match others {
                [] => String::new(),
                others => format!(" Others like it: {}.", others.join(", ")),
            };
            self.note(&format!("No entry for `{word}`. The nearest is `{first}`.{others}"))?;
            found.extend(glossary.find(first));
        }
        let found: Vec<_> = found.into_iter().map(|term| (term, show::met(term, self.catalogue))).collect();
        self.put_apart(entries("", &found, self.shell.look))
    }

    /// Whether the course has questions that readers ask most.
    pub(crate) fn has_faq(&self) -> bool {
        self.catalogue.faq().is_some()
    }

    /// Answers one of the questions that readers ask most, or with `all` lists them.
    pub(crate) fn faq(&mut self, given: &str) -> Result<Flow, Failure> {
        let wanted = "words of your question, such as `why root`, or its number; `all` lists them";
        loop {
            let Some(words) = self.argument(given, "question: ", wanted)? else { return Ok(Flow::Stay) };
            let words = if words == "all" { "" } else { &words };
            let (catalogue, options, look) = (self.catalogue, &self.shell.options, self.shell.look);
            let answer =
                input::unattended(self.mode, || faq::answer(words, catalogue, "faq", options, look))?;
            let is_asked_again = given.is_empty() && (words.is_empty() || answer.is_err());
            let text = or_reason(answer.map(|(text, _)| text), look);
            if !is_asked_again {
                return self.put_apart(text);
            }
            self.put(&text)?;
        }
    }

    /// Asks the small trained model how a sentence goes on, and shows where it looked.
    pub(crate) fn look(&mut self, words: &str) -> Result<Flow, Failure> {
        let mut words = words.to_owned();
        if words.is_empty() {
            let back = if self.mode == InputMode::Keys { " Esc goes back." } else { "" };
            let hint = format!(
                "Type a sentence in lower case, such as `anna walked to the`; `--words` lists the words that the model knows. \
                 Enter alone takes the sentence about the river.{back}"
            );
            self.put(&prose(&hint, self.shell.look))?;
            match input::line("sentence: ", Escape::Leaves, self.mode, self.shell)? {
                TypedLine::Line(line) => words = line.trim().to_owned(),
                _ => return Ok(Flow::Stay),
            }
        }
        let (options, look) = (&self.shell.options, self.shell.look);
        // One head after the other where arrows can choose; all at once where they cannot.
        let chooses = self.mode == InputMode::Keys && !look.plain && self.pending.is_none();
        let answer = input::unattended(self.mode, || look::typed(&words, options, look, chooses))?;
        let (text, looked) = match answer {
            Ok(found) => found,
            Err(failure) => return self.note(&failure.to_string()),
        };
        self.put_apart(text)?;
        match looked.filter(|_| chooses) {
            Some(looked) => {
                let chosen = attend::choose(looked, self.shell)?;
                self.put_apart(chosen)
            }
            None => Ok(Flow::Stay),
        }
    }

    /// The questions of this lesson among these that were missed or skipped.
    pub(super) fn missed(&self, due: &[ReviewQuestion<'c>]) -> Vec<ReviewQuestion<'c>> {
        let id = &self.stop().lesson.id;
        due.iter().filter(|question| question.lesson.id == *id && !question.known).copied().collect()
    }

    /// Asks questions again: at the end of a lesson that another follows the ones that were missed in it, if there are any;
    /// else the ones that are due.
    pub(crate) fn review(&mut self) -> Result<Flow, Failure> {
        let day = review::today();
        let (due, later) = review::due_and_later(self.catalogue, self.store.progress(), day)?;
        if due.is_empty() {
            return self.note(&review::none_due(&later, day));
        }
        let lesson = self.stop().lesson;
        let missed = match self.stop().kind {
            StopKind::End if lesson.number < lesson.lessons => self.missed(&due),
            _ => Vec::new(),
        };
        let all = due.len();
        let asked = if missed.is_empty() { due } else { missed };
        let count = match asked.len() {
            all if all > review::COUNT => format!("{} of the {all} questions that are due", review::COUNT),
            all => counted(all, "question"),
        };
        self.note(&format!("{count} again: `s` shows an answer, `q` leaves the review."))?;
        let mode = self.mode;
        let read: review::ReadAnswer = &mut |shell| input::line("> ", Escape::Leaves, mode, shell);
        let words = review::ask_all(asked, all, review::COUNT, &mut self.store, day, read, self.shell)?;
        self.note(&words)
    }

    /// What was typed after the word; if nothing was, asks for it. `None`: the learner typed nothing.
    fn argument(&mut self, given: &str, prompt: &str, wanted: &str) -> Result<Option<String>, Failure> {
        if !given.is_empty() {
            return Ok(Some(given.to_owned()));
        }
        let back = match self.mode {
            InputMode::Keys => "Esc or Enter alone goes back",
            InputMode::Words => "Enter alone goes back",
        };
        let hint = prose(&format!("{back}. Type {wanted}."), self.shell.look);
        self.put(&hint)?;
        if self.mode == InputMode::Keys {
            terminal::drop_enter()?;
        }
        Ok(match input::line(prompt, Escape::Leaves, self.mode, self.shell)? {
            TypedLine::Line(line) if !line.trim().is_empty() => Some(line.trim().to_owned()),
            _ => None,
        })
    }

    /// A new workspace with the state at this stop: after a cell that the learner has seen, else before it.
    fn copy(&mut self) -> Result<Option<Workspace<'c>>, Failure> {
        let (stop, stage) = (self.stop(), self.stage());
        let Some(last) = stop.lesson.steps.last() else { return Ok(None) };
        let own = self.own_code();
        self.prepared(|state| {
            let mut workspace = match stop.kind {
                StopKind::Step(step) if stage == PageStage::Shown => match state.at(step) {
                    Some(workspace) => copy(workspace).ok_or(Failure::Stopped),
                    None => state.after(step, stop.lesson),
                },
                StopKind::End => state.after(last, stop.lesson),
                _ => return scratch_workspace(state, stop),
            }?;
            let ran = workspace.ran.len();
            bind_own(&mut workspace, &own);
            // The step's own cell stays the last one: it is what is asked about.
            if let Some(last) = ran.checked_sub(1) {
                workspace.ran[last..].rotate_left(1);
            }
            Ok(workspace)
        })
    }
}

/// A text, or the reason why there is none.
pub(crate) fn or_reason(text: Result<Text, Failure>, look: crate::view::Look) -> Text {
    text.unwrap_or_else(|failure| prose(&failure.to_string(), look))
}
