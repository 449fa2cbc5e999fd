//! Tensors as PyTorch prints them, to the character.
//! Source: the rules of `torch._tensor_str` in PyTorch 2.6, tested with `tests/golden/show*.json`.
//!
//! Printing reads only the elements that it shows. Above `threshold` elements these are the first and last `edgeitems` of
//! each dimension, so a (1, 1024, 768) tensor takes 108 reads. The notation follows from the shown elements.
//!
//! `str(t)` and `repr(t)` are the same text. The interpreter formats `f"{t}"` of a 0-d tensor from `t.item()`.

mod format;
mod options;
mod places;
mod shape;
mod shortest;
mod source;

pub(crate) use format::{ElementFormat, scientific};
pub use options::PrintOptions;
pub use shape::tuple_repr;
pub(crate) use shape::{joined, shape_in_formula};
pub(crate) use shortest::{shortest, shortest_single};
pub use source::{ElementValue, PrintSource};

use std::iter;

use crate::kernel::stop;
pub(crate) use places::shown_along;
use places::{numel, shown_places};

/// The properties that are printed after the values of a tensor.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The dtype's full name, such as `torch.float32`.
    pub dtype: &'a str,
    /// The full name of the default dtype at the time of printing.
    pub default_dtype: &'a str,
    /// The gradient information of the tensor.
    pub grad: Grad<'a>,
    /// True for an `nn.Parameter`, which has a line of its own above the tensor.
    pub parameter: bool,
}

impl Default for Frame<'_> {
    /// A float32 tensor outside every graph.
    fn default() -> Self {
        Frame { dtype: "torch.float32", default_dtype: "torch.float32", grad: Grad::None, parameter: false }
    }
}

/// The gradient information of a printed tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grad<'a> {
    /// It does not require a gradient.
    None,
    /// A leaf with `requires_grad=True`.
    Leaf,
    /// The result of an operation, by the name of its node: `MmBackward0`.
    Made(&'a str),
}

impl Grad<'_> {
    fn push(self, properties: &mut Vec<String>) {
        match self {
            Grad::None => {}
            Grad::Leaf => properties.push("requires_grad=True".to_owned()),
            Grad::Made(name) => properties.push(format!("grad_fn=<{name}>")),
        }
    }
}

const OPENING: &str = "tensor(";

/// The text of `repr(tensor)`: nested rows, wrapped and cut as `options` say, then what `frame` adds.
/// As `torch.Tensor.__repr__`.
pub fn tensor_repr(source: &dyn PrintSource, frame: &Frame, options: &PrintOptions) -> String {
    // The elements show that a dtype is int64 or bool, unless there are none.
    let shown = numel(source.shape()) > 0 && matches!(frame.dtype, "torch.int64" | "torch.bool");
    let names_dtype = frame.dtype != frame.default_dtype && !shown;
    framed(source.shape(), frame, names_dtype, options, |places| {
        let values: Vec<ElementValue> = places.into_iter().map(|place| source.at(place)).collect();
        stop::check();
        let format = ElementFormat::of_values(&values, options);
        (values.into_iter().map(|value| format.padded(value)).collect(), format.width())
    })
}

/// The texts of all elements of `source` in row-major order, as in the printed tensor but without padding.
/// The notation of the printed tensor, which follows from the elements that are shown.
pub fn element_texts(source: &dyn PrintSource, options: &PrintOptions) -> Vec<String> {
    let format = ElementFormat::of(source, options);
    (0..numel(source.shape())).map(|place| format.text(source.at(place))).collect()
}

/// The text of `repr` of a complex tensor, from the real one of its parts, whose last dimension has two elements.
/// Real and imaginary parts have a notation each.
pub fn complex_repr(parts: &dyn PrintSource, frame: &Frame, options: &PrintOptions) -> String {
    let shape = &parts.shape()[..parts.shape().len().saturating_sub(1)];
    // No element shows that an empty tensor is complex.
    let names_dtype = frame.dtype != frame.default_dtype || numel(shape) == 0;
    framed(shape, frame, names_dtype, options, |places| {
        let [real, imag] =
            [0, 1].map(|part| places.iter().map(|place| parts.at(2 * place + part)).collect::<Vec<_>>());
        let formats = [&real, &imag].map(|part| ElementFormat::of_values(part, options));
        let texts = real.iter().zip(&imag).map(|(real, imag)| {
            let imag = formats[1].padded(*imag);
            let imag = imag.trim_start();
            let sign = if imag.starts_with(['+', '-']) { "" } else { "+" };
            format!("{}{sign}{imag}j", formats[0].padded(*real))
        });
        (texts.collect(), formats[0].width() + formats[1].width() + 1)
    })
}

