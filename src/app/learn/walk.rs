//! The walk through the chapter: where the learner is, what was shown there, and on, back, and away.
//! Shows pages and listens; what a key does at a question or an exercise stands beside.

use std::collections::HashMap;
use std::mem;

use super::super::shell::{Exit, Failure, Shell, columns};
use super::super::step::{step_panel, unrun_panel};
use super::super::store::Store;
use super::bench::{Bench, Unmade};
use super::input::{self, Mode, Said};
use super::keys;
use super::practice::Workbook;
use super::question::Turn;
use super::stops::{self, Kind, Stop};
use super::terminal::{self, Pressed};
use crate::lesson::progress::ProgressChange;
use crate::lesson::{Catalogue, Exercise, Step};
use crate::session::Outcome;
use crate::view::learn::{footer, help, remark};
use crate::view::panel::{outcome, reading};
use crate::view::prose::prose;
use crate::view::{Line, Panel, Role, Text};

/// Whether the walk goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// It does.
    Stay,
    /// The learner leaves.
    Leave,
}

/// How far the learner is at a stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stage {
    /// A question waits for its answer.
    Asking(usize),
    /// The cell waits to be run, the exercise to be written.
    #[default]
    Ready,
    /// All of it was seen.
    Shown,
}

/// What was shown at a stop, kept so that looking back runs nothing.
#[derive(Default)]
pub struct Page {
    pub(super) stage: Stage,
    /// The cell's panel, from when it ran; it may not have been shown yet.
    pub(super) panel: Option<Panel>,
    /// Questions, answers and replies so far.
    pub(super) turns: Vec<Turn>,
    /// What was done on an exercise.
    pub(super) book: Workbook,
    /// Whether the learner was told that Enter passes over.
    pub(super) warned: bool,
    /// The cell as the learner edited it.
    pub(super) edited: Option<String>,
}

/// The walk.
pub struct Walk<'c, 'w, 's> {
    pub(super) catalogue: &'c Catalogue,
    pub(super) shell: &'w mut Shell<'s>,
    pub(super) store: Store,
    pub(super) stops: Vec<Stop<'c>>,
    pub(super) bench: Bench<'c>,
    pub(super) mode: Mode,
    pages: HashMap<usize, Page>,
    at: usize,
    /// Lines shown since a key was pressed.
    shown: usize,
    /// What was pressed while a long page was shown.
    pressed: Option<Pressed>,
    /// The question at which it was said what else can be typed.
    told: Option<(usize, Stage)>,
}

