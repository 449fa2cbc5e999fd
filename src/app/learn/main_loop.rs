//! The main loop of the walkthrough: shows a stop, waits for a key or a line, and does what it asks.

use std::mem;

use super::super::cells::step::unrun_panel;
use super::super::keeper::journal::{self, Entry};
use super::super::learner::stops::{self, Stop, StopKind};
use super::super::terminal::prompt::TypedLine;
use super::super::terminal::shell::{Exit, Failure};
use super::input::{self, Escape, InputMode};
use super::keys::{self, WalkInput};
use super::stop_page::{PageStage, PredictionLine, StopPage, Workbook};
use super::terminal;
use super::walk::{Flow, Walk};
use crate::lesson::Lesson;
use crate::lesson::choice::{confirms, listed_choice};
use crate::lesson::exercise::Choice;
use crate::lesson::progress::ProgressChange;
use crate::view::learn::help;
use crate::view::panel::{Panel, lesson_head, lesson_outcome, reading};
use crate::view::prose::prose;
use crate::view::quiz::QuestionKind;
use crate::view::wrap::remark;
use crate::view::{Line, Text};

impl<'c> Walk<'c, '_, '_> {
    /// Runs until the learner leaves.
    pub(crate) fn run(&mut self) -> Result<Exit, Failure> {
        if self.mode == InputMode::Keys && self.restored.as_ref().is_some_and(|left| !left.in_repl) {
            // It was typed for the process that died: a letter in its editor is no key.
            terminal::drop_typed()?;
        }
        self.arrive()?;
        if self.restored.as_ref().is_some_and(|left| left.in_repl) {
            self.repl()?;
        }
        self.restored = None;
        loop {
            let input = self.listen()?;
            self.lines_shown = 0;
            self.shell.refit();
            // Enter was announced to skip: any other input takes that back.
            self.page().warned &=
                matches!(&input, WalkInput::Key(key, _) if key.letter == keys::KEYS[0].letter);
            let flow = match input {
                WalkInput::Key(key, rest) => match (key.here)(self) {
                    true => (key.act)(self, &rest)?,
                    false => self.note(key.belongs)?,
                },
                WalkInput::Answer(answer) => self.answer(&answer)?,
                WalkInput::Unknown(word) => self.unknown(&word)?,
                WalkInput::Interrupt => {
                    self.note("Ctrl-C stops a running cell; none is running. `q` leaves.")?
                }
                WalkInput::Resized => {
                    self.show_page()?;
                    Flow::Stay
                }
                WalkInput::Pasted => self.note(match self.exercise() {
                    Some(_) => "Each letter is a key here, so nothing was done with what you pasted: `e` opens the code, paste there.",
                    None => "Each letter is a key here, so nothing was done with what you pasted.",
                })?,
                WalkInput::End => Flow::Leave,
            };
            match flow {
                Flow::Stay => {}
                Flow::GoTo(at) => {
                    self.at = at.min(self.stops.len() - 1);
                    self.front = None;
                    self.arrive()?;
                }
                Flow::Jump(at) => self.jump_to(at)?,
                Flow::Help => self.help()?,
                Flow::Leave => return self.leave(),
            }
        }
    }

    fn listen(&mut self) -> Result<WalkInput, Failure> {
        self.store.tell(self.shell);
        let asking = self.is_asking();
        if let Some(pressed) = self.pending.take() {
            return Ok(WalkInput::of_key(pressed));
        }
        match self.mode {
            InputMode::Keys if !asking => {
                let mut keys = Text { lines: vec![Line::new()] };
                keys.append(keys::legend(self, self.shell.look));
                input::press(&keys, self.shell).map(WalkInput::of_key)
            }
            mode => {
                let choices = self.choices();
                let here = (self.at, self.stage());
                let told = self.told.replace(here) == Some(here);
                match (asking, mode) {
                    (false, _) => {
                        let enter = match (keys::KEYS[0].here)(self) {
                            true => format!("Enter: {}. ", (keys::KEYS[0].label)(self)),
                            false => String::new(),
                        };
                        self.shell.say(&format!("\n{enter}?: what else can be typed.\n"))?
                    }
                    (true, _) if told => {}
                    (true, InputMode::Words) => {
                        self.shell.say("Type an answer. ?: what else can be typed.\n")?
                    }
                    (true, InputMode::Keys) => {
                        let mut keys = Text { lines: Vec::new() };
                        // None of the keys acts alone here.
                        keys.append(remark(
                            "Type an answer, or one of these letters, and Enter:",
                            self.shell.look,
                        ));
                        keys.append(keys::legend(self, self.shell.look));
                        self.shell.show(&keys)?;
                    }
                }
                let line = input::line("> ", Escape::Clears, mode, self.shell)?;
                Ok(match (&line, self.meant.take()) {
                    (TypedLine::Line(said), Some(letter)) if confirms(said) => WalkInput::Answer(letter),
                    // An answer may begin with the word of a key.
                    (TypedLine::Line(said), _) if listed_choice(choices, said).is_some() => {
                        WalkInput::Answer(said.trim().to_owned())
                    }
                    _ => WalkInput::of_line(&line, asking, choices.len()),
                })
            }
        }
    }

