//! A workspace: one interpreter with the state of a step or a file, and the names of its tensors' axes.

use super::super::commands::options::GlobalOptions;
use super::super::terminal::progress_bar;
use super::figures::{self, StepNames, usual_axes};
use super::machine;
use super::notes;
use crate::explain;
use crate::explain::errors::ErrorExplanation;
use crate::lesson::{Lesson, Step};
use crate::ops::trace::Trace;
use crate::session::{CallReport, Outcome, Raised, Session};
use crate::tensor::Tensor;
use crate::view::Figure;
use crate::view::errors::ErrorNote;

/// One interpreter, the cells that it has run, and the step that names the axes of its tensors.
pub struct Workspace<'c> {
    pub(crate) session: Session,
    /// The step that names axes and tokens; `None` for a file.
    pub(crate) at: Option<(&'c Step, &'c Lesson)>,
    /// The cells that ran, in order. Run again, they lead to the same state.
    pub(crate) ran: Vec<RanCell>,
    /// The steps that ran: their names for axes apply to later steps too.
    steps: Vec<(&'c Step, &'c Lesson)>,
    options: GlobalOptions,
    /// The same cells in a session that records what backward computes.
    recorded: Option<Box<Workspace<'c>>>,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) struct RanCell {
    /// The name it ran under: the step's number or `cell 4`.
    pub(crate) name: String,
    pub(crate) source: String,
}

