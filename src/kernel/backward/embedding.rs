//! The gradient of an embedding: the gradients of the tokens, added up for each row of the table.
//! Source: `torch.nn.functional.embedding`, whose gradient adds token after token.

use super::super::{Real, buffer_pool, threads};
use super::PARALLEL;

/// Σ of the rows of `grad` with the same index: (tokens, width) to `[count, width]`. Rows of index `skipped` add nothing.
/// Panics for an index that is not below `count`: the forward operation has checked them.
pub fn embedding<T: Real>(
    indices: &[i64],
    grad: &[T],
    [count, width]: [usize; 2],
    skipped: Option<i64>,
) -> Vec<T> {
    let mut out = buffer_pool::filled(count * width, T::ZERO);
    if out.is_empty() {
        return out;
    }
    let each = |first: usize, out: &mut [T]| {
        let rows = first as i64..(first + out.len() / width) as i64;
        for (index, grad) in indices.iter().zip(grad.chunks_exact(width)) {
            if rows.contains(index) && Some(*index) != skipped {
                let start = (*index - rows.start) as usize * width;
                out[start..start + width].iter_mut().zip(grad).for_each(|(out, &g)| *out += g);
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
