//! What all JSON documents share: how a document is written, and how a tensor's elements and single numbers look.

use std::io;

use serde::Serialize;
use serde_json::Value;

use super::terminal::shell::{Failure, Shell};
use crate::tensor::{Buffer, Tensor};
use crate::view::text::{commands_terminal, escaped};

/// The largest number of elements whose values are given.
const MOST_VALUES: usize = 4096;

/// Writes a document on a line of its own.
pub(crate) fn write_json(document: &impl Serialize, shell: &mut Shell) -> Result<(), Failure> {
    let text =
        serde_json::to_string(document).map_err(|error| Failure::Unwritable(io::Error::other(error)))?;
    // Strings have `\u009b` for each character that a terminal obeys. (The first 32 are escaped in any JSON. The others
    // stand in strings only.)
    let write = |c: char, out: &mut String| out.push_str(&format!("\\u{:04x}", u32::from(c)));
    shell.say(&format!("{}\n", escaped(&text, commands_terminal, write)))
}

/// The elements of a tensor, as [`values`] writes them.
pub(crate) fn values_of(tensor: &Tensor) -> Value {
    let few = tensor.numel() <= MOST_VALUES;
    few.then(|| nested(tensor.shape(), &tensor.to_buffer(), 0)).into()
}

/// Row-major elements of this shape as nested lists, or one element, each with the digits that distinguish it from its
/// neighbours; null if there are more than 4,096.
pub(crate) fn values(shape: &[usize], data: &Buffer) -> Value {
    (data.len() <= MOST_VALUES).then(|| nested(shape, data, 0)).into()
}

/// As many elements as this shape has, from `at` on.
fn nested(shape: &[usize], data: &Buffer, at: usize) -> Value {
    if let Some((&size, rest)) = shape.split_first() {
        let stride: usize = rest.iter().product();
        return (0..size).map(|i| nested(rest, data, at + i * stride)).collect();
    }
    let float = data.float(at);
    match data {
        Buffer::I64(values) => values[at].into(),
        Buffer::Bool(values) => values[at].into(),
        // JSON has no nan and no infinity.
        _ if float.is_nan() => "nan".into(),
        _ if float.is_infinite() => if float > 0.0 { "inf" } else { "-inf" }.into(),
        // The float64 that is written with the digits of the float32.
        Buffer::F32(values) => values[at].to_string().parse::<f64>().unwrap_or(float).into(),
        Buffer::F64(values) => values[at].into(),
    }
}
