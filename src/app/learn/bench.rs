//! The lesson's own state: one desk that goes on with the steps, and others where it must not be touched.
//! Runs lesson cells; shows nothing.

use std::time::{Duration, Instant};

use super::super::desk::Desk;
use super::super::plan::{self, Plan};
use super::super::shell::{Failure, Wishes};
use crate::kernel::random::Generator;
use crate::lesson::{Catalogue, Exercise, Lesson, Step};
use crate::session::Outcome;

/// Hears of work that takes long: how many cells have run, and of how many. `false` ends it.
pub type Hears<'h> = &'h mut dyn FnMut(usize, usize);

/// From here on it is said that something runs.
const SLOW: Duration = Duration::from_millis(300);

/// The desk on which the lesson goes on.
pub struct Bench<'c> {
    catalogue: &'c Catalogue,
    wishes: Wishes,
    main: Option<Main<'c>>,
}

struct Main<'c> {
    desk: Desk<'c>,
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
    pub fn new(catalogue: &'c Catalogue, wishes: &Wishes) -> Bench<'c> {
        Bench { catalogue, wishes: wishes.clone(), main: None }
    }

    /// Runs a step in the lesson's own state, after all that it needs.
    pub fn run(
        &mut self,
        step: &'c Step,
        lesson: &'c Lesson,
        hears: Hears,
    ) -> Result<(Outcome, &mut Desk<'c>), Unmade> {
        if !self.leads_to(step, lesson) {
            let desk = self.before(step, hears)?;
            self.main = Some(Main { desk, lesson, last: 0 });
        }
        let main = self.main.as_mut().expect("it was put there or was found to be there");
        let skipped = lesson.steps.iter().filter(|it| main.last > 0 && it.number > main.last);
        for between in skipped.filter(|it| it.number < step.number && !it.aside) {
            main.desk.run(&between.code, &between.name());
        }
        main.desk.at = Some((step, lesson));
        let outcome = main.desk.run(&step.code, &step.name());
        main.last = step.number;
        let broken = outcome.error.as_ref().is_some_and(|raised| raised.interrupted || !step.raises);
        if broken {
            // What the cell left undone must not be built upon.
            let main = self.main.as_mut().expect("it is still there");
            main.last = usize::MAX;
        }
        let main = self.main.as_mut().expect("it is still there");
        Ok((outcome, &mut main.desk))
    }

    /// Whether the desk stands at some point of this lesson before `step`.
    fn leads_to(&self, step: &Step, lesson: &Lesson) -> bool {
        self.main.as_ref().is_some_and(|main| main.lesson.id == lesson.id && main.last < step.number)
    }

    /// A fresh desk with the state before a step: that from which the lesson's own desk ran it, if it did.
    pub fn before(&self, step: &'c Step, hears: Hears) -> Result<Desk<'c>, Unmade> {
        if let Some(main) = self.main.as_ref().filter(|main| main.last == step.number) {
            return self.replayed(main, hears);
        }
        let needed = self.catalogue.prelude(step).map_err(|fault| failed(&fault))?;
        self.fresh(&needed, hears)
    }

    /// A fresh desk with the state after a step.
    pub fn after(&self, step: &'c Step, lesson: &'c Lesson, hears: Hears) -> Result<Desk<'c>, Unmade> {
        let mut desk = self.before(step, hears)?;
        desk.at = Some((step, lesson));
        desk.run(&step.code, &step.name());
        Ok(desk)
    }

    /// The lesson's own desk, if `step` is what ran there last.
    pub fn at(&mut self, step: &Step) -> Option<&mut Desk<'c>> {
        self.main.as_mut().filter(|main| main.last == step.number).map(|main| &mut main.desk)
    }

    /// A fresh desk with the state in which an exercise starts.
    pub fn exercise(
        &self,
        exercise: &Exercise,
        lesson: &'c Lesson,
        hears: Hears,
    ) -> Result<Desk<'c>, Unmade> {
        let needed = self.catalogue.prelude_of(lesson, exercise).map_err(|fault| failed(&fault))?;
        let mut desk = self.fresh(&needed, hears)?;
        desk.at = needed.last().map(|step| (*step, lesson)).or(desk.at);
        Ok(desk)
    }

    /// Gives the lesson the variables of an exercise's solution, where that only adds to what is there:
    /// names and contents of its own tensors, and the stream of random numbers, stay as they are.
    pub fn settle(&mut self, exercise: &Exercise, lesson: &Lesson, tried: &Outcome) {
        let Some(main) =
            self.main.as_mut().filter(|main| main.lesson.id == lesson.id && main.last < usize::MAX)
        else {
            return;
        };
        let own = main.desk.session.names();
        let overwrites = tried.changed.iter().any(|changed| own.contains(&changed.name));
        if tried.error.is_some() || overwrites {
            return;
        }
        let stream = main.desk.session.state().generator.clone();
        let before: Generator = stream.borrow().clone();
        main.desk.run(&exercise.solution.source, &exercise.slug);
        *stream.borrow_mut() = before;
    }

    /// A fresh desk on which all has run that ran on the lesson's own, but for the last cell.
    fn replayed(&self, main: &Main<'c>, hears: Hears) -> Result<Desk<'c>, Unmade> {
        let start = Instant::now();
        let all = main.desk.ran.len().saturating_sub(1);
        let desk = main.desk.replayed_while(&main.desk.ran[..all], |ran| {
            if start.elapsed() > SLOW {
                hears(ran, all);
            }
            true
        });
        desk.ok_or(Unmade::Stopped)
    }

    fn fresh(&self, needed: &[&'c Step], hears: Hears) -> Result<Desk<'c>, Unmade> {
        let cells = plan::steps(needed, self.catalogue).map_err(Unmade::Failed)?;
        let plan = Plan { target: String::new(), cells, remarks: Vec::new(), script: false };
        let start = Instant::now();
        let all = plan.cells.len();
        let mut stopped = false;
        let desk = Desk::set(&plan, &self.wishes, |ran, outcome| {
            stopped = outcome.error.as_ref().is_some_and(|raised| raised.interrupted);
            if start.elapsed() > SLOW {
                hears(ran + 1, all);
            }
            !stopped
        });
        match stopped {
            true => Err(Unmade::Stopped),
            false => Ok(desk),
        }
    }
}

fn failed(fault: &crate::lesson::Fault) -> Unmade {
    Unmade::Failed(Failure::Unreadable(fault.to_string()))
}