    fn unknown(&mut self, word: &str) -> Result<Flow, Failure> {
        let near = keys::near(word);
        let words = match (word.trim().is_empty(), near.as_slice()) {
            (true, _) => "`?` says what the keys do.".to_owned(),
            (_, []) => format!("`{word}` does nothing here. `?` says what can be done."),
            (_, near) => format!("`{word}` does nothing here. The nearest: {}.", near.join(", ")),
        };
        self.note(&words)
    }

    /// Shows the stop: from its start, or as far as the learner has seen it.
    fn arrive(&mut self) -> Result<(), Failure> {
        self.shell.refit();
        self.told = None;
        let stop = self.stop();
        if !self.pages.contains_key(&self.at) {
            self.first_visit(stop)?;
        }
        journal::note(&Entry::At {
            lesson: stop.lesson.id.clone(),
            slug: stop.slug().to_owned(),
            title: stop.title(),
        });
        let page = self.page();
        page.warned = false;
        page.book.solution = false;
        self.show_page()?;
        let place = self.front.map_or(stop, |front| self.stops[front]).place();
        self.keep(ProgressChange::At(place))
    }

    /// Goes to a stop that the learner chose. Questions of its step that were missed or skipped are asked again.
    fn jump_to(&mut self, at: usize) -> Result<(), Failure> {
        let left = mem::replace(&mut self.at, at);
        self.chosen = Some(at);
        self.front = (at < left).then(|| self.front.unwrap_or(left));
        let asks = self.step().is_some_and(|step| self.open_question(step, 0).is_some());
        if asks {
            self.pages.remove(&at);
        }
        self.arrive()?;
        if at < left {
            let left = self.stops[left];
            let name = match left.kind {
                StopKind::End => stops::end_of(left.lesson),
                _ => left.slug().to_owned(),
            };
            let title = left.title();
            let end = if title.ends_with('?') { "" } else { "." };
            self.note(&format!("You were at {title}{end} `l`, then `{name}`, goes back there."))?;
        }
        Ok(())
    }

    /// Makes the page of a stop that was not visited since the program started.
    fn first_visit(&mut self, stop: Stop<'c>) -> Result<(), Failure> {
        let done = stop.done(self.store.progress());
        let mut page = StopPage::default();
        match stop.kind {
            StopKind::Step(step) => {
                // What was answered or skipped in an earlier session is not asked again, unless the learner comes for it.
                let comes_for_it = self.chosen == Some(self.at);
                let open = self.open_question(step, 0).filter(|_| !done || comes_for_it);
                if !done || open.is_none() {
                    page.turns = self.earlier_turns(step);
                }
                if let Some(open) = open {
                    let question = PredictionLine::question(&step.predictions[open], &step.code);
                    if !page.turns.contains(&question) {
                        page.turns.push(question);
                    }
                    page.stage = PageStage::Asking(open);
                }
            }
            StopKind::Exercise(exercise) => {
                let tried = self.store.progress().tried(stop.lesson, exercise);
                page.book = tried.map(Workbook::of).unwrap_or_default();
                page.stage = if page.book.passed.is_some() { PageStage::Shown } else { PageStage::Ready };
            }
            StopKind::End => page.stage = PageStage::Shown,
        }
        if let Some(draft) = self.restored.as_ref().map(|left| left.draft.clone()).filter(|it| !it.is_empty())
        {
            match stop.kind {
                StopKind::Exercise(_) => page.book.attempt = Some(draft),
                _ => page.edited = Some(draft),
            }
        }
        let asks = matches!(page.stage, PageStage::Asking(_));
        self.pages.insert(self.at, page);
        // The learner has seen it in an earlier session: it runs again, since later steps need its state.
        if matches!(stop.kind, StopKind::Step(_)) && done && !asks && self.run_step()? {
            self.page().stage = PageStage::Shown;
        }
        Ok(())
    }

