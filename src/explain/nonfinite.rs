//! Where a nan or an infinity first arose: the operation whose operands had none.
//! Reads the record of what ran.

use std::collections::HashSet;
use std::rc::Rc;

use super::Names;
use super::name::Name;
use super::terms::figure;
use crate::tensor::{Arg, Record, Site, Tensor};

/// A nan or an infinity where it first arose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arisen {
    /// `nan`, `inf` or `-inf`.
    pub what: &'static str,
    /// The operation that gave it.
    pub op: &'static str,
    /// The element of its result.
    pub index: Vec<usize>,
    /// The line that ran it.
    pub site: Option<Site>,
    /// How it came about, in a sentence.
    pub because: String,
}

/// Elements up to which a tensor is looked through, and records up to which the way back is followed.
const ELEMENTS: usize = 1 << 20;
const RECORDS: usize = 400;

/// Where the first nan of a tensor arose, or, where it has none, its first infinity; nothing for a tensor that has
/// neither, or none that anything recorded gave.
pub fn first_nonfinite(tensor: &Tensor, names: &Names) -> Option<Arisen> {
    let values = values(tensor)?;
    let (what, is): (_, fn(f64) -> bool) = if values.iter().any(|it| it.is_nan()) {
        ("nan", f64::is_nan)
    } else if values.contains(&f64::INFINITY) {
        ("inf", |it| it == f64::INFINITY)
    } else if values.contains(&f64::NEG_INFINITY) {
        ("-inf", |it| it == f64::NEG_INFINITY)
    } else {
        return None;
    };
    let mut seen = HashSet::new();
    let (made, record) = arose(tensor, is, &mut seen)?;
    let values = self::values(&made)?;
    let flat = values.iter().position(|it| is(*it))?;
    let index = index_of(flat, made.shape());
    let because = because(&record, &made, &index, what, names);
    Some(Arisen { what, op: record.op, index, site: record.site.clone(), because })
}

fn values(tensor: &Tensor) -> Option<Vec<f64>> {
    (tensor.dtype().is_float() && tensor.numel() <= ELEMENTS && tensor.numel() > 0)
        .then(|| tensor.to_f64_vec())
}

fn has(tensor: &Tensor, is: fn(f64) -> bool) -> bool {
    values(tensor).is_some_and(|values| values.into_iter().any(is))
}

/// The way back to the operation none of whose operands has it.
fn arose(
    tensor: &Tensor,
    is: fn(f64) -> bool,
    seen: &mut HashSet<*const Record>,
) -> Option<(Tensor, Rc<Record>)> {
    let mut at = tensor.clone();
    loop {
        let record = at.origin()?;
        if !seen.insert(Rc::as_ptr(&record)) || seen.len() > RECORDS {
            return None;
        }
        let args = record.args();
        let from = args.iter().flat_map(Arg::tensors).find(|operand| has(operand, is));
        match from {
            // What has no record was handed in so.
            Some(from) if from.origin().is_none() => return Some((at, record)),
            Some(from) => at = from.clone(),
            None => return Some((at, record)),
        }
    }
}

fn index_of(mut flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut index = vec![0; shape.len()];
    for (at, size) in shape.iter().enumerate().rev() {
        index[at] = flat % size.max(&1);
        flat /= size.max(&1);
    }
    index
}

