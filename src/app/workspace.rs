//! A workspace to work at: one interpreter with the state of a step or a file, and what its tensors are called.
//! What walkthrough, REPL, `why`, trace and what-if start from; writes nothing.

use std::collections::BTreeMap;

use super::figures::{self, Names};
use super::machine;
use super::notes;
use super::options::GlobalOptions;
use super::plan::Plan;
use crate::explain;
use crate::lesson::{Lesson, Step};
use crate::ops::trace::Trace;
use crate::session::{Outcome, Raised, Session};
use crate::tensor::Tensor;
use crate::view::Figure;
use crate::view::errors::ErrorNote;

/// One interpreter, the cells it has run, and the step whose names hold in it.
pub struct Workspace<'c> {
    /// The interpreter.
    pub session: Session,
    /// The step whose axes and tokens name things; none for a file.
    pub at: Option<(&'c Step, &'c Lesson)>,
    /// What ran here, in order: run again, it leads to the same state.
    pub ran: Vec<RanCell>,
    /// Names that the learner gave to the axes of variables; they go before the lesson's.
    pub axes: BTreeMap<String, Vec<String>>,
    /// The steps that ran here: what they call axes holds for later ones.
    steps: Vec<(&'c Step, &'c Lesson)>,
    options: GlobalOptions,
}

/// A cell that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanCell {
    /// The name it ran under: `step3`, `cell 4`.
    pub name: String,
    /// Its code.
    pub source: String,
}

impl<'c> Workspace<'c> {
    /// An empty workspace: nothing has run.
    pub fn new(options: &GlobalOptions) -> Workspace<'c> {
        Workspace {
            session: machine::session(options),
            at: None,
            ran: Vec::new(),
            axes: BTreeMap::new(),
            steps: Vec::new(),
            options: options.clone(),
        }
    }

    /// A workspace on which each of these cells has run; `each` hears of every one, and ends it by `false`.
    pub fn set(
        plan: &Plan<'c>,
        options: &GlobalOptions,
        mut each: impl FnMut(usize, &Outcome) -> bool,
    ) -> Workspace<'c> {
        let mut workspace = Workspace::new(options);
        for (index, cell) in plan.cells.iter().enumerate() {
            workspace.at = cell.step.or(workspace.at);
            workspace.steps.extend(cell.step);
            let outcome = workspace.run(&cell.source, &cell.name);
            if !each(index, &outcome) {
                break;
            }
        }
        workspace
    }

    /// From now on this step names things.
    pub fn enter(&mut self, step: &'c Step, lesson: &'c Lesson) {
        self.at = Some((step, lesson));
    }

    /// Runs a cell here and remembers it, unless it was stopped from outside: it cannot be repeated.
    pub fn run(&mut self, source: &str, name: &str) -> Outcome {
        let outcome = self.session.run(source, name);
        if !outcome.error.as_ref().is_some_and(|raised| raised.interrupted) {
            self.ran.push(RanCell { name: name.to_owned(), source: source.to_owned() });
        }
        outcome
    }

    /// Runs a cell here, remembers it, and tells each operation that it ran.
    pub fn traced(&mut self, source: &str, name: &str) -> (Outcome, Trace) {
        let traced = self.session.traced(source, name);
        self.ran.push(RanCell { name: name.to_owned(), source: source.to_owned() });
        traced
    }

    /// A second workspace on which the same cells have run anew: what happens there leaves this one alone.
    pub fn again(&self) -> Workspace<'c> {
        let mut workspace = self.empty();
        for cell in &self.ran {
            workspace.run(&cell.source, &cell.name);
        }
        workspace
    }

    /// A second workspace with this one's names on which only these cells have run; `None` when Ctrl-C was pressed.
    pub fn replayed(&self, cells: &[RanCell]) -> Option<Workspace<'c>> {
        self.replayed_while(cells, |_| true)
    }

    /// The same; `each` hears how many cells have run, and ends it by `false`.
    pub fn replayed_while(
        &self,
        cells: &[RanCell],
        mut each: impl FnMut(usize) -> bool,
    ) -> Option<Workspace<'c>> {
        // Between two cells, and while the interpreter starts, none runs that could be stopped.
        let pressed = machine::pressed();
        let mut workspace = self.empty();
        for (at, cell) in cells.iter().enumerate() {
            let outcome = workspace.run(&cell.source, &cell.name);
            let stopped = outcome.error.is_some_and(|raised| raised.interrupted);
            if stopped || machine::pressed() != pressed || !each(at + 1) {
                return None;
            }
        }
        (machine::pressed() == pressed).then_some(workspace)
    }

    /// A workspace with this one's names on which nothing has run.
    fn empty(&self) -> Workspace<'c> {
        Workspace {
            at: self.at,
            axes: self.axes.clone(),
            steps: self.steps.clone(),
            ..Workspace::new(&self.options)
        }
    }

    /// What the learner calls the tensors that are held here, their axes and tokens.
    pub fn names(&self) -> explain::Names {
        figures::called(&self.session, &self.steps)
    }

    /// What was raised here last, explained from what was in reach there.
    pub fn explained(&self, raised: &Raised, source: &str) -> ErrorNote {
        let axes = |name: &str| match self.axes.get(name) {
            Some(axes) => axes.clone(),
            None => self.labels().map(|names| names.axes(name)).unwrap_or_default(),
        };
        notes::explained(raised, source, &self.session, &axes)
    }

    /// Names for axes and along them, if a lesson gives any.
    pub fn labels(&self) -> Option<Names<'c>> {
        self.at.map(|(step, lesson)| Names::of(step, lesson))
    }

    /// A tensor as it is to be shown, under this name.
    pub fn figure(&self, name: &str, tensor: &Tensor) -> Figure {
        let options = *self.session.state().print_options.borrow();
        self.named(figures::figure(name, tensor, self.labels(), &options))
    }

    /// What is to be said of a tensor without looking at its elements: its dtype, its shape, its axes.
    pub fn outline(&self, name: &str, tensor: &Tensor) -> Figure {
        self.named(figures::outline(name, tensor, self.labels()))
    }

    /// With the names that the learner gave to the axes.
    fn named(&self, mut figure: Figure) -> Figure {
        let name = &figure.name;
        if let Some(axes) = self.axes.get(name).filter(|axes| axes.len() == figure.shape.len()) {
            let label = |(axis, size): (&String, &usize)| self.labels()?.labels(axis, *size);
            figure.labels = axes.iter().zip(&figure.shape).map(label).collect();
            figure.axes.clone_from(axes);
        }
        figure
    }
}
