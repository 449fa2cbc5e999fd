//! One tensor before and after: which of its elements moved, how far, and what they are called.

use super::Naming;
use crate::tensor::layout::unravel;
use crate::tensor::{DType, Tensor};

/// A tensor that came out otherwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// Its name.
    pub name: String,
    /// The last cell that bound it or wrote into it; none of what lies in a module.
    pub cell: Option<String>,
    /// Its dtype without `torch.`.
    pub dtype: &'static str,
    /// Whether its elements have decimals.
    pub is_float: bool,
    /// Its shape; where a token was left out, without that token.
    pub shape: Vec<usize>,
    /// What its axes and positions are called.
    pub naming: Naming,
    /// Its elements before, row-major.
    pub before: Vec<f64>,
    /// Its elements after.
    pub after: Vec<f64>,
    /// The places that differ, in order.
    pub changed: Vec<usize>,
    /// The place that differs most.
    pub most: usize,
}

/// A tensor whose shape is another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reshaped {
    /// Its name.
    pub name: String,
    /// Its shape before.
    pub before: Vec<usize>,
    /// Its shape after.
    pub after: Vec<usize>,
}

impl Naming {
    /// A position in words: `query "journey", key "starts"`; nothing where nothing has a name.
    pub fn place(&self, index: &[usize]) -> String {
        let word = |(axis, at): (usize, &usize)| {
            let label = self.labels.get(axis).and_then(Option::as_ref).and_then(|labels| labels.get(*at));
            match (self.axes.get(axis), label) {
                (Some(name), Some(label)) if name == "token" => Some(format!("\"{label}\"")),
                (Some(name), Some(label)) => Some(format!("{name} \"{label}\"")),
                (Some(name), None) => Some(format!("{name} {at}")),
                (None, _) => None,
            }
        };
        index.iter().enumerate().filter_map(word).collect::<Vec<_>>().join(", ")
    }

    /// What a position along an axis is called: a token, or its number.
    pub fn label(&self, axis: usize, at: usize) -> String {
        let labels = self.labels.get(axis).and_then(Option::as_ref);
        labels.and_then(|labels| labels.get(at)).cloned().unwrap_or_else(|| at.to_string())
    }
}

/// Whether two elements count as the same: nan is itself.
fn same(before: f64, after: f64) -> bool {
    before == after || (before.is_nan() && after.is_nan())
}

/// How far two elements are from each other; more than any number where one is not finite.
fn distance(before: f64, after: f64) -> f64 {
    let far = (after - before).abs();
    if far.is_nan() { f64::INFINITY } else { far }
}

impl Moved {
    /// What moved between two tensors of one shape; `None` where nothing did.
    pub fn between(name: &str, before: &Tensor, after: &Tensor, naming: Naming) -> Option<Moved> {
        let values = (before.to_f64_vec(), after.to_f64_vec());
        Moved::of(name, after.dtype(), before.shape().to_vec(), values, naming)
    }

    /// The same where position `at` of each axis of `size` was left out; `None` where the shapes differ otherwise.
    pub fn without(
        name: &str,
        before: &Tensor,
        after: &Tensor,
        at: usize,
        size: usize,
        naming: Naming,
    ) -> Option<Moved> {
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
        let mut naming = naming;
        for labels in naming.labels.iter_mut().flatten() {
            if labels.len() == size {
                labels.remove(at);
            }
        }
        Moved::of(name, after.dtype(), after.shape().to_vec(), (old, after.to_f64_vec()), naming)
    }

    fn of(
        name: &str,
        dtype: DType,
        shape: Vec<usize>,
        (before, after): (Vec<f64>, Vec<f64>),
        naming: Naming,
    ) -> Option<Moved> {
        let changed: Vec<usize> = (0..before.len()).filter(|at| !same(before[*at], after[*at])).collect();
        let far = |at: usize| distance(before[at], after[at]);
        // Of places equally far, the first.
        let most = changed.iter().copied().reduce(|best, at| if far(at) > far(best) { at } else { best })?;
        Some(Moved {
            name: name.to_owned(),
            cell: None,
            dtype: dtype.name(),
            is_float: dtype.is_float(),
            shape,
            naming,
            before,
            after,
            changed,
            most,
        })
    }

    /// The largest difference.
    pub fn largest(&self) -> f64 {
        distance(self.before[self.most], self.after[self.most])
    }

    /// Whether it moved by no more than sums in another order would: the last digit of a float32.
    pub fn is_rounding(&self) -> bool {
        let size =
            self.before.iter().map(|value| value.abs()).filter(|size| size.is_finite()).fold(0.0, f64::max);
        self.is_float && self.largest() <= 4.0 * f64::from(f32::EPSILON) * size
    }

    /// The difference at a place.
    pub fn difference(&self, place: usize) -> f64 {
        self.after[place] - self.before[place]
    }

    /// The index of a place.
    pub fn index(&self, place: usize) -> Vec<usize> {
        unravel(place, &self.shape)
    }

