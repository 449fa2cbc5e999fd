//! One tensor without and with a change: which of its elements differ, and by how much.

use serde::Serialize;

use super::axes::AxisLabels;
use crate::tensor::layout::unravel;
use crate::tensor::{DType, Tensor};

/// A tensor that differs between the two runs. Elements are in row-major order.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedTensor {
    pub name: String,
    /// The last cell that bound it or wrote into it; for a tensor in a module, the last cell that bound the module.
    pub cell: Option<String>,
    pub dtype: DType,
    /// Its shape; if a token was left out, without that token.
    pub shape: Vec<usize>,
    /// The names of its axes and positions.
    pub labels: AxisLabels,
    /// Its elements without the change.
    pub before: Vec<f64>,
    /// Its elements with the change.
    pub after: Vec<f64>,
    /// The elements that differ, in order.
    pub differing: Vec<usize>,
    /// The element that differs most.
    pub largest_at: usize,
}

/// A tensor whose shape differs between the two runs.
#[derive(Clone, Default, PartialEq, Eq, Serialize)]
pub struct Reshaped {
    pub name: String,
    /// Its shape without the change.
    pub(crate) before: Vec<usize>,
    /// Its shape with the change.
    pub after: Vec<usize>,
}

/// Whether two elements are equal; nan equals nan.
fn same(before: f64, after: f64) -> bool {
    before == after || (before.is_nan() && after.is_nan())
}

/// The distance of two elements; infinite if one of them is not finite.
fn distance(before: f64, after: f64) -> f64 {
    let far = (after - before).abs();
    if far.is_nan() { f64::INFINITY } else { far }
}

impl ChangedTensor {
    /// The difference of two tensors of the same shape; `None` if all elements are equal.
    pub fn between(name: &str, before: &Tensor, after: &Tensor, labels: AxisLabels) -> Option<ChangedTensor> {
        let values = (before.to_f64_vec(), after.to_f64_vec());
        ChangedTensor::of(name, after.dtype(), before.shape().to_vec(), values, labels)
    }

    /// The difference where position `at` was left out of each axis of `size`; `None` if the shapes differ otherwise, or if
    /// all remaining elements are equal.
    pub fn without(
        name: &str,
        before: &Tensor,
        after: &Tensor,
        at: usize,
        size: usize,
        mut labels: AxisLabels,
    ) -> Option<ChangedTensor> {
        let fits = before.ndim() == after.ndim()
            && before
                .shape()
                .iter()
                .zip(after.shape())
                .all(|(old, new)| (*old == size && *new + 1 == size) || (*old != size && old == new));
        if !fits {
            return None;
        }
        let shape = before.shape().to_vec();
        let kept =
            |place: &usize| unravel(*place, &shape).iter().zip(&shape).all(|(i, of)| *of != size || *i != at);
        let all = before.to_f64_vec();
        let old = (0..all.len()).filter(kept).map(|place| all[place]).collect();
        labels.remove(at, size);
        ChangedTensor::of(name, after.dtype(), after.shape().to_vec(), (old, after.to_f64_vec()), labels)
    }

    fn of(
        name: &str,
        dtype: DType,
        shape: Vec<usize>,
        (before, after): (Vec<f64>, Vec<f64>),
        labels: AxisLabels,
    ) -> Option<ChangedTensor> {
        let differing: Vec<usize> = (0..before.len()).filter(|at| !same(before[*at], after[*at])).collect();
        let far = |at: usize| distance(before[at], after[at]);
        // Of several equal differences, the first.
        let largest_at =
            differing.iter().copied().reduce(|best, at| if far(at) > far(best) { at } else { best })?;
        Some(ChangedTensor {
            name: name.to_owned(),
            cell: None,
            dtype,
            shape,
            labels,
            before,
            after,
            differing,
            largest_at,
        })
    }

    pub fn largest(&self) -> f64 {
        distance(self.before[self.largest_at], self.after[self.largest_at])
    }

    /// Whether the differences are as small as another order of summation makes them: the last digit of a float32.
    pub(crate) fn is_rounding(&self) -> bool {
        let size =
            self.before.iter().map(|value| value.abs()).filter(|size| size.is_finite()).fold(0.0, f64::max);
        self.dtype.is_float() && self.largest() <= 4.0 * f64::from(f32::EPSILON) * size
    }

