//! From tensors to figures: values, their texts, and names for axes and positions.

use crate::explain;
use crate::lesson::{Lesson, Step};
use crate::session::Session;
use crate::tensor::Tensor;
use crate::tensor::show::{PrintOptions, element_texts};
use crate::torch::Elements;
use crate::view::Figure;

/// The largest number of elements that all get a text. Of larger tensors only the edges are shown.
const TEXTS: usize = 1000;
/// The largest number of elements whose values are copied. Of larger tensors only the shape is shown.
const VALUES: usize = 1 << 24;

/// The names that a step gives to the axes of tensors and to the positions along them.
#[derive(Clone, Copy)]
pub(crate) struct StepNames<'a> {
    step: &'a Step,
    lesson: &'a Lesson,
}

impl<'a> StepNames<'a> {
    /// The names that a step and its lesson give.
    pub(crate) fn of(step: &'a Step, lesson: &'a Lesson) -> StepNames<'a> {
        StepNames { step, lesson }
    }

    /// The names of a variable's axes, from this step or the nearest one before it; empty if no step names them.
    pub(crate) fn axes(&self, name: &str) -> Vec<String> {
        let steps = self.lesson.steps.iter().rev().skip_while(|step| step.number > self.step.number);
        let mut named = steps.flat_map(|step| &step.axes);
        named.find(|axes| axes.tensor == name).map(|axes| axes.axes.clone()).unwrap_or_default()
    }

    /// The names of the positions along axes: the lesson's tokens.
    pub(crate) fn labels(&self, axes: &[String], shape: &[usize]) -> Vec<Option<Vec<String>>> {
        labels(&self.lesson.tokens, axes, shape)
    }
}

/// The names of the positions along axes: these tokens, if it is an axis of tokens of that size.
pub(super) fn labels(tokens: &[String], axes: &[String], shape: &[usize]) -> Vec<Option<Vec<String>>> {
    let label = |(axis, size): (&String, &usize)| {
        let of_tokens = matches!(axis.as_str(), "token" | "query" | "key");
        (of_tokens && tokens.len() == *size).then(|| tokens.to_vec())
    };
    axes.iter().zip(shape).map(label).collect()
}

/// The names of the tensors of a session: its variables and their attributes, the names in the code of cells, and the
/// axes and tokens of the steps that ran in it.
pub(crate) fn called(session: &Session, steps: &[(&Step, &Lesson)]) -> explain::TensorNames {
    let names = explain::TensorNames::new(
        session.tensors().into_iter().map(|variable| (variable.name, variable.value)),
    );
    // A later step may give an axis another name than an earlier one.
    let axes = steps.iter().rev().flat_map(|(step, _)| &step.axes);
    let axes: Vec<_> = axes.map(|axes| (axes.tensor.clone(), axes.axes.clone())).collect();
    let tokens = steps.last().map(|(_, lesson)| lesson.tokens.clone()).unwrap_or_default();
    names.with_code(session.sources()).with_axes(axes, tokens)
}

/// A tensor with its elements.
pub(crate) fn figure(
    name: &str,
    tensor: &Tensor,
    names: Option<StepNames>,
    options: &PrintOptions,
) -> Figure {
    let count = tensor.numel();
    Figure {
        values: if count <= VALUES { tensor.to_f64_vec() } else { Vec::new() },
        texts: if count <= TEXTS { element_texts(&Elements(tensor), options) } else { Vec::new() },
        ..outline(name, tensor, names)
    }
}

/// A tensor without its elements.
pub(crate) fn outline(name: &str, tensor: &Tensor, names: Option<StepNames>) -> Figure {
    let shape = tensor.shape().to_vec();
    let axes =
        names.map(|names| names.axes(name)).filter(|axes| axes.len() == shape.len()).unwrap_or_default();
    let labels = names.map(|names| names.labels(&axes, &shape)).unwrap_or_default();
    Figure {
        name: name.to_owned(),
        dtype: tensor.dtype().name().to_owned(),
        shape,
        axes,
        labels,
        ..Figure::default()
    }
}

/// The names that axes usually have where the lesson names none: of tokens if they have that size.
pub(crate) fn usual_axes(shape: &[usize], tokens: usize) -> Vec<String> {
    let of_tokens: Vec<bool> = shape.iter().map(|size| *size == tokens && tokens > 0).collect();
    let mut names = vec![String::new(); shape.len()];
    let count = shape.len();
    if count >= 2 && of_tokens[count - 1] && of_tokens[count - 2] {
        (names[count - 2], names[count - 1]) = ("query".to_owned(), "key".to_owned());
    } else if let Some(at) = of_tokens.iter().rposition(|of_tokens| *of_tokens) {
        names[at] = "token".to_owned();
    }
    let before: &[&str] = match count {
        3 => &["batch"],
        4 => &["batch", "head"],
        _ => &[],
    };
    for (name, usual) in names.iter_mut().zip(before) {
        if name.is_empty() {
            *name = (*usual).to_owned();
        }
    }
    names
}