impl<'c, 'w, 's> Walk<'c, 'w, 's> {
    /// A walk that begins at stop number `at`.
    pub fn new(
        catalogue: &'c Catalogue,
        stops: Vec<Stop<'c>>,
        at: usize,
        store: Store,
        mode: Mode,
        shell: &'w mut Shell<'s>,
    ) -> Walk<'c, 'w, 's> {
        let bench = Bench::new(catalogue, &shell.options);
        let pages = HashMap::new();
        Walk { catalogue, shell, store, stops, bench, mode, pages, at, shown: 0, pressed: None, told: None }
    }

    /// Listens until the learner leaves.
    pub fn go(&mut self) -> Result<Exit, Failure> {
        self.arrive()?;
        loop {
            let said = self.listen()?;
            self.shown = 0;
            let flow = match said {
                Said::Key(key, rest) => match (key.here)(self) {
                    true => (key.act)(self, &rest)?,
                    false => self.note(key.belongs)?,
                },
                Said::Answer(answer) => self.answer(&answer)?,
                Said::Unknown(word) => self.unknown(&word)?,
                Said::Stop => self.note("Ctrl-C stops a cell that runs; none does. `q` leaves.")?,
                Said::Resized => self.again()?,
                Said::End => Flow::Leave,
            };
            if flow == Flow::Leave {
                return self.leave();
            }
        }
    }

    fn listen(&mut self) -> Result<Said, Failure> {
        for remark in self.store.remarks() {
            self.shell.remark(&remark);
        }
        let asking = self.is_asking();
        if let Some(pressed) = self.pressed.take() {
            return Ok(input::meant(pressed));
        }
        match self.mode {
            Mode::Keys if !asking => {
                let mut keys = Text { lines: vec![Line::new()] };
                keys.append(footer(&keys::legend(self), self.shell.look));
                input::by_key(&keys, self.shell)
            }
            mode => {
                let letters = self.choices();
                let here = (self.at, self.stage());
                let label = (keys::KEYS[0].label)(self);
                let told = self.told.replace(here) == Some(here);
                match (asking, mode) {
                    (false, _) => {
                        self.shell.say(&format!("\nEnter: {label}. ?: what else can be typed.\n"))?
                    }
                    (true, _) if told => {}
                    (true, Mode::Words) => self.shell.say("Type an answer. ?: what else can be typed.\n")?,
                    (true, Mode::Keys) => {
                        let keys = footer(&keys::legend(self), self.shell.look);
                        self.shell.show(&keys)?;
                    }
                }
                input::by_line(mode, asking, letters, self.shell)
            }
        }
    }

    pub(super) fn measure(&mut self) {
        if self.shell.options.width.is_none() {
            self.shell.look.width = columns(self.shell.terminal);
        }
    }

    fn unknown(&mut self, word: &str) -> Result<Flow, Failure> {
        let near = keys::near(word);
        let words = match (word.is_empty(), near.as_slice()) {
            (true, _) => "`?` says what the keys do.".to_owned(),
            (_, []) => format!("`{word}` does nothing here. `?` says what can be done."),
            (_, near) => format!("`{word}` does nothing here. The nearest: {}.", near.join(", ")),
        };
        self.note(&words)
    }

    /// Where the learner is among the stops.
    pub fn at(&self) -> usize {
        self.at
    }

    /// The stop where the learner is.
    pub fn stop(&self) -> Stop<'c> {
        self.stops[self.at]
    }

    /// The step, at one.
    pub fn step(&self) -> Option<&'c Step> {
        match self.stop().kind {
            Kind::Step(step) => Some(step),
            _ => None,
        }
    }

    /// The exercise, at one.
    pub fn exercise(&self) -> Option<&'c Exercise> {
        match self.stop().kind {
            Kind::Exercise(exercise) => Some(exercise),
            _ => None,
        }
    }

    /// How far the learner is here.
    pub fn stage(&self) -> Stage {
        self.pages.get(&self.at).map(|page| page.stage).unwrap_or_default()
    }

    /// Whether a question waits for its answer.
    pub fn is_asking(&self) -> bool {
        matches!(self.stage(), Stage::Asking(_))
    }

    /// Whether a table with numbers is on the page.
    pub fn has_tables(&self) -> bool {
        let page = self.pages.get(&self.at).filter(|page| page.stage == Stage::Shown);
        let panel = page.and_then(|page| page.panel.as_ref());
        panel
            .is_some_and(|panel| panel.figures.iter().any(|figure| figure.has_values() && figure.count() > 0))
    }

    pub(super) fn page(&mut self) -> &mut Page {
        self.pages.entry(self.at).or_default()
    }

    /// Goes to another stop and shows it.
    pub fn go_to(&mut self, at: usize) -> Result<Flow, Failure> {
        self.at = at.min(self.stops.len() - 1);
        self.arrive()?;
        Ok(Flow::Stay)
    }

    /// Shows the stop: afresh, or as far as it was seen.
    fn arrive(&mut self) -> Result<(), Failure> {
        self.measure();
        self.told = None;
        let stop = self.stop();
        if !self.pages.contains_key(&self.at) {
            self.first_time(stop)?;
        }
        self.show_page()?;
        self.keep(ProgressChange::At(stop.place()))
    }

    /// The page of a stop that this walk has not been at.
    fn first_time(&mut self, stop: Stop<'c>) -> Result<(), Failure> {
        let done = stop.done(self.store.progress());
        let mut page = Page::default();
        match stop.kind {
            Kind::Step(step) if !done && !step.predictions.is_empty() => {
                page.turns.push(Turn::question(&step.predictions[0]));
                page.stage = Stage::Asking(0);
            }
            Kind::Exercise(exercise) => {
                let tried = self.store.progress().tried(stop.lesson, exercise);
                page.book = tried.map(Workbook::of).unwrap_or_default();
                page.stage = if done { Stage::Shown } else { Stage::Ready };
            }
            Kind::End => page.stage = Stage::Shown,
            Kind::Step(_) => {}
        }
        self.pages.insert(self.at, page);
        if let (Kind::Step(step), true) = (stop.kind, done) {
            // Seen at another time: it is made again, answers and all, and the lesson goes on from it.
            if self.run_step()? {
                let turns = self.remembered(step)?;
                let page = self.page();
                page.turns = turns;
                page.stage = Stage::Shown;
            }
        }
        Ok(())
    }

    /// Shows all that was seen at this stop.
    fn show_page(&mut self) -> Result<(), Failure> {
        let stop = self.stop();
        let look = self.shell.look;
        let mut text = Text { lines: vec![Line::new()] };
        match stop.kind {
            Kind::Step(step) => {
                text.append(reading(&unrun_panel(step, stop.lesson, self.catalogue), look));
                let page = self.page();
                for turn in &page.turns {
                    match turn {
                        Turn::Question(..) => text.section(turn.text(look)),
                        Turn::Answer(_) | Turn::Reply(..) => text.append(turn.text(look)),
                    }
                }
                if let (Stage::Shown, Some(panel)) = (page.stage, &page.panel) {
                    text.section(outcome(panel, look));
                }
            }
            Kind::Exercise(exercise) => text.append(self.exercise_page(exercise, stop.lesson)),
            Kind::End => text.append(self.ending(stop.lesson)),
        }
        self.put(&text)
    }

    /// Shows the page again, at the width that the screen has now.
    fn again(&mut self) -> Result<Flow, Failure> {
        self.measure();
        self.show_page()?;
        Ok(Flow::Stay)
    }

    /// On: past a question, to the outcome, to the next stop.
    pub fn on(&mut self) -> Result<Flow, Failure> {
        match (self.stage(), self.stop().kind) {
            (Stage::Asking(_), _) | (Stage::Ready, Kind::Exercise(_)) => self.pass_over(),
            (Stage::Ready, Kind::Step(_)) => self.outcome(),
            _ if self.at + 1 == self.stops.len() => {
                self.note("This is the end of the chapter. `p` looks back, `l` goes anywhere, `q` leaves.")
            }
            _ => self.go_to(self.at + 1),
        }
    }

    /// Back to the stop before.
    pub fn back(&mut self) -> Result<Flow, Failure> {
        self.go_to(self.at.saturating_sub(1))
    }

    /// Passing over by Enter takes two: the first says what it would do.
    fn pass_over(&mut self) -> Result<Flow, Failure> {
        let exercise = self.exercise().is_some();
        match (mem::replace(&mut self.page().warned, true), exercise) {
            (true, _) => self.skip(),
            (false, true) => self.note(
                "Not written yet: `e` writes it, `h` gives a hint, `s` the solution. Enter once more goes on without.",
            ),
            (false, false) => {
                self.note("Type an answer; `s` shows it. Enter once more runs the cell without an answer.")
            }
        }
    }

    /// Runs the cell, if it has not run, and shows what came of it.
    pub(super) fn outcome(&mut self) -> Result<Flow, Failure> {
        if self.page().panel.is_none() && !self.run_step()? {
            return Ok(Flow::Stay);
        }
        let look = self.shell.look;
        let page = self.page();
        page.stage = Stage::Shown;
        let panel = page.panel.as_ref().expect("the step has run");
        let stopped = panel.error.as_ref().is_some_and(|error| error.interrupted);
        let mut text = Text { lines: vec![Line::new()] };
        text.append(outcome(panel, look));
        if text.lines.len() == 1 {
            text.append(remark("It ran, and shows nothing.", look));
        }
        if stopped {
            page.panel = None;
            page.stage = Stage::Ready;
        }
        self.put(&text)?;
        if let (false, Some(step)) = (stopped, self.step()) {
            let id = self.stop().lesson.id.clone();
            self.keep(ProgressChange::Done(id, step.slug.clone()))?;
        }
        Ok(Flow::Stay)
    }

    /// Runs this step's cell in the lesson's own state. `false`: it could not be.
    pub(super) fn run_step(&mut self) -> Result<bool, Failure> {
        let (Some(step), lesson) = (self.step(), self.stop().lesson) else {
            return Ok(false);
        };
        let catalogue = self.catalogue;
        let mut waiting = Waiting::new(self.mode);
        waiting.begin(self.shell)?;
        let ran = self.bench.run(step, lesson, &mut |ran, all| waiting.hear(ran, all, self.shell));
        waiting.end(self.shell)?;
        let made = match ran {
            Ok((outcome, workspace)) => {
                self.shell.aside(&outcome.stderr);
                Ok(step_panel(step, lesson, &outcome, &mut workspace.session, catalogue))
            }
            Err(unmade) => Err(unmade),
        };
        match made {
            Ok(panel) => {
                self.page().panel = Some(panel);
                Ok(true)
            }
            Err(unmade) => self.unmade(unmade).map(|_| false),
        }
    }

    /// Says why the state before a place is not there.
    pub(super) fn unmade(&mut self, unmade: Unmade) -> Result<Flow, Failure> {
        match unmade {
            Unmade::Stopped => {
                self.note("Stopped, before all was there that this needs. The same key tries again.")
            }
            Unmade::Failed(failure) => Err(failure),
        }
    }

    /// Runs the cell once more, on a state made afresh.
    pub fn run_again(&mut self) -> Result<Flow, Failure> {
        self.page().panel = None;
        self.outcome()
    }

    /// The help.
    pub fn help(&mut self) -> Result<Flow, Failure> {
        let words = match self.mode {
            Mode::Keys => {
                "A key each; at a question, type the word or the letter and Enter. Nothing goes on by itself."
            }
            Mode::Words => "Type a word or its letter, and Enter. Nothing goes on by itself.",
        };
        let mut text = Text { lines: vec![Line::new()] };
        text.append(help(&keys::means(self), words, self.shell.look));
        self.put(&text)?;
        Ok(Flow::Stay)
    }

    /// Keeps what the learner did; what there is to see is seen before.
    pub(super) fn keep(&mut self, change: ProgressChange) -> Result<(), Failure> {
        self.shell.flush()?;
        self.store.change(change);
        Ok(())
    }

    /// A remark, and the walk goes on.
    pub(super) fn note(&mut self, words: &str) -> Result<Flow, Failure> {
        let mut text = Text { lines: vec![Line::new()] };
        text.append(prose(words, self.shell.look));
        self.put(&text)?;
        Ok(Flow::Stay)
    }

    fn leave(&mut self) -> Result<Exit, Failure> {
        let kept = self.store.file().is_some();
        let stop = self.stop();
        let words = match kept {
            true => format!("Left at {}. `attn` goes on there.", stop.title()),
            false => format!("Left at {}.", stop.title()),
        };
        self.note(&words)?;
        for remark in self.store.remarks() {
            self.shell.remark(&remark);
        }
        Ok(Exit::Good)
    }

    /// Shows text; where keys can be pressed, not more of it at once than the screen holds.
    pub(super) fn put(&mut self, text: &Text) -> Result<(), Failure> {
        if self.mode == Mode::Words || self.pressed.is_some() {
            return self.shell.show(text);
        }
        let mut lines = text.lines.as_slice();
        loop {
            let room = terminal::rows().saturating_sub(3).max(3).saturating_sub(self.shown);
            if lines.len() <= room {
                self.shown += lines.len();
                return self.shell.show(&Text { lines: lines.to_vec() });
            }
            // Better between two parts than within one.
            let gap = lines[..room].iter().rposition(|line| line.spans.is_empty());
            let cut = gap.filter(|at| *at > room / 2).unwrap_or(room);
            self.shell.show(&Text { lines: lines[..cut].to_vec() })?;
            lines = &lines[cut..];
            let more = Line::new()
                .with(Role::Dim, "── ")
                .with(Role::Strong, "Enter")
                .with(Role::Dim, format!(" {} more lines   ", lines.len()))
                .with(Role::Strong, "Space")
                .with(Role::Dim, " all of them ──");
            let more = Text { lines: vec![more] };
            match input::press(&more, self.shell)? {
                Pressed::Enter | Pressed::Page(1) | Pressed::Arrow(1, 0) | Pressed::Resized => self.shown = 0,
                Pressed::Letter(' ') => return self.shell.show(&Text { lines: lines.to_vec() }),
                other => {
                    // Another key ends the page and is heard as what it is.
                    self.pressed = Some(other);
                    return Ok(());
                }
            }
        }
    }

    /// What a cell that the learner wrote did.
    pub(super) fn show_outcome(&mut self, outcome: &Outcome, panel: &Panel) -> Result<(), Failure> {
        self.shell.aside(&outcome.stderr);
        let mut text = Text { lines: vec![Line::new()] };
        text.append(crate::view::panel::outcome(panel, self.shell.look));
        if text.lines.len() == 1 {
            text.append(remark("It ran, and shows nothing.", self.shell.look));
        }
        self.put(&text)
    }

    /// How many letters answer the question that waits.
    fn choices(&self) -> usize {
        match (self.stage(), self.step()) {
            (Stage::Asking(at), Some(step)) => super::question::choices(&step.predictions[at]).len(),
            _ => 0,
        }
    }

    /// Goes to the place of this name.
    pub(super) fn jump(&mut self, wanted: &str) -> Result<Flow, Failure> {
        match stops::find(&self.stops, wanted, self.catalogue) {
            Ok(at) => self.go_to(at),
            Err(words) => self.note(&words),
        }
    }
}

