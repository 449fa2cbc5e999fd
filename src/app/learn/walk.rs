//! The state of the walkthrough: where the learner is and what they have seen, and how text reaches the screen.

use std::collections::HashMap;

use super::super::cells::step::{prints, step_panel};
use super::super::keeper::journal::Restored;
use super::super::learner::stops::{Stop, StopKind};
use super::super::learner::store::Store;
use super::super::terminal::shell::{Failure, Shell};
use super::figures::has_tensors;
use super::input::{self, InputMode};
use super::lesson_state::LessonState;
use super::stop_page::{PageStage, StopPage};
use super::terminal::KeyPress;
use crate::lesson::progress::ProgressChange;
use crate::lesson::{Catalogue, Exercise, Step};
use crate::session::Outcome;
use crate::view::panel::{LessonPlace, lesson_outcome, outcome, printed};
use crate::view::prose::prose;
use crate::view::wrap::remark;
use crate::view::{Line, Panel, Text};

/// What the walkthrough does after a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    /// It waits for the next key.
    Stay,
    /// It goes to the stop of this number.
    GoTo(usize),
    /// To the stop of this number, which the learner chose: what was missed there is asked again.
    Jump(usize),
    Help,
    Leave,
}

pub(crate) struct Walk<'c, 'w, 's> {
    pub(super) catalogue: &'c Catalogue,
    pub(super) shell: &'w mut Shell<'s>,
    pub(super) store: Store,
    pub(super) stops: Vec<Stop<'c>>,
    pub(super) lesson: LessonState<'c>,
    pub(super) mode: InputMode,
    pub(super) pages: HashMap<usize, StopPage>,
    /// The number of the stop where the learner is.
    pub(super) at: usize,
    /// The number of lines shown since the last key.
    pub(super) lines_shown: usize,
    /// Whether the asides are stops as well.
    pub(super) all: bool,
    /// The key that was pressed in the middle of a long page.
    pub(super) pending: Option<KeyPress>,
    /// The place where the learner was told what else they can type.
    pub(super) told: Option<(usize, PageStage)>,
    /// The choice that the learner was asked about: the next line says yes to it, or something else.
    pub(super) meant: Option<String>,
    /// The number of the stop that the learner chose last from the list.
    pub(super) chosen: Option<usize>,
    /// The number of the stop from which the learner went back to look at this one; going on from here forgets it.
    pub(super) front: Option<usize>,
    /// What the process before this one left, until it is taken up.
    pub(super) restored: Option<Restored>,
}

