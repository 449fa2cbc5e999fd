//! A tensor as PyTorch prints it, to the character.
//! Sees values through [`Source`] only: no storage, no graph, no Python.
//! Source: the rules of `torch._tensor_str` in PyTorch 2.6, held to it by `tests/golden/show*.json`.
//!
//! Printing reads as few elements as it can. Beyond `threshold` elements only the first and last
//! `edgeitems` of each dimension are asked for, so a (1, 1024, 768) tensor costs 108 reads. The
//! notation is chosen from those same elements, once for the whole tensor.
//!
//! `str(t)` and `repr(t)` are the same text. `f"{t}"` of a 0-d tensor is the interpreter's: it
//! formats the number that `t.item()` gives.

mod format;
mod options;
mod places;
mod shape;
mod source;

pub use format::{Format, Notation};
pub use options::{PrintOptions, PrintOptionsChange};
pub use shape::{shape_in_formula, size_repr, tuple_repr};
pub use source::{Elements, Kind, Source, Value, Values};

use std::iter;

use places::{numel, shown_along, shown_places};

/// What stands around the values of a printed tensor.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// The dtype's full name, such as `torch.float32`.
    pub dtype: &'a str,
    /// The full name of the default dtype at the time of printing.
    pub default_dtype: &'a str,
    /// How the tensor stands in the recorded graph.
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

/// The last word of a printed tensor: whether it takes part in the graph, and what made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grad<'a> {
    /// No gradient is asked for.
    None,
    /// A leaf with `requires_grad=True`.
    Leaf,
    /// The result of an operation, by the name of its node: `MmBackward0`.
    Made(&'a str),
}

const OPENING: &str = "tensor(";

/// The text of `repr(tensor)`: nested rows, wrapped and cut as `options` say, then what `frame` adds.
/// As `torch.Tensor.__repr__`.
pub fn tensor_repr(source: &dyn Source, frame: &Frame, options: &PrintOptions) -> String {
    let shape = source.shape();
    let numel = numel(shape);
    let mut remarks = Vec::new();
    if (numel == 0 && shape.len() != 1) || (numel > 0 && options.edgeitems == 0) {
        remarks.push(format!("size={}", tuple_repr(shape)));
    }
    // Elements tell whole numbers and truth values apart from floats; an empty tensor has none.
    let told = numel > 0 && matches!(frame.dtype, "torch.int64" | "torch.bool");
    if frame.dtype != frame.default_dtype && !told {
        remarks.push(format!("dtype={}", frame.dtype));
    }
    match frame.grad {
        Grad::None => {}
        Grad::Leaf => remarks.push("requires_grad=True".to_owned()),
        Grad::Made(name) => remarks.push(format!("grad_fn=<{name}>")),
    }

    let mut text = String::from(if frame.parameter { "Parameter containing:\n" } else { "" });
    let start = text.len();
    text.push_str(OPENING);
    push_values(&mut text, source, options);
    push_remarks(&mut text, start, &remarks, options.linewidth);
    text
}

/// Every element of `source` in row-major order, as it stands in that tensor's print but unpadded.
/// The notation is the whole tensor's, so `1.` and `1.0000` follow the print; for tensors beyond
/// the threshold it comes from the shown elements, while texts are still made for all.
pub fn element_texts(source: &dyn Source, options: &PrintOptions) -> Vec<String> {
    let format = Format::of(source, options);
    (0..numel(source.shape())).map(|place| format.text(source.at(place))).collect()
}

fn push_values(text: &mut String, source: &dyn Source, options: &PrintOptions) {
    let shape = source.shape();
    if numel(shape) == 0 {
        text.push_str("[]");
        return;
    }
    let edge = options.edge_of(shape);
    if edge == Some(0) && !shape.is_empty() {
        text.push_str("[...]");
        return;
    }
    let values: Vec<Value> = shown_places(shape, edge).into_iter().map(|place| source.at(place)).collect();
    let format = Format::of_values(source.kind(), &values, options);
    let mut rows = Rows { values: values.into_iter(), format, edge, linewidth: options.linewidth };
    rows.push(text, shape, OPENING.len());
}

/// The nested brackets of one tensor, taking its shown values one after the other.
struct Rows<I> {
    values: I,
    format: Format,
    edge: Option<usize>,
    linewidth: usize,
}

impl<I: Iterator<Item = Value>> Rows<I> {
    fn push(&mut self, text: &mut String, shape: &[usize], indent: usize) {
        match *shape {
            [] => self.push_element(text),
            [size] => self.push_vector(text, size, indent),
            [size, ref inner @ ..] => {
                text.push('[');
                for (n, place) in shown_along(size, self.edge).enumerate() {
                    if n > 0 {
                        // A blank line for each dimension below the rows: matrices are one apart.
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
        let room = self.linewidth.saturating_sub(indent);
        let per_line = (room / (self.format.width() + 2)).max(1);
        text.push('[');
        for (n, place) in shown_along(size, self.edge).enumerate() {
            if n > 0 && n % per_line == 0 {
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
        let value = self.values.next().expect("values were collected for every place that is shown");
        text.push_str(&self.format.padded(value));
    }
}

/// Adds what follows the values, each on the same line while it fits, and the closing bracket.
/// PyTorch counts the last line two characters longer than it is; so does this.
fn push_remarks(text: &mut String, start: usize, remarks: &[String], linewidth: usize) {
    let shown = &text[start..];
    let mut line = match shown.rfind('\n') {
        Some(end) => shown.len() - end + 1,
        None => shown.len() + 2,
    };
    for remark in remarks {
        if line + remark.len() + 2 > linewidth {
            text.push_str(",\n");
            text.extend(iter::repeat_n(' ', OPENING.len()));
            line = OPENING.len() + remark.len();
        } else {
            text.push_str(", ");
            line += remark.len() + 2;
        }
        text.push_str(remark);
    }
    text.push(')');
}
