//! One element, worked out: the formula in names, the same with numbers, the terms summed.
//! Room: explain. Every figure is read from the operands that the record holds.

use super::names::Names;
use super::terms::{figure, sum_of_products, sum_of_terms};
use crate::tensor::{Arg, Layout, Record, Tensor};

/// One element worked out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worked {
    /// Its index: `[1,2]`.
    pub index: String,
    /// Its value, as printed.
    pub value: String,
    /// What it equals, in names first, then in numbers, then summed.
    pub steps: Vec<String>,
}

impl Worked {
    /// `[1] 1.4950 = inputs[1]·query = ...`, each further step on a line of its own under the first.
    pub fn lines(&self) -> Vec<String> {
        let head = format!("{} {}", self.index, self.value);
        let indent = " ".repeat(head.chars().count());
        let mut lines: Vec<String> = Vec::new();
        let mut steps = self.steps.iter();
        // Names and numbers share the first line where both are short.
        let mut first = match steps.next() {
            Some(step) => format!("{head} = {step}"),
            None => head,
        };
        for step in steps {
            if lines.is_empty() && first.chars().count() + step.chars().count() + 3 <= 76 {
                first = format!("{first} = {step}");
                lines.push(std::mem::take(&mut first));
                continue;
            }
            if lines.is_empty() {
                lines.push(std::mem::take(&mut first));
            }
            lines.push(format!("{indent} = {step}"));
        }
        if !first.is_empty() {
            lines.push(first);
        }
        lines
    }
}

/// Element `index` of a tensor, worked out from what made it; `None` where nothing is recorded.
pub fn worked(tensor: &Tensor, index: &[usize], names: &Names) -> Option<Worked> {
    let texts: Vec<String> = index.iter().map(usize::to_string).collect();
    let layout = tensor.layout();
    if index.len() != layout.ndim() || index.iter().zip(&layout.shape).any(|(at, size)| at >= size) {
        return None;
    }
    let position = position_of(layout, index);
    let steps = made(tensor, position, names, 8)?;
    let value = tensor.storage().read().float(position);
    let value = if tensor.dtype().is_float() { format!("{value:.4}") } else { figure(value) };
    Some(Worked { index: format!("[{}]", texts.join(",")), value, steps })
}

fn position_of(layout: &Layout, index: &[usize]) -> usize {
    layout.offset + index.iter().zip(&layout.strides).map(|(at, stride)| at * stride).sum::<usize>()
}

/// How the element at a storage position of a tensor came to be.
fn made(tensor: &Tensor, position: usize, names: &Names, depth: usize) -> Option<Vec<String>> {
    if depth == 0 {
        return None;
    }
    if let Some(write) = tensor.storage().last_write(position) {
        let index = write.layout.index_of(position)?;
        return written(&write.record, &write.layout, &index, names, depth);
    }
    let record = tensor.origin()?;
    let args = record.args();
    if let Some(Arg::Tensor(base)) = args.first()
        && base.storage().same(tensor.storage())
    {
        // A view: the same storage element, as the tensor under it sees it.
        return made(base, position, names, depth - 1);
    }
    let index = tensor.layout().index_of(position)?;
    formula(&record, &index, names)
}

/// An element that an in-place write put there.
fn written(
    record: &Record,
    layout: &Layout,
    index: &[usize],
    names: &Names,
    depth: usize,
) -> Option<Vec<String>> {
    let args = record.args();
    match (record.op, args.get(1)) {
        ("setitem" | "copy_", Some(Arg::Tensor(source))) => {
            let seen = broadcast_index(source.layout(), index, layout.ndim())?;
            let position = position_of(source.layout(), &seen);
            made(source, position, names, depth - 1).or_else(|| Some(vec![names.of(source)]))
        }
        ("setitem" | "copy_" | "fill_", Some(number)) => {
            Some(vec![format!("{}, as assigned", names.of_arg(number))])
        }
        _ => formula(record, index, names),
    }
}

/// The index of an operand that stands at `index` of the broadcast result.
fn broadcast_index(layout: &Layout, index: &[usize], ndim: usize) -> Option<Vec<usize>> {
    let lead = ndim.max(index.len()).checked_sub(layout.ndim())?;
    let tail = index.get(lead.min(index.len())..)?;
    Some(layout.shape.iter().zip(tail).map(|(&size, &at)| if size == 1 { 0 } else { at }).collect())
}

