//! The lesson's own state: one workspace that goes on with the steps, and others where it must not be touched.
//! Runs lesson cells; shows nothing.

use std::time::{Duration, Instant};

use super::super::options::GlobalOptions;
use super::super::plan::{self, PlannedCell};
use super::super::runner::{Runner, replayed};
use super::super::shell::Failure;
use super::super::workspace::Workspace;
use crate::kernel::random::Generator;
use crate::lesson::{Catalogue, Exercise, Lesson, Step};
use crate::session::Outcome;

/// Hears of work that takes long: how many cells have run, and of how many. `false` ends it.
pub type Hears<'h> = &'h mut dyn FnMut(usize, usize);

/// From here on it is said that something runs.
const SLOW: Duration = Duration::from_millis(300);

/// The workspace on which the lesson goes on.
pub struct Bench<'c> {
    catalogue: &'c Catalogue,
    options: GlobalOptions,
    main: Option<Main<'c>>,
}

struct Main<'c> {
    workspace: Workspace<'c>,
    lesson: &'c Lesson,
    /// The step that ran last, 0 if none of this lesson has.
    last: usize,
}

/// The state before a step could not be made.
#[derive(Debug)]
pub enum Unmade {
    /// Ctrl-C.
    Stopped,
    /// A fault in a lesson.
    Failed(Failure),
}

impl<'c> Bench<'c> {
    /// Nothing has run.
    pub fn new(catalogue: &'c Catalogue, options: &GlobalOptions) -> Bench<'c> {
        Bench { catalogue, options: options.clone(), main: None }
    }

    /// Runs a step in the lesson's own state, after all that it needs.
    pub fn run(
        &mut self,
        step: &'c Step,
        lesson: &'c Lesson,
        hears: Hears,
    ) -> Result<(Outcome, &mut Workspace<'c>), Unmade> {
        if !self.leads_to(step, lesson) {
            let workspace = self.before(step, hears)?;
            self.main = Some(Main { workspace, lesson, last: 0 });
        }
        let main = self.main.as_mut().expect("it was put there or was found to be there");
        let skipped = lesson.steps.iter().filter(|it| main.last > 0 && it.number > main.last);
        let skipped = skipped.filter(|it| it.number < step.number && !it.aside);
        let cells: Vec<PlannedCell> =
            skipped.chain([step]).map(|step| PlannedCell::of_step(step, lesson, false)).collect();
        // After an interrupt nothing may build on this state.
        main.last = usize::MAX;
        let runner = Runner::new(&mut main.workspace, &cells).keep_going(true);
        let finished = runner.last().filter(|finished| finished.index + 1 == cells.len());
        let finished = finished.ok_or(Unmade::Stopped)?;
        if finished.failure().is_none() {
            main.last = step.number;
        }
        Ok((finished.outcome, &mut main.workspace))
    }

    /// Whether the workspace stands at some point of this lesson before `step`.
    fn leads_to(&self, step: &Step, lesson: &Lesson) -> bool {
        self.main.as_ref().is_some_and(|main| main.lesson.id == lesson.id && main.last < step.number)
    }

    /// A fresh workspace with the state before a step: that from which the lesson's own workspace ran it, if it did.
    pub fn before(&self, step: &'c Step, hears: Hears) -> Result<Workspace<'c>, Unmade> {
        if let Some(main) = self.main.as_ref().filter(|main| main.last == step.number) {
            return self.replayed(main, hears);
        }
        let needed = self.catalogue.prelude(step).map_err(|fault| failed(&fault))?;
        self.fresh(&needed, hears)
    }

    /// A fresh workspace with the state after a step.
    pub fn after(&self, step: &'c Step, lesson: &'c Lesson, hears: Hears) -> Result<Workspace<'c>, Unmade> {
        let mut workspace = self.before(step, hears)?;
        workspace.at = Some((step, lesson));
        workspace.run(&step.code, &step.name());
        Ok(workspace)
    }

    /// The lesson's own workspace, if `step` is what ran there last.
    pub fn at(&mut self, step: &Step) -> Option<&mut Workspace<'c>> {
        self.main.as_mut().filter(|main| main.last == step.number).map(|main| &mut main.workspace)
    }

    /// A fresh workspace with the state in which an exercise starts.
    pub fn exercise(
        &self,
        exercise: &Exercise,
        lesson: &'c Lesson,
        hears: Hears,
    ) -> Result<Workspace<'c>, Unmade> {
        let needed = self.catalogue.prelude_of(lesson, exercise).map_err(|fault| failed(&fault))?;
        let mut workspace = self.fresh(&needed, hears)?;
        workspace.at = needed.last().map(|step| (*step, lesson)).or(workspace.at);
        Ok(workspace)
    }

    /// Gives the lesson the variables of an exercise's solution, where that only adds to what is there:
    /// names and contents of its own tensors, and the stream of random numbers, stay as they are.
    pub fn settle(&mut self, exercise: &Exercise, lesson: &Lesson, tried: &Outcome) {
        let Some(main) =
            self.main.as_mut().filter(|main| main.lesson.id == lesson.id && main.last < usize::MAX)
        else {
            return;
        };
        let own = main.workspace.session.names();
        let overwrites = tried.changed.iter().any(|changed| own.contains(&changed.name));
        if tried.error.is_some() || overwrites {
            return;
        }
        let stream = main.workspace.session.state().generator.clone();
        let before: Generator = stream.borrow().clone();
        main.workspace.run(&exercise.solution.source, &exercise.slug);
        *stream.borrow_mut() = before;
    }

    /// A fresh workspace in which all cells have run that ran in the lesson's own, except for the last.
    fn replayed(&self, main: &Main<'c>, hears: Hears) -> Result<Workspace<'c>, Unmade> {
        let start = Instant::now();
        let all = main.workspace.ran.len().saturating_sub(1);
        let workspace = replayed(&main.workspace, &main.workspace.ran[..all], |ran| {
            if start.elapsed() > SLOW {
                hears(ran, all);
            }
        });
        workspace.ok_or(Unmade::Stopped)
    }

    fn fresh(&self, needed: &[&'c Step], hears: Hears) -> Result<Workspace<'c>, Unmade> {
        let cells = plan::steps(needed, self.catalogue).map_err(Unmade::Failed)?;
        let start = Instant::now();
        let mut workspace = Workspace::new(&self.options);
        let mut runner = Runner::new(&mut workspace, &cells).keep_going(true);
        while let Some(finished) = runner.next() {
            if start.elapsed() > SLOW {
                hears(finished.index + 1, cells.len());
            }
        }
        match runner.is_interrupted() {
            true => Err(Unmade::Stopped),
            false => Ok(workspace),
        }
    }
}

fn failed(fault: &crate::lesson::Fault) -> Unmade {
    Unmade::Failed(Failure::Unreadable(fault.to_string()))
}
