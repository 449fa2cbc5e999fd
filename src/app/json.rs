//! What all JSON documents share: how a document is written, and how a tensor's elements and single numbers look.

use std::borrow::Cow;
use std::io;

use serde::ser::{Serialize, SerializeSeq, Serializer};

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

/// Row-major elements, written as nested lists; a tensor without dimensions is one number.
pub(crate) struct Values {
    shape: Vec<usize>,
    data: Buffer,
}

impl Values {
    /// The elements of a tensor; `None` if there are more than 4,096.
    pub(crate) fn of_tensor(tensor: &Tensor) -> Option<Values> {
        let few = tensor.numel() <= MOST_VALUES;
        few.then(|| Values { shape: tensor.shape().to_vec(), data: tensor.to_buffer() })
    }

    /// These elements, row-major, of this shape; `None` if there are more than 4,096.
    pub(crate) fn of_few(shape: &[usize], data: Buffer) -> Option<Values> {
        (data.len() <= MOST_VALUES).then(|| Values { shape: shape.to_vec(), data })
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Nested { shape: &self.shape, data: &self.data, at: 0 }.serialize(serializer)
    }
}

/// The elements of one nested list: as many as this shape has, from `at` on.
struct Nested<'a> {
    shape: &'a [usize],
    data: &'a Buffer,
    at: usize,
}

impl Serialize for Nested<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((&size, rest)) = self.shape.split_first() else {
            return element(self.data, self.at, serializer);
        };
        let stride: usize = rest.iter().product();
        let mut list = serializer.serialize_seq(Some(size))?;
        for i in 0..size {
            list.serialize_element(&Nested { shape: rest, data: self.data, at: self.at + i * stride })?;
        }
        list.end()
    }
}

/// One element with the digits that distinguish it from its neighbours. JSON has no nan and no infinity: they are text.
fn element<S: Serializer>(data: &Buffer, at: usize, serializer: S) -> Result<S::Ok, S::Error> {
    let float = data.float(at);
    match data {
        Buffer::I64(values) => serializer.serialize_i64(values[at]),
        Buffer::Bool(values) => serializer.serialize_bool(values[at]),
        _ if float.is_nan() => serializer.serialize_str("nan"),
        _ if float.is_infinite() => serializer.serialize_str(if float > 0.0 { "inf" } else { "-inf" }),
        Buffer::F32(values) => serializer.serialize_f32(values[at]),
        Buffer::F64(values) => serializer.serialize_f64(values[at]),
    }
}