fn element(tensor: &Tensor, index: &[usize]) -> f64 {
    tensor.storage().read().float(position_of(tensor.layout(), index))
}

/// The value of an operand at `index` of the result.
fn operand(arg: &Arg, index: &[usize]) -> Option<f64> {
    match arg {
        Arg::Tensor(tensor) => {
            let at = broadcast_index(tensor.layout(), index, index.len())?;
            Some(element(tensor, &at))
        }
        number => number.number(),
    }
}

/// A row of a tensor: all elements along its last axis, the other indices fixed.
fn row(tensor: &Tensor, lead: &[usize], axis: usize) -> Vec<f64> {
    let size = tensor.shape()[axis];
    (0..size)
        .map(|at| {
            let mut index = lead.to_vec();
            index.insert(axis, at);
            element(tensor, &index)
        })
        .collect()
}

/// `name[i]`, or the name alone for what has no index.
fn at(name: String, index: &[usize]) -> String {
    if index.is_empty() {
        return name;
    }
    let texts: Vec<String> = index.iter().map(usize::to_string).collect();
    let name = if name.contains(' ') { format!("({name})") } else { name };
    format!("{name}[{}]", texts.join(","))
}

fn products(left: String, right: String, a: &[f64], b: &[f64]) -> Vec<String> {
    let (factors, terms) = sum_of_products(a, b);
    let mut steps = vec![format!("{left} · {right}"), factors];
    if a.len() > 1 {
        steps.push(terms);
    }
    steps
}

/// The formula of an operation at one index of its result.
fn formula(record: &Record, index: &[usize], names: &Names) -> Option<Vec<String>> {
    let args = record.args();
    let tensor = |place: usize| args.get(place).and_then(Arg::tensor);
    let op = record.op.trim_end_matches('_');
    match op {
        "dot" => {
            let (a, b) = (tensor(0)?, tensor(1)?);
            Some(products(names.of(a), names.of(b), &a.to_f64_vec(), &b.to_f64_vec()))
        }
        "matmul" | "mm" | "mv" | "bmm" => matmul(tensor(0)?, tensor(1)?, index, names),
        "linear" => {
            let (x, weight) = (tensor(0)?, tensor(1)?);
            let (&out, lead) = index.split_last()?;
            let (a, b) = (row(x, lead, x.ndim() - 1), row(weight, &[out], 1));
            let mut steps = products(at(names.of(x), lead), at(names.of(weight), &[out]), &a, &b);
            if let Some(bias) = tensor(2) {
                let add = element(bias, &[out]);
                steps.push(format!(
                    "{} + bias {}",
                    figure(a.iter().zip(&b).map(|(x, y)| x * y).sum()),
                    figure(add)
                ));
            }
            Some(steps)
        }
        "softmax" => {
            let x = tensor(0)?;
            let dim = match args.get(1) {
                Some(Arg::Int(dim)) => *dim,
                _ => -1,
            };
            let axis = crate::tensor::layout::wrap_dim(dim, x.ndim()).ok()?;
            let mut lead = index.to_vec();
            let place = if x.ndim() == 0 { 0 } else { lead.remove(axis) };
            let scores = row(x, &lead, axis);
            let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let powers: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
            let total: f64 = powers.iter().sum();
            Some(vec![
                format!("softmax over {}", along(names.of(x), &lead, axis)),
                format!("exp({} - {}) / ({})", figure(scores[place]), figure(largest), sum_of_terms(&powers)),
                format!("{:.4} / {total:.4}", powers[place]),
            ])
        }
        "add" | "sub" | "mul" | "div" | "pow" => {
            let sign = match op {
                "add" => "+",
                "sub" => "-",
                "mul" => "·",
                "div" => "/",
                _ => "^",
            };
            let text = |arg: &Arg| match arg {
                Arg::Tensor(tensor) => {
                    let seen = broadcast_index(tensor.layout(), index, index.len()).unwrap_or_default();
                    at(names.of(tensor), &seen)
                }
                number => names.of_arg(number),
            };
            let (a, b) = (args.first()?, args.get(1)?);
            let (x, y) = (operand(a, index)?, operand(b, index)?);
            let right = if y < 0.0 { format!("({})", figure(y)) } else { figure(y) };
            Some(vec![format!("{} {sign} {}", text(a), text(b)), format!("{} {sign} {right}", figure(x))])
        }
        "sum" | "mean" => {
            let x = tensor(0)?;
            let shape = x.shape();
            let keeps = record.shape.len() == shape.len();
            let dims: Vec<usize> = match args.get(1) {
                Some(Arg::Ints(dims)) => dims
                    .iter()
                    .filter_map(|&dim| crate::tensor::layout::wrap_dim(dim, x.ndim()).ok())
                    .collect(),
                Some(Arg::Int(dim)) => vec![crate::tensor::layout::wrap_dim(*dim, x.ndim()).ok()?],
                _ => (0..x.ndim()).collect(),
            };
            let [axis] = dims[..] else {
                let values = x.to_f64_vec();
                return Some(vec![format!("{op} of {}", names.of(x)), divided(op, &values)]);
            };
            let mut lead = index.to_vec();
            if keeps && lead.len() == shape.len() {
                lead.remove(axis);
            }
            let values = row(x, &lead, axis);
            Some(vec![format!("{op} of {}", along(names.of(x), &lead, axis)), divided(op, &values)])
        }
        "tensor" => None,
        _ => {
            let x = tensor(0)?;
            if x.shape() == record.shape {
                let value = figure(element(x, index));
                return Some(vec![at(format!("{op}({})", names.of(x)), index), format!("{op}({value})")]);
            }
            Some(vec![format!("{op} of {}", names.of(x))])
        }
    }
}