    /// The difference of an element.
    pub(crate) fn difference(&self, at: usize) -> f64 {
        self.after[at] - self.before[at]
    }

    /// The index of an element.
    pub(crate) fn index(&self, at: usize) -> Vec<usize> {
        unravel(at, &self.shape)
    }

    /// The positions along an axis that have elements that differ.
    fn differing_along(&self, axis: usize) -> Vec<usize> {
        let mut positions: Vec<usize> = self.differing.iter().map(|at| self.index(*at)[axis]).collect();
        positions.sort_unstable();
        positions.dedup();
        positions
    }

    /// The position of a square matrix whose row and column differ while all other elements are equal.
    pub fn row_and_column(&self) -> Option<usize> {
        let &[high, wide] = self.shape.as_slice() else { return None };
        if high != wide || high < 3 {
            return None;
        }
        let on = |k: usize| self.differing.iter().all(|at| self.index(*at).contains(&k));
        let k = (0..high).find(|k| on(*k))?;
        let both = self.differing_along(0).len() > 1 && self.differing_along(1).len() > 1;
        both.then_some(k)
    }

    /// Which part of the tensor differs: `row "journey"`, `row and column "journey"`; empty if it has no short name.
    pub fn part(&self) -> String {
        if let Some(k) = self.row_and_column() {
            return format!("row and column {}", self.labels.quoted(0, k, ""));
        }
        let part = |axis: usize| {
            let differing = self.differing_along(axis);
            let equal: Vec<usize> = (0..self.shape[axis]).filter(|at| !differing.contains(at)).collect();
            let (but, named) = match (differing.len(), equal.len()) {
                (_, 0) => return None,
                (..=3, _) => ("", differing),
                (_, ..=2) => ("all but ", equal),
                _ => return None,
            };
            let words: Vec<String> = named.iter().map(|at| self.labels.quoted(axis, *at, "")).collect();
            let name = self.axis_name(axis);
            let name = if words.len() == 1 { name } else { plural(&name) };
            Some(format!("{but}{name} {}", words.join(", ")))
        };
        let parts: Vec<String> = (0..self.shape.len()).filter_map(part).collect();
        let all: usize = (0..self.shape.len()).map(|axis| self.differing_along(axis).len()).product();
        // Not all of what several axes have in common may differ.
        match parts.len() < 2 || all == self.differing.len() {
            true => parts.join(", "),
            false => format!("within {}", parts.join(" and ")),
        }
    }

    /// The name of an axis; without one: element, column, row or slice.
    pub(crate) fn axis_name(&self, axis: usize) -> String {
        let word = match self.shape.len() - axis {
            _ if self.shape.len() == 1 => "element",
            1 => "column",
            2 => "row",
            _ => "slice",
        };
        self.labels.axes.get(axis).map_or(word, String::as_str).to_owned()
    }

    /// Whether the tensor has rows of weights: they are not negative and sum to 1 in both runs.
    pub(crate) fn has_weights(&self) -> bool {
        let Some(&wide) = self.shape.last() else { return false };
        let one = |values: &[f64]| {
            values.iter().all(|value| *value >= 0.0)
                && values.chunks(wide).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-4)
        };
        self.dtype.is_float() && wide > 1 && one(&self.before) && one(&self.after)
    }

    /// Whether it is a symmetric matrix in both runs.
    pub(crate) fn is_symmetric(&self) -> bool {
        let &[high, wide] = self.shape.as_slice() else { return false };
        let symmetric = |values: &[f64]| {
            (0..high).all(|r| (0..r).all(|c| (values[r * wide + c] - values[c * wide + r]).abs() < 1e-5))
        };
        high == wide && symmetric(&self.before) && symmetric(&self.after)
    }
}

/// The plural of an axis's name: rows, queries; a name that is no English word stays as it is.
fn plural(name: &str) -> String {
    match name {
        name if name.contains('_') => name.to_owned(),
        name => match name.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{name}s"),
        },
    }
}