impl<'c, 'w, 's> Walk<'c, 'w, 's> {
    /// A walkthrough that begins at the stop of number `at`; `all` asks for the asides too.
    pub(crate) fn new(
        catalogue: &'c Catalogue,
        stops: Vec<Stop<'c>>,
        (at, all): (usize, bool),
        store: Store,
        mode: InputMode,
        shell: &'w mut Shell<'s>,
    ) -> Walk<'c, 'w, 's> {
        let lesson = LessonState::new(catalogue, &shell.options);
        Walk {
            catalogue,
            shell,
            store,
            stops,
            lesson,
            mode,
            pages: HashMap::new(),
            at,
            lines_shown: 0,
            all,
            pending: None,
            told: None,
            meant: None,
            chosen: None,
            front: None,
            restored: None,
        }
    }

    /// The stop where the learner is.
    pub(crate) fn stop(&self) -> Stop<'c> {
        self.stops[self.at]
    }

    /// The step, if the learner is at one.
    pub(crate) fn step(&self) -> Option<&'c Step> {
        match self.stop().kind {
            StopKind::Step(step) => Some(step),
            _ => None,
        }
    }

    /// The exercise, if the learner is at one.
    pub(crate) fn exercise(&self) -> Option<&'c Exercise> {
        match self.stop().kind {
            StopKind::Exercise(exercise) => Some(exercise),
            _ => None,
        }
    }

    /// The place in the lesson, for the head of a page.
    pub(super) fn lesson_place(&self) -> LessonPlace {
        let stop = self.stop();
        let is_counted = |other: &&Stop| {
            let here = other.lesson.id == stop.lesson.id && !matches!(other.kind, StopKind::End);
            here && (self.all || !other.is_aside() || other.slug() == stop.slug())
        };
        let all = self.stops.iter().filter(is_counted).count();
        let before = self.stops[..self.at].iter().filter(is_counted).count();
        let ended = matches!(stop.kind, StopKind::End);
        let at = if ended { all } else { before + 1 };
        LessonPlace {
            lesson: (stop.lesson.number, stop.lesson.lessons),
            title: stop.lesson.title.clone(),
            section: stop.lesson.book_section().to_owned(),
            at: (at, all),
            words: match stop.kind {
                StopKind::Step(step) => format!("step {}", step.number),
                StopKind::Exercise(_) => "exercise".to_owned(),
                StopKind::End => "the end of this lesson".to_owned(),
            },
            slug: stop.slug().to_owned(),
        }
    }

    /// Whether a question about an earlier lesson waits.
    pub(super) fn is_remembering(&self) -> bool {
        self.asked().is_some_and(|(_, _, asked)| asked.review.is_some())
    }

    /// Whether a printed tensor was folded.
    pub(crate) fn is_folded(&self) -> bool {
        let page = self.pages.get(&self.at).filter(|page| page.stage == PageStage::Shown && !page.opened);
        page.and_then(|page| page.panel.as_ref()).is_some_and(Panel::folds)
    }

    /// Shows the output again as PyTorch prints it.
    pub(crate) fn open(&mut self) -> Result<Flow, Failure> {
        let look = self.shell.look;
        let page = self.page();
        page.opened = true;
        let panel = page.panel.as_ref();
        let text = panel.map(|panel| printed(&panel.stdout, panel.result.as_deref(), look));
        self.put_apart(text.unwrap_or_default())
    }

    /// How far the learner is here.
    pub(crate) fn stage(&self) -> PageStage {
        self.pages.get(&self.at).map(|page| page.stage).unwrap_or_default()
    }

    /// Whether there is a number to ask about. A typed line may name one that the step does not show.
    pub(crate) fn can_ask(&self) -> bool {
        let page = self.pages.get(&self.at).filter(|page| page.stage == PageStage::Shown);
        let page = page.filter(|page| page.has_tensors || self.mode == InputMode::Words);
        self.step().is_some() && page.is_some()
    }

    /// Whether what the learner enters here is a line, and not a key that acts at once.
    pub(crate) fn types_lines(&self) -> bool {
        self.mode == InputMode::Words || self.is_asking()
    }

    /// Whether a question waits for its answer.
    pub(crate) fn is_asking(&self) -> bool {
        matches!(self.stage(), PageStage::Asking(_))
    }

    /// Whether Ctrl-C stopped the cell of this step.
    pub(crate) fn was_stopped(&self) -> bool {
        self.pages.get(&self.at).is_some_and(|page| page.stopped)
    }

    pub(super) fn page(&mut self) -> &mut StopPage {
        self.pages.entry(self.at).or_default()
    }

    /// Runs the cell if it has not run, and shows its outcome.
    pub(super) fn outcome(&mut self) -> Result<Flow, Failure> {
        if self.page().panel.is_none() && !self.run_step()? {
            return Ok(Flow::Stay);
        }
        let look = self.shell.look;
        let page = self.page();
        page.stage = PageStage::Shown;
        let panel = page.panel.as_ref().expect("the step has run");
        let stopped = panel.error.as_ref().is_some_and(|error| error.interrupted);
        let text = lesson_outcome(panel, page.opened, look);
        page.stopped = stopped;
        if stopped {
            page.panel = None;
            page.stage = PageStage::Ready;
        }
        self.put_outcome(text)?;
        if let (false, Some(step)) = (stopped, self.step()) {
            let id = self.stop().lesson.id.clone();
            self.keep(ProgressChange::Done(id, step.slug.clone()))?;
        }
        Ok(Flow::Stay)
    }

    /// Runs the cell again in a new workspace.
    pub(crate) fn run_again(&mut self) -> Result<Flow, Failure> {
        self.page().panel = None;
        self.outcome()
    }

    /// What the learner wrote in the exercises of this lesson before the step; in all of them at the lesson's end.
    pub(super) fn own_code(&self) -> Vec<String> {
        let (lesson, progress) = (self.stop().lesson, self.store.progress());
        let at = self.step().and_then(|step| lesson.steps.iter().position(|it| it.number == step.number));
        let within = at.unwrap_or(lesson.steps.len());
        let before = lesson.exercises.iter().filter(|exercise| exercise.after_steps <= within);
        before.filter_map(|exercise| progress.tried(lesson, exercise)?.passed.clone()).collect()
    }

    /// Runs this step's cell in the lesson's workspace. Returns `false` if it could not run.
    pub(super) fn run_step(&mut self) -> Result<bool, Failure> {
        let (Some(step), lesson) = (self.step(), self.stop().lesson) else { return Ok(false) };
        let own = self.own_code();
        let ran = self.prepared(|state| {
            let (outcome, workspace) = state.run(step, lesson, &own)?;
            let mut panel = step_panel(step, lesson, &outcome, &mut workspace.session);
            // Lesson 1 teaches to read what PyTorch prints.
            if lesson.number > 1 {
                panel.prints = prints(&panel.figures, &mut workspace.session);
            }
            let has_tensors = has_tensors(step, &panel.figures, workspace);
            Ok((panel, has_tensors, outcome.stderr))
        })?;
        let Some((panel, has_tensors, stderr)) = ran else { return Ok(false) };
        self.shell.aside(&stderr);
        let page = self.page();
        page.panel = Some(panel);
        page.has_tensors = has_tensors;
        Ok(true)
    }

    /// Prepares a state or runs a cell; where a line can be removed again, one says so meanwhile. `None`: Ctrl-C was
    /// pressed, and the learner was told.
    pub(super) fn prepared<T>(
        &mut self,
        work: impl FnOnce(&mut LessonState<'c>) -> Result<T, Failure>,
    ) -> Result<Option<T>, Failure> {
        let lesson = &mut self.lesson;
        match running(self.mode, self.shell, || work(lesson))? {
            Ok(made) => Ok(Some(made)),
            Err(Failure::Stopped) => {
                self.note("Stopped, before all was there that this needs. Try again: nothing is lost.")?;
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }

    /// Saves what the learner did. What they should see first is written first.
    pub(super) fn keep(&mut self, change: ProgressChange) -> Result<(), Failure> {
        self.shell.flush()?;
        self.store.change(change);
        Ok(())
    }

    /// Shows a remark (Markdown).
    pub(super) fn note(&mut self, words: &str) -> Result<Flow, Failure> {
        self.put_apart(prose(words, self.shell.look))
    }

    /// Shows text that is apart from the page, after an empty line.
    pub(super) fn put_apart(&mut self, text: Text) -> Result<Flow, Failure> {
        self.put_paged(&below(text), true)?;
        Ok(Flow::Stay)
    }

    /// Shows more of the page, after an empty line.
    pub(super) fn put_below(&mut self, text: Text) -> Result<(), Failure> {
        self.put(&below(text))
    }

    /// Shows the outcome of a cell that the learner wrote.
    pub(super) fn show_outcome(&mut self, result: &Outcome, panel: &Panel) -> Result<(), Failure> {
        self.shell.aside(&result.stderr);
        self.put_outcome(outcome(panel, self.shell.look))
    }

    fn put_outcome(&mut self, text: Text) -> Result<(), Failure> {
        let empty = text.lines.is_empty();
        let text = if empty { remark("It ran and printed nothing.", self.shell.look) } else { text };
        self.put_below(text)
    }
}

fn below(text: Text) -> Text {
    let mut shown = Text { lines: vec![Line::new()] };
    shown.append(text);
    shown
}

/// Does work that the learner waits for; where a line can be removed again, one says so meanwhile.
pub(super) fn running<T>(mode: InputMode, shell: &mut Shell, work: impl FnOnce() -> T) -> Result<T, Failure> {
    let shows = mode == InputMode::Keys;
    if shows {
        shell.say("running ...")?;
        shell.flush()?;
    }
    let made = input::unattended(mode, work)?;
    if shows {
        shell.say("\r\x1b[K")?;
    }
    Ok(made)
}