fn because(record: &Record, made: &Tensor, index: &[usize], what: &str, names: &Names) -> String {
    let args = record.args();
    let operands: Vec<&Tensor> = args.iter().filter_map(Arg::tensor).collect();
    let place = places(index);
    let name = |at: usize| match operands.get(at) {
        Some(operand) => match names.of(operand) {
            Name::Words(_) => "its operand".to_owned(),
            name => name.to_string(),
        },
        None => "its operand".to_owned(),
    };
    // The operands' elements that met there.
    let met = |at: usize| -> Option<f64> {
        match args.get(at)? {
            Arg::Tensor(tensor) => element(tensor, index, made.ndim()),
            other => other.number(),
        }
    };
    match record.op.trim_end_matches('_') {
        "softmax" | "log_softmax" => {
            let input = operands.first();
            let row = input.and_then(|input| row(input, index, &args));
            let which = match index.len() {
                0 | 1 => name(0),
                count => {
                    format!("row {} of {}", places(&index[..count - 1]).trim_matches(['[', ']']), name(0))
                }
            };
            match row {
                Some(row) if row.iter().all(|it| *it == f64::NEG_INFINITY) => {
                    format!("{which} is -inf throughout: its softmax is 0/0")
                }
                Some(row) if row.contains(&f64::INFINITY) => {
                    format!("{which} holds inf: its softmax is inf/inf")
                }
                _ => format!("softmax of {which} gave it"),
            }
        }
        "div" => match (met(0), met(1)) {
            (Some(a), Some(b)) => format!("{} / {} = {what}, at {place}", figure(a), figure(b)),
            _ => format!("a division gave it at {place}"),
        },
        "exp" => match met(0) {
            Some(x) => format!("exp({}) at {place} is more than {} holds", figure(x), made.dtype().name()),
            None => format!("exp gave it at {place}"),
        },
        op @ ("log" | "sqrt" | "rsqrt" | "log2" | "log10" | "reciprocal" | "acos" | "asin") => match met(0) {
            Some(x) => format!("{op}({}) = {what}, at {place}", figure(x)),
            None => format!("{op} gave it at {place}"),
        },
        "mul" | "add" | "sub" | "pow" => {
            let sign = match record.op.trim_end_matches('_') {
                "mul" => "·",
                "add" => "+",
                "sub" => "-",
                _ => "**",
            };
            match (met(0), met(1)) {
                (Some(a), Some(b)) => format!("{} {sign} {} = {what}, at {place}", figure(a), figure(b)),
                _ => format!("{} gave it at {place}", record.op),
            }
        }
        "masked_fill" => format!("masked_fill put it at {place} on purpose"),
        "full" | "tensor" | "fill" | "full_like" => format!("it was put there, at {place}"),
        "matmul" | "mm" | "bmm" | "linear" if what == "nan" => {
            format!("a sum of products with inf in it gave it at {place}: inf - inf, or 0 · inf")
        }
        op => format!("{op} gave it at {place}"),
    }
}

fn places(index: &[usize]) -> String {
    let texts: Vec<String> = index.iter().map(usize::to_string).collect();
    format!("[{}]", texts.join(","))
}

/// The element of a broadcast operand that stands behind an element of the result.
fn element(operand: &Tensor, index: &[usize], ndim: usize) -> Option<f64> {
    let lead = ndim.checked_sub(operand.ndim())?;
    let layout = operand.layout();
    let mut position = layout.offset;
    for (axis, (&size, &stride)) in layout.shape.iter().zip(&layout.strides).enumerate() {
        position += if size == 1 { 0 } else { index.get(lead + axis)? * stride };
    }
    Some(operand.storage().read().float(position))
}

/// The row of a softmax's input that an element came from.
fn row(input: &Tensor, index: &[usize], args: &[Arg]) -> Option<Vec<f64>> {
    let Some(Arg::Int(dim)) = args.get(1) else { return None };
    let axis = usize::try_from(if *dim < 0 { dim + input.ndim() as i64 } else { *dim }).ok()?;
    let size = *input.shape().get(axis)?;
    let at = |k: usize| {
        let mut index = index.to_vec();
        index[axis] = k;
        element(input, &index, index.len())
    };
    (index.len() == input.ndim()).then(|| (0..size).map(at).collect::<Option<Vec<f64>>>())?
}

impl Arisen {
    /// "nan first arose in step29, line 2: row 0 of masked is -inf throughout: its softmax is 0/0".
    pub fn sentence(&self, name: &str) -> String {
        let place = self
            .site
            .as_ref()
            .map(|site| format!(" in {}, line {}", site.cell, site.line))
            .unwrap_or_default();
        format!("{name} holds {}: it first arose{place}: {}.", self.what, self.because)
    }
}