/// The text of a tensor: `texts` makes those of the elements at these places, and the width by which lines are filled.
fn framed(
    shape: &[usize],
    frame: &Frame,
    names_dtype: bool,
    options: &PrintOptions,
    texts: impl FnOnce(Vec<usize>) -> (Vec<String>, usize),
) -> String {
    let numel = numel(shape);
    let mut properties = Vec::new();
    if (numel == 0 && shape.len() != 1) || (numel > 0 && options.edgeitems == 0) {
        properties.push(format!("size={}", tuple_repr(shape)));
    }
    if names_dtype {
        properties.push(format!("dtype={}", frame.dtype));
    }
    frame.grad.push(&mut properties);
    let mut text = String::from(if frame.parameter { "Parameter containing:\n" } else { "" });
    let start = text.len();
    text.push_str(OPENING);
    let edge = options.edge_of(shape);
    match numel {
        0 => text.push_str("[]"),
        _ if edge == Some(0) && !shape.is_empty() => text.push_str("[...]"),
        _ => {
            let (texts, width) = texts(shown_places(shape, edge));
            let mut rows = NestedRows { texts: texts.into_iter(), width, edge, linewidth: options.linewidth };
            rows.push(&mut text, shape, OPENING.len());
        }
    }
    push_properties(&mut text, start, &properties, options.linewidth);
    text
}

/// Writes the nested brackets of a tensor from the texts of its shown elements.
struct NestedRows {
    texts: std::vec::IntoIter<String>,
    /// The width of an element, by which lines are filled.
    width: usize,
    edge: Option<usize>,
    linewidth: usize,
}

impl NestedRows {
    fn push(&mut self, text: &mut String, shape: &[usize], indent: usize) {
        match *shape {
            [] => self.push_element(text),
            [size] => self.push_vector(text, size, indent),
            [size, ref inner @ ..] => {
                text.push('[');
                for (n, place) in shown_along(size, self.edge).enumerate() {
                    if n > 0 {
                        // Matrices are separated by a blank line, higher dimensions by more.
                        text.push(',');
                        text.extend(iter::repeat_n('\n', inner.len()));
                        text.extend(iter::repeat_n(' ', indent + 1));
                    }
                    match place {
                        Some(_) => self.push(text, inner, indent + 1),
                        None => text.push_str("..."),
                    }
                }
                text.push(']');
            }
        }
    }

    fn push_vector(&mut self, text: &mut String, size: usize, indent: usize) {
        let width = self.linewidth.saturating_sub(indent);
        let per_line = (width / (self.width + 2)).max(1);
        text.push('[');
        for (n, place) in shown_along(size, self.edge).enumerate() {
            if n > 0 && n % per_line == 0 {
                stop::check();
                text.push_str(",\n");
                text.extend(iter::repeat_n(' ', indent + 1));
            } else if n > 0 {
                text.push_str(", ");
            }
            match place {
                Some(_) => self.push_element(text),
                None => text.push_str(" ..."),
            }
        }
        text.push(']');
    }

    fn push_element(&mut self, text: &mut String) {
        text.push_str(&self.texts.next().expect("there is a text for every place that is shown"));
    }
}

/// Adds the properties after the values, each on the same line if it fits, and the closing bracket.
/// PyTorch counts the last line two characters too long, and so does this function.
fn push_properties(text: &mut String, start: usize, properties: &[String], linewidth: usize) {
    let shown = &text[start..];
    let mut line = shown.rfind('\n').map_or(shown.len() + 2, |end| shown.len() - end + 1);
    for property in properties {
        if line + property.len() + 2 > linewidth {
            text.push_str(",\n");
            text.extend(iter::repeat_n(' ', OPENING.len()));
            line = OPENING.len() + property.len();
        } else {
            text.push_str(", ");
            line += property.len() + 2;
        }
        text.push_str(property);
    }
    text.push(')');
}
