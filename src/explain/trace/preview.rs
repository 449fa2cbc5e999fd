//! A small picture of a result: its numbers if they are few, else means of blocks.

use crate::explain::terms::figure;
use crate::ops::trace::{Traced, TracedTensor};
use crate::tensor::explanation::Explanation;

/// The most rows and columns of blocks.
const MOST_BLOCKS: usize = 8;
/// Results with more elements get no preview.
const MOST_ELEMENTS: usize = 1 << 20;
/// Up to this many elements, the numbers themselves are shown.
const FEW: usize = 3;

/// A small picture of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Preview {
    /// The numbers, if they are few.
    pub(crate) numbers: Vec<String>,
    /// Means of blocks of the last two axes, in the first slice.
    pub(crate) means: Vec<Vec<f64>>,
    pub(crate) has_more: bool,
    /// How many elements are nan or infinite: `9 -inf`.
    pub(crate) nonfinite: Vec<String>,
}

impl Preview {
    /// The result of an operation; empty for a view, whose elements are not new, and for a write into elements.
    pub(crate) fn of(ran: &Traced) -> Preview {
        let [result] = ran.results.as_slice() else { return Preview::default() };
        if ran.is_view
            || ran.operation.explanation == Explanation::Assignment
            || result.layout.numel() > MOST_ELEMENTS
        {
            return Preview::default();
        }
        Preview::of_tensor(result)
    }

    fn of_tensor(tensor: &TracedTensor) -> Preview {
        let Some(values) = tensor.values() else { return Preview::default() };
        let values: Vec<f64> = (0..values.len()).map(|at| values.float(at)).collect();
        let count = |name: &str, is: fn(&f64) -> bool| {
            let count = values.iter().filter(|value| is(value)).count();
            (count > 0).then(|| format!("{count} {name}"))
        };
        let counts = [
            count("nan", |value| value.is_nan()),
            count("inf", |value| *value == f64::INFINITY),
            count("-inf", |value| *value == f64::NEG_INFINITY),
        ];
        let nonfinite: Vec<String> = counts.into_iter().flatten().collect();
        if values.len() <= FEW {
            let numbers = values.iter().map(|value| figure(*value)).collect();
            return Preview { numbers, ..Preview::default() };
        }
        if nonfinite.is_empty() && values.iter().all(|value| *value == values[0]) {
            return Preview { numbers: vec![format!("all {}", figure(values[0]))], ..Preview::default() };
        }
        let shape = tensor.shape();
        let columns = shape.last().copied().unwrap_or(1);
        let rows = if shape.len() > 1 { shape[shape.len() - 2] } else { 1 };
        let has_more = values.len() > rows * columns;
        let means = block_means(&values[..rows * columns], rows, columns);
        Preview { numbers: Vec::new(), means, has_more, nonfinite }
    }
}

/// The means of blocks; a block with a number that is not finite has a mean that is not finite.
fn block_means(values: &[f64], rows: usize, columns: usize) -> Vec<Vec<f64>> {
    let (down, across) = (rows.min(MOST_BLOCKS), columns.min(MOST_BLOCKS));
    let mean = |r: usize, c: usize| {
        let in_rows = r * rows / down..(r + 1) * rows / down;
        let in_columns = c * columns / across..(c + 1) * columns / across;
        let block = in_rows.flat_map(|r| in_columns.clone().map(move |c| values[r * columns + c]));
        let (sum, count) = block.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
        sum / count
    };
    (0..down).map(|r| (0..across).map(|c| mean(r, c)).collect()).collect()
}