impl<'c> Workspace<'c> {
    /// A workspace in which nothing has run.
    pub fn new(options: &GlobalOptions) -> Workspace<'c> {
        Workspace {
            session: machine::session(options),
            at: None,
            ran: Vec::new(),
            steps: Vec::new(),
            options: options.clone(),
            recorded: None,
        }
    }

    /// The options of its session.
    pub(crate) fn options(&self) -> &GlobalOptions {
        &self.options
    }

    /// A workspace with the names of this one, in which nothing has run.
    pub(crate) fn empty(&self) -> Workspace<'c> {
        Workspace { at: self.at, steps: self.steps.clone(), ..Workspace::new(&self.options) }
    }

    /// The same cells, run again in a session that records what backward computes. `None`: Ctrl-C was pressed.
    pub(crate) fn with_backward_recorded(&mut self) -> Option<&mut Workspace<'c>> {
        let known = self.recorded.take().filter(|known| known.ran == self.ran);
        let again = match known {
            Some(known) => known,
            None => {
                let mut again = Box::new(self.empty());
                again.session.state().backward_recorded.set(true);
                for cell in &self.ran {
                    let outcome = progress_bar::quietly(|| again.run(&cell.source, &cell.name));
                    if outcome.error.is_some_and(|raised| raised.interrupted) {
                        return None;
                    }
                }
                again
            }
        };
        Some(self.recorded.insert(again))
    }

    /// Makes this step the one that names axes and tokens.
    pub(crate) fn enter(&mut self, step: &'c Step, lesson: &'c Lesson) {
        self.at = Some((step, lesson));
        self.steps.push((step, lesson));
    }

    /// The value of an expression, if it is text.
    pub(crate) fn text(&mut self, expression: &str) -> Option<String> {
        self.session.evaluate(expression, |value, vm| value.try_to_value(vm).ok()).ok().flatten()
    }

    /// Runs a cell and remembers it, unless Ctrl-C stopped it: then it cannot be repeated.
    pub fn run(&mut self, source: &str, name: &str) -> Outcome {
        let outcome = self.session.run(source, name);
        self.remember(source, name, &outcome);
        outcome
    }

    /// As [`Workspace::run`], with the names of tensors that were there before and are others now. Loop
    /// variables do not count.
    pub(crate) fn overwritten_by(&mut self, source: &str, name: &str) -> (Outcome, Vec<String>) {
        let before = self.session.names();
        let outcome = self.run(source, name);
        let names = outcome.changed.iter().map(|changed| changed.name.clone());
        let known = self.names();
        let overwritten = names.filter(|name| before.contains(name) && !known.is_counter(name)).collect();
        (outcome, overwritten)
    }

    /// As [`Workspace::run`], with a trace of the operations that the cell ran.
    pub(crate) fn traced(&mut self, source: &str, name: &str) -> (Outcome, Trace) {
        let (outcome, trace) = self.session.traced(source, name);
        self.remember(source, name, &outcome);
        (outcome, trace)
    }

    /// As [`Workspace::traced`], with reports on the calls that compute attention, repeated on changed inputs.
    pub(crate) fn examined(&mut self, source: &str, name: &str) -> (Outcome, Trace, Vec<CallReport>) {
        let (outcome, trace, calls) = self.session.examined(source, name, explain::doctor::calls_to_repeat);
        self.remember(source, name, &outcome);
        (outcome, trace, calls)
    }

    fn remember(&mut self, source: &str, name: &str, outcome: &Outcome) {
        if !outcome.error.as_ref().is_some_and(|raised| raised.interrupted) {
            self.ran.push(RanCell { name: name.to_owned(), source: source.to_owned() });
        }
    }

    /// The steps that ran, with their lessons, in order.
    pub(crate) fn steps(&self) -> &[(&'c Step, &'c Lesson)] {
        &self.steps
    }

    /// The names of the tensors that the workspace has, of their axes and tokens.
    pub(crate) fn names(&self) -> explain::TensorNames {
        figures::called(&self.session, &self.steps)
    }

    /// The last error, with the line of code and an explanation from the variables in scope there.
    pub(crate) fn error_note(&self, raised: &Raised, source: &str) -> ErrorNote {
        self.error_note_without("", raised, source)
    }

    /// As [`Workspace::error_note`], for code that the cell `caller` called: nothing of that cell is shown.
    pub(crate) fn error_note_without(&self, caller: &str, raised: &Raised, source: &str) -> ErrorNote {
        let shown = |cell: &str| self.session.source(cell).filter(|_| cell != caller);
        notes::explained(raised, source, &self.session, &shown, &|name| self.axes_of(name))
    }

    /// The explanation of the last error.
    pub(crate) fn explanation(&self, raised: &Raised) -> ErrorExplanation {
        let sources = |cell: &str| self.session.source(cell);
        notes::explanation(raised, &self.session, &sources, &|name| self.axes_of(name))
    }

    /// The names of a variable's axes; empty if there are none.
    fn axes_of(&self, name: &str) -> Vec<String> {
        self.labels().map(|names| names.axes(name)).unwrap_or_default()
    }

    /// The names that the current step gives to axes and along them.
    pub(crate) fn labels(&self) -> Option<StepNames<'c>> {
        self.at.map(|(step, lesson)| StepNames::of(step, lesson))
    }

    /// A tensor with its elements, as the view draws it.
    pub(crate) fn figure(&self, name: &str, tensor: &Tensor) -> Figure {
        let options = *self.session.state().print_options.borrow();
        figures::figure(name, tensor, self.labels(), &options)
    }

    /// As [`Workspace::figure`], with the names that axes of tokens usually have where no step names the axes: for
    /// tensors that the learner's own code made.
    pub(crate) fn labelled_figure(&self, name: &str, tensor: &Tensor) -> Figure {
        let tokens = self.at.map_or(0, |(_, lesson)| lesson.tokens.len());
        let has_tokens = tokens > 1 && tensor.shape().contains(&tokens);
        self.figure_or(name, tensor, |shape| has_tokens.then(|| usual_axes(shape, tokens)))
    }

    /// As [`Workspace::figure`], with these axes where the step names none.
    fn figure_or(
        &self,
        name: &str,
        tensor: &Tensor,
        axes: impl FnOnce(&[usize]) -> Option<Vec<String>>,
    ) -> Figure {
        let mut figure = self.figure(name, tensor);
        if figure.axes.is_empty()
            && let Some(axes) = axes(&figure.shape)
        {
            figure.labels = self.labels().map(|names| names.labels(&axes, &figure.shape)).unwrap_or_default();
            figure.axes = axes;
        }
        figure
    }

    /// A tensor without its elements: its dtype, its shape and its axes.
    pub(crate) fn outline(&self, name: &str, tensor: &Tensor) -> Figure {
        figures::outline(name, tensor, self.labels())
    }

    /// A tensor with its elements, as one on the way to others: a variable that is or was local to a function. It may
    /// have more axes before the ones that the lesson names: the batch, the heads.
    pub(crate) fn inner_figure(&self, name: &str, tensor: &Tensor) -> Figure {
        let named = self.axes_of(name);
        self.figure_or(name, tensor, |shape| {
            let ahead =
                shape.len().checked_sub(named.len()).filter(|ahead| *ahead > 0 && !named.is_empty())?;
            Some(std::iter::repeat_n(String::new(), ahead).chain(named).collect())
        })
    }
}
