//! Tensors to what the view shows of them: values, their texts, and names for axes and positions.
//! Reads tensors; lays nothing out.

use crate::explain;
use crate::lesson::{Lesson, Step};
use crate::session::Session;
use crate::tensor::Tensor;
use crate::tensor::show::{PrintOptions, element_texts};
use crate::torch::Elements;
use crate::view::Figure;

/// Elements up to which each one's text is made; beyond, only the edges are shown.
const TEXTS: usize = 1000;
/// Elements beyond which not even the values are handed over: the summary has the shape.
const VALUES: usize = 1 << 24;

/// The names a step's tensors have for their axes and along them.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    step: &'a Step,
    lesson: &'a Lesson,
}

impl<'a> Names<'a> {
    /// Names as the step and its lesson give them.
    pub fn of(step: &'a Step, lesson: &'a Lesson) -> Names<'a> {
        Names { step, lesson }
    }

    /// Names of the axes of a variable, as this step or the nearest one before it says; none if none does.
    pub fn axes(&self, name: &str) -> Vec<String> {
        let steps = self.lesson.steps.iter().rev().skip_while(|step| step.number > self.step.number);
        let mut named = steps.flat_map(|step| &step.axes);
        named.find(|axes| axes.tensor == name).map(|axes| axes.axes.clone()).unwrap_or_default()
    }

    /// Names along an axis: the lesson's words, where it is one of tokens and as long as they are.
    pub fn labels(&self, axis: &str, size: usize) -> Option<Vec<String>> {
        let of_tokens = matches!(axis, "token" | "query" | "key");
        (of_tokens && self.lesson.tokens.len() == size).then(|| self.lesson.tokens.clone())
    }
}

/// What the learner calls the tensors of a session: its variables and what they hold, the names in the cells' code,
/// and the axes and tokens of the steps that ran in it.
pub fn called(session: &Session, steps: &[(&Step, &Lesson)]) -> explain::TensorNames {
    let names = explain::TensorNames::new(
        session.tensors().into_iter().map(|variable| (variable.name, variable.value)),
    );
    // A later step may call an axis otherwise than an earlier one.
    let axes = steps.iter().rev().flat_map(|(step, _)| &step.axes);
    let axes: Vec<_> = axes.map(|axes| (axes.tensor.clone(), axes.axes.clone())).collect();
    let tokens = steps.last().map(|(_, lesson)| lesson.tokens.clone()).unwrap_or_default();
    names.with_code(session.sources()).with_axes(axes, tokens)
}

/// A tensor as it is to be shown.
pub fn figure(name: &str, tensor: &Tensor, names: Option<Names>, options: &PrintOptions) -> Figure {
    let count = tensor.numel();
    Figure {
        values: if count <= VALUES { tensor.to_f64_vec() } else { Vec::new() },
        texts: if count <= TEXTS { element_texts(&Elements(tensor), options) } else { Vec::new() },
        ..outline(name, tensor, names)
    }
}

/// The same without its elements.
pub fn outline(name: &str, tensor: &Tensor, names: Option<Names>) -> Figure {
    let shape = tensor.shape().to_vec();
    let axes =
        names.map(|names| names.axes(name)).filter(|axes| axes.len() == shape.len()).unwrap_or_default();
    let label = |(axis, size): (&String, &usize)| names.and_then(|names| names.labels(axis, *size));
    let labels = axes.iter().zip(&shape).map(label).collect();
    Figure {
        name: name.to_owned(),
        dtype: tensor.dtype().name().to_owned(),
        shape,
        axes,
        labels,
        ..Figure::default()
    }
}
