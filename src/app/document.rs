//! What ran, as one JSON document: `attn.run/1`.
//! Fields stand in the order that machines were promised.

use serde::Serialize;
use serde::ser::{SerializeSeq, Serializer};

use super::plan::Planned;
use super::trace::Operation;
use crate::explain::errors::Explanation;
use crate::session::{Outcome, Variable};
use crate::tensor::Buffer;

/// Elements up to which a tensor's values are given.
const MOST: usize = 4096;

/// A run.
#[derive(Serialize)]
pub struct Run {
    /// `attn.run/1`.
    pub schema: &'static str,
    /// As it was asked for.
    pub target: String,
    /// Whether no cell raised (one that is meant to raise aside).
    pub ok: bool,
    /// What ran, what was needed before included.
    pub cells: Vec<Cell>,
}

/// A cell that ran.
#[derive(Serialize)]
pub struct Cell {
    index: usize,
    step: Option<String>,
    slug: Option<String>,
    source: String,
    stdout: String,
    result: Option<String>,
    error: Option<Error>,
    /// What is to be said of the error beyond its own text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    ms: f64,
    tensors: Vec<Named>,
    /// What `--trace` adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<Operation>>,
    /// What `attn check` adds.
    #[serde(flatten)]
    pub check: Option<Checked>,
}

/// How a cell's output relates to the recorded one.
#[derive(Serialize)]
pub struct Checked {
    /// The recorded output.
    pub recorded: Option<String>,
    /// `same`, `close`, `differs` or `unrecorded`.
    pub verdict: &'static str,
}

#[derive(Serialize)]
struct Error {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    line: Option<usize>,
}

#[derive(Serialize)]
struct Named {
    name: String,
    dtype: &'static str,
    shape: Vec<usize>,
    values: Option<Values>,
}

impl Cell {
    /// The cell at `index` of its run, and what came of it.
    pub fn new(index: usize, cell: &Planned, outcome: &Outcome) -> Cell {
        let step = cell.step.map(|(step, _)| step);
        let error = outcome.error.as_ref().map(|raised| Error {
            kind: raised.kind.clone(),
            message: raised.message.clone(),
            line: raised.line,
        });
        Cell {
            index,
            step: step.map(|step| step.name()),
            slug: step.map(|step| step.slug.clone()),
            source: cell.source.clone(),
            stdout: outcome.stdout.clone(),
            result: outcome.result.clone(),
            error,
            explanation: None,
            ms: (outcome.elapsed.as_secs_f64() * 1e6).round() / 1e3,
            tensors: outcome.changed.iter().map(named).collect(),
            trace: None,
            check: None,
        }
    }
}

/// A tensor under its name; its values only if they are few.
fn named(variable: &Variable) -> Named {
    let tensor = &variable.value;
    let shape = tensor.shape().to_vec();
    let few = tensor.numel() <= MOST;
    let values = few.then(|| Values { shape: shape.clone(), data: tensor.to_buffer() });
    Named { name: variable.name.clone(), dtype: tensor.dtype().name(), shape, values }
}

/// Row-major elements as nested lists; a 0-d tensor is one number.
pub struct Values {
    shape: Vec<usize>,
    data: Buffer,
}

impl Values {
    /// These elements, row-major, of this shape; none where they are many.
    pub fn of_few(shape: &[usize], data: Buffer) -> Option<Values> {
        (data.len() <= MOST).then(|| Values { shape: shape.to_vec(), data })
    }
}

impl Serialize for Values {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Part { shape: &self.shape, data: &self.data, at: 0 }.serialize(serializer)
    }
}

/// The part of the elements that begins at `at`.
struct Part<'a> {
    shape: &'a [usize],
    data: &'a Buffer,
    at: usize,
}

impl Serialize for Part<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some((&size, rest)) = self.shape.split_first() else {
            return element(self.data, self.at, serializer);
        };
        let stride: usize = rest.iter().product();
        let mut list = serializer.serialize_seq(Some(size))?;
        for i in 0..size {
            list.serialize_element(&Part { shape: rest, data: self.data, at: self.at + i * stride })?;
        }
        list.end()
    }
}

/// One element with the digits that tell it from its neighbours; what is no number in JSON as text.
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