fn divided(op: &str, values: &[f64]) -> String {
    match op {
        "mean" => format!("({}) / {}", sum_of_terms(values), values.len()),
        _ => sum_of_terms(values),
    }
}

/// `row 1 of attn_scores`, `column 2 of attn_scores`, or the name of a vector.
fn along(name: String, lead: &[usize], axis: usize) -> String {
    match (lead, axis) {
        ([], _) => name,
        ([at], 1) => format!("row {at} of {name}"),
        ([at], 0) => format!("column {at} of {name}"),
        _ => {
            let mut texts: Vec<String> = lead.iter().map(usize::to_string).collect();
            texts.insert(axis, ":".to_owned());
            format!("{name}[{}]", texts.join(","))
        }
    }
}

fn matmul(a: &Tensor, b: &Tensor, index: &[usize], names: &Names) -> Option<Vec<String>> {
    let mut rest = index.to_vec();
    let column = if b.ndim() > 1 { Some(rest.pop()?) } else { None };
    let line = if a.ndim() > 1 { Some(rest.pop()?) } else { None };
    let batch = |tensor: &Tensor, matrix: usize| -> Vec<usize> {
        let own = &tensor.shape()[..tensor.ndim() - matrix];
        let skip = rest.len().saturating_sub(own.len());
        own.iter().zip(&rest[skip..]).map(|(&size, &at)| if size == 1 { 0 } else { at }).collect()
    };
    let mut left = batch(a, a.ndim().min(2));
    left.extend(line);
    let values_a = row(a, &left, a.ndim() - 1);
    let pages = batch(b, b.ndim().min(2));
    let (values_b, right) = match column {
        Some(column) => {
            let mut lead = pages.clone();
            lead.push(column);
            (row(b, &lead, b.ndim() - 2), column_text(names.of(b), &pages, column))
        }
        None => (row(b, &pages, b.ndim() - 1), names.of(b)),
    };
    Some(products(at(names.of(a), &left), right, &values_a, &values_b))
}

/// A column of a matrix; of a transposed one it is a row of what was transposed.
fn column_text(name: String, pages: &[usize], column: usize) -> String {
    if let Some(plain) = name.strip_suffix(".T").filter(|plain| pages.is_empty() && !plain.contains(' ')) {
        return format!("{plain}[{column}]");
    }
    let mut texts: Vec<String> = pages.iter().map(usize::to_string).collect();
    texts.push(":".to_owned());
    texts.push(column.to_string());
    let name = if name.contains(' ') { format!("({name})") } else { name };
    format!("{name}[{}]", texts.join(","))
}