    /// Shows all that the learner has seen at this stop.
    pub(super) fn show_page(&mut self) -> Result<(), Failure> {
        let stop = self.stop();
        let look = self.shell.look;
        let mut text = Text { lines: vec![Line::new()] };
        match stop.kind {
            StopKind::Step(step) => {
                let place = self.lesson_place();
                let remembering = self.is_remembering();
                if remembering {
                    let Lesson { number, title, .. } = stop.lesson;
                    text.append(remark(&format!("Before lesson {number}, {title}:"), look));
                } else {
                    text.append(lesson_head(&place, look));
                    if place.at.0 == 1 && place.lesson.0 > 0 {
                        let Lesson { minutes, summary, .. } = stop.lesson;
                        text.append(prose(&format!("*About {minutes} minutes.* {summary}"), look));
                        text.gap();
                    }
                }
                let page = self.page();
                if !remembering {
                    let mut panel = Panel { total: 0, ..unrun_panel(step, stop.lesson) };
                    if let PageStage::Asking(at) = page.stage {
                        let blank = step.predictions[at..].iter().find_map(|asked| asked.blank());
                        panel.code = blank.map_or(panel.code, |blank| blank.in_cell(&step.code));
                    }
                    text.append(reading(&panel, look));
                }
                // Questions about earlier lessons come before the text of this one, and do not stay.
                let is_own = |turn: &&PredictionLine| !matches!(turn, PredictionLine::Question(.., kind) if *kind == QuestionKind::Review);
                let asks = |turn: &&PredictionLine| matches!(turn, PredictionLine::Question(..));
                let own = page.turns.iter().position(|turn| asks(&turn) && is_own(&turn));
                let first = if remembering { 0 } else { own.unwrap_or(page.turns.len()) };
                for turn in &page.turns[first..] {
                    match turn {
                        PredictionLine::Question(..) => text.section(turn.text(look)),
                        PredictionLine::Answer(_) | PredictionLine::Reply(..) => text.append(turn.text(look)),
                    }
                }
                if let (PageStage::Shown, Some(panel)) = (page.stage, &page.panel) {
                    text.section(lesson_outcome(panel, page.opened, look));
                }
            }
            StopKind::Exercise(exercise) => text.append(self.exercise_page(exercise)),
            StopKind::End => text.append(self.ending(stop.lesson)?),
        }
        self.put(&text)
    }

    fn help(&mut self) -> Result<(), Failure> {
        let words = match self.mode {
            InputMode::Keys => {
                "A key each; at a question, type the word or the letter and Enter. Nothing advances by itself."
            }
            InputMode::Words => "Type a word or its letter, and Enter. Nothing advances by itself.",
        };
        let mut text = help(&keys::help_rows(self), words, self.shell.look);
        text.section(self.waiting_question().unwrap_or_default());
        self.put_apart(text).map(drop)
    }

    /// The question that waits for an answer.
    pub(super) fn waiting_question(&self) -> Option<Text> {
        let (step, _, asked) = self.asked()?;
        Some(PredictionLine::question(asked, &step.code).text(self.shell.look))
    }

    fn leave(&mut self) -> Result<Exit, Failure> {
        let kept = self.store.file().is_some();
        let stop = self.stop();
        let next = stops::resume(&self.stops, self.store.progress(), self.all);
        let course = self.catalogue.course();
        let command = match course.folder {
            Some(_) => course.command("learn", ""),
            None => "attn".to_owned(),
        };
        let ended =
            |title: String| if title.ends_with(['?', '!', '.']) { title } else { format!("{title}.") };
        let left = format!("Left at {}", ended(stop.title()));
        let words = match kept {
            true if next == self.at => format!("{left} `{command}` continues there."),
            true => format!("{left} `{command}` continues with {}", ended(self.stops[next].title())),
            false => left,
        };
        self.note(&words)?;
        self.store.tell(self.shell);
        Ok(Exit::Good)
    }

    /// The choices of the question that waits.
    fn choices(&self) -> &'c [Choice] {
        self.asked().map_or(&[], |(_, _, asked)| asked.choices())
    }
}