    /// Which positions along an axis moved.
    fn touched(&self, axis: usize) -> Vec<usize> {
        let mut touched: Vec<usize> = self.changed.iter().map(|place| self.index(*place)[axis]).collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// The token whose row and column moved, and nothing else, in a table of every token by every token.
    pub fn cross(&self) -> Option<usize> {
        let &[high, wide] = self.shape.as_slice() else { return None };
        if high != wide || high < 3 {
            return None;
        }
        let on = |k: usize| self.changed.iter().all(|place| self.index(*place).contains(&k));
        let k = (0..high).find(|k| on(*k))?;
        let both = self.touched(0).len() > 1 && self.touched(1).len() > 1;
        both.then_some(k)
    }

    /// Which part of it moved: `all of it`, `row "journey"`, `row and column "journey"`; nothing where no part has a name.
    pub fn extent(&self) -> String {
        if let Some(k) = self.cross() {
            return format!("row and column {}", self.quoted(0, k));
        }
        let part = |axis: usize| {
            let touched = self.touched(axis);
            let left: Vec<usize> = (0..self.shape[axis]).filter(|at| !touched.contains(at)).collect();
            let (but, named) = match (touched.len(), left.len()) {
                (_, 0) => return None,
                (..=3, _) => ("", touched),
                (_, ..=2) => ("all but ", left),
                _ => return None,
            };
            let words: Vec<String> = named.iter().map(|at| self.quoted(axis, *at)).collect();
            let name = self.axis(axis);
            let name = if words.len() == 1 { name } else { several(&name) };
            Some(format!("{but}{name} {}", words.join(", ")))
        };
        (0..self.shape.len()).filter_map(part).collect::<Vec<_>>().join(", ")
    }

    /// What an axis is called: its name, else row or column.
    pub fn axis(&self, axis: usize) -> String {
        let word = match self.shape.len() - axis {
            _ if self.shape.len() == 1 => "element",
            1 => "column",
            2 => "row",
            _ => "slice",
        };
        self.naming.axes.get(axis).map_or(word, String::as_str).to_owned()
    }

    fn quoted(&self, axis: usize, at: usize) -> String {
        let label = self.naming.label(axis, at);
        if label.parse::<usize>().is_ok() { label } else { format!("\"{label}\"") }
    }

    /// Whether every row sums to 1, before and after, and weights are what it holds.
    pub fn shares_out(&self) -> bool {
        let Some(&wide) = self.shape.last() else { return false };
        let one = |values: &[f64]| {
            values.iter().all(|value| *value >= 0.0)
                && values.chunks(wide).all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-4)
        };
        self.is_float && wide > 1 && one(&self.before) && one(&self.after)
    }

    /// Whether it is a table that equals itself turned, before and after.
    pub fn is_symmetric(&self) -> bool {
        let &[high, wide] = self.shape.as_slice() else { return false };
        let turned = |values: &[f64]| {
            (0..high).all(|r| (0..r).all(|c| (values[r * wide + c] - values[c * wide + r]).abs() < 1e-5))
        };
        high == wide && turned(&self.before) && turned(&self.after)
    }
}

/// An axis's name for several of its positions: rows, queries, keys; what is no English word stays.
fn several(name: &str) -> String {
    match name {
        name if name.contains('_') => name.to_owned(),
        name => match name.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{name}s"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(values: &[f32], shape: &[usize]) -> Tensor {
        Tensor::from_f32(values.to_vec(), shape.to_vec())
    }

    #[test]
    fn nan_equals_itself_and_infinities_count_most() {
        let before = tensor(&[f32::NAN, 1.0, 2.0, f32::NEG_INFINITY], &[4]);
        assert_eq!(Moved::between("x", &before, &before, Naming::default()), None);
        let after = tensor(&[f32::NAN, 9.0, f32::NAN, f32::NEG_INFINITY], &[4]);
        let moved = Moved::between("x", &before, &after, Naming::default()).expect("two differ");
        assert_eq!((moved.changed.as_slice(), moved.most, moved.largest()), (&[1, 2][..], 2, f64::INFINITY));
    }

    #[test]
    fn parts_that_moved_are_named() {
        let words = |places: &[usize]| {
            let before = tensor(&[0.0; 9], &[3, 3]);
            let mut values = [0.0; 9];
            places.iter().for_each(|place| values[*place] = 1.0);
            let labels = Some(["a", "b", "c"].map(str::to_owned).to_vec());
            let axes = vec!["query".to_owned(), "key".to_owned()];
            let naming = Naming { axes, labels: vec![labels.clone(), labels] };
            Moved::between("x", &before, &tensor(&values, &[3, 3]), naming).map(|moved| moved.extent())
        };
        assert_eq!(words(&[3, 4, 5]).as_deref(), Some("query \"b\""));
        assert_eq!(words(&[1, 3, 4, 5, 7]).as_deref(), Some("row and column \"b\""));
        assert_eq!(words(&[2, 5, 8]).as_deref(), Some("key \"c\""));
        assert_eq!(words(&[0, 1, 2, 3, 4, 5, 6, 7, 8]).as_deref(), Some(""));
        let before = tensor(&[0.0; 5], &[5]);
        let after = tensor(&[0.0, 1.0, 1.0, 1.0, 1.0], &[5]);
        let moved = Moved::between("x", &before, &after, Naming::default()).expect("four differ");
        assert_eq!(moved.extent(), "all but element 0");
    }

    #[test]
    fn a_token_that_is_left_out_leaves_the_others_to_be_compared() {
        let before = tensor(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[3, 3]);
        let after = tensor(&[0.0, 2.0, 6.0, 9.0], &[2, 2]);
        let moved = Moved::without("x", &before, &after, 1, 3, Naming::default()).expect("one differs");
        assert_eq!((moved.before, moved.changed), (vec![0.0, 2.0, 6.0, 8.0], vec![3]));
        assert_eq!(Moved::without("x", &before, &tensor(&[0.0], &[1]), 1, 3, Naming::default()), None);
    }
}