/// A line that says how far work has come that takes long; where lines are not redrawn, one remark.
pub(super) struct Waiting {
    mode: Mode,
    said: bool,
}

impl Waiting {
    pub(super) fn new(mode: Mode) -> Waiting {
        Waiting { mode, said: false }
    }

    /// A cell is about to run: said where it can be taken away again.
    fn begin(&mut self, shell: &mut Shell) -> Result<(), Failure> {
        if self.mode == Mode::Keys {
            self.said = true;
            shell.say("running ...")?;
            shell.flush()?;
        }
        Ok(())
    }

    pub(super) fn hear(&mut self, ran: usize, all: usize, shell: &mut Shell) {
        let first = !mem::replace(&mut self.said, true);
        // A line that cannot be written is no reason to stop the work.
        let _ = match self.mode {
            Mode::Keys => shell.say(&format!("\r\x1b[Krunning what comes before: cell {ran} of {all}")),
            Mode::Words if first => shell.say("running what comes before ...\n"),
            Mode::Words => Ok(()),
        };
        let _ = shell.flush();
    }

    pub(super) fn end(&self, shell: &mut Shell) -> Result<(), Failure> {
        match self.said && self.mode == Mode::Keys {
            true => shell.say("\r\x1b[K"),
            false => Ok(()),
        }
    }
}
