//! What all JSON documents share: how a document is written, and how a tensor's elements and single numbers look.

use std::borrow::Cow;
use std::io;

use serde::Serialize;

use super::terminal::shell::{Failure, Shell};
use crate::tensor::{Buffer, Tensor};
use crate::view::text::commands_terminal;

/// The largest number of elements whose values are given.
const MOST_VALUES: usize = 4096;

/// Writes a document on a line of its own.
pub(crate) fn write_json(document: &impl Serialize, shell: &mut Shell) -> Result<(), Failure> {
    shell.bytes(json_line(document)?.as_bytes())
}

/// A document as a line.
pub(crate) fn json_line(document: &impl Serialize) -> Result<String, Failure> {
    let text =
        serde_json::to_string(document).map_err(|error| Failure::Unwritable(io::Error::other(error)))?;
    Ok(format!("{}\n", escaped(&text)))
}

/// A document in which strings have `\u009b` for each character that a terminal obeys. (The first 32 are escaped in any
/// JSON. The others stand in strings only.)
fn escaped(document: &str) -> Cow<'_, str> {
    if !document.contains(commands_terminal) {
        return Cow::Borrowed(document);
    }
    let mut out = String::with_capacity(document.len());
    for c in document.chars() {
        match commands_terminal(c) {
            true => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Row-major elements as nested lists, or one element with the digits that distinguish it from its neighbours.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum Values {
    List(Vec<Values>),
    Bool(bool),
    Int(i64),
    F32(f32),
    F64(f64),
    /// JSON has no nan and no infinity.
    NotFinite(&'static str),
}

impl Values {
    /// The elements of a tensor; `None` if there are more than 4,096.
    pub(crate) fn of_tensor(tensor: &Tensor) -> Option<Values> {
        let few = tensor.numel() <= MOST_VALUES;
        few.then(|| Values::nested(tensor.shape(), &tensor.to_buffer(), 0))
    }

    /// These elements, row-major, of this shape; `None` if there are more than 4,096.
    pub(crate) fn of_few(shape: &[usize], data: &Buffer) -> Option<Values> {
        (data.len() <= MOST_VALUES).then(|| Values::nested(shape, data, 0))
    }

    /// As many elements as this shape has, from `at` on.
    fn nested(shape: &[usize], data: &Buffer, at: usize) -> Values {
        if let Some((&size, rest)) = shape.split_first() {
            let stride: usize = rest.iter().product();
            return Values::List((0..size).map(|i| Values::nested(rest, data, at + i * stride)).collect());
        }
        let float = data.float(at);
        match data {
            Buffer::I64(values) => Values::Int(values[at]),
            Buffer::Bool(values) => Values::Bool(values[at]),
            _ if float.is_nan() => Values::NotFinite("nan"),
            _ if float.is_infinite() => Values::NotFinite(if float > 0.0 { "inf" } else { "-inf" }),
            Buffer::F32(values) => Values::F32(values[at]),
            Buffer::F64(values) => Values::F64(values[at]),
        }
    }
}
