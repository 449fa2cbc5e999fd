//! The gradient of an embedding: the gradients of the tokens, added up for each row of the table.
//! Source: `torch.nn.functional.embedding`, whose gradient adds token after token.

use super::super::{Real, buffer_pool, threads};
use super::PARALLEL;

/// Σ of the rows of `grad` with the same index: (tokens, width) to `[count, width]`. Rows of index `skipped` add nothing.
/// With `by_frequency` each row is divided by the number of tokens with its index.
/// Panics for an index that is not below `count`: the forward operation has checked them.
pub fn embedding<T: Real>(
    indices: &[i64],
    grad: &[T],
    [count, width]: [usize; 2],
    skipped: Option<i64>,
    by_frequency: bool,
) -> Vec<T> {
    let mut out = buffer_pool::filled(count * width, T::ZERO);
    if out.is_empty() {
        return out;
    }
    let mut counts = vec![0_usize; if by_frequency { count } else { 0 }];
    if by_frequency {
        indices.iter().for_each(|&index| counts[index as usize] += 1);
    }
    let each = |first: usize, out: &mut [T]| {
        let rows = first as i64..(first + out.len() / width) as i64;
        for (index, grad) in indices.iter().zip(grad.chunks_exact(width)) {
            if rows.contains(index) && Some(*index) != skipped {
                let start = (*index - rows.start) as usize * width;
                let row = out[start..start + width].iter_mut().zip(grad);
                match counts.get(*index as usize) {
                    None => row.for_each(|(out, &g)| *out += g),
                    Some(&count) => {
                        let share = T::from_f64(1.0 / count as f64);
                        row.for_each(|(out, &g)| *out = g.fma(share, *out));
                    }
                }
            }
        }
    };
    if grad.len() < PARALLEL {
        each(0, &mut out);
        return out;
    }
    // Every thread reads all indices, so there are few parts.
    let rows = count.div_ceil(4 * threads::count());
    threads::share(out.chunks_mut(rows * width).enumerate(), |(at, out)| each(at * rows, out));
    out
}
