//! Multi-head attention written as in the formula, with a loop for each index: the baseline for faster forms.
//! Source: Vaswani et al. 2017, section 3.2; the layer of the book's section 3.6.2.
//!
//! Letters: T tokens, C width of the model, H heads, D = C / H width of a head.

use super::Real;

/// The four projections of a layer: weights (C, C), stored (out, in) as `torch.nn.Linear` stores them, and biases (C).
pub(crate) struct Layer<'a, T> {
    /// Query, key, value and output projection.
    pub(crate) weights: [&'a [T]; 4],
    /// Their biases.
    pub(crate) biases: [&'a [T]; 4],
    /// H.
    pub(crate) heads: usize,
    /// Whether a token attends to itself and earlier tokens only.
    pub(crate) causal: bool,
}

impl<T: Real> Layer<'_, T> {
    /// x (T, C) -> (T, C), row-major.
    pub(crate) fn forward(&self, x: &[T]) -> Vec<T> {
        let width = self.biases[0].len();
        let (tokens, head) = (x.len() / width, width / self.heads);
        let [query, key, value] = [0, 1, 2].map(|which| self.project(which, x));
        let scale = T::ONE / T::from_f64(head as f64).sqrt();
        let mut context = vec![T::ZERO; x.len()];
        for h in 0..self.heads {
            for i in 0..tokens {
                let seen = if self.causal { i + 1 } else { tokens };
                let at = |token: usize, d: usize| token * width + h * head + d;
                let mut weights = vec![T::ZERO; seen];
                for (j, weight) in weights.iter_mut().enumerate() {
                    for d in 0..head {
                        *weight += query[at(i, d)] * key[at(j, d)];
                    }
                    *weight *= scale;
                }
                let top = weights.iter().copied().fold(T::NEG_INFINITY, T::maximum);
                let mut sum = T::ZERO;
                for weight in &mut weights {
                    *weight = (*weight - top).exp();
                    sum += *weight;
                }
                for (j, &weight) in weights.iter().enumerate() {
                    for d in 0..head {
                        context[at(i, d)] += weight / sum * value[at(j, d)];
                    }
                }
            }
        }
        self.project(3, &context)
    }

    /// x Wᵀ + b: (T, C) x (C, C) -> (T, C)
    fn project(&self, which: usize, x: &[T]) -> Vec<T> {
        let (weight, bias) = (self.weights[which], self.biases[which]);
        let width = bias.len();
        let mut out = vec![T::ZERO; x.len()];
        for (row, out) in x.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
            for (o, out) in out.iter_mut().enumerate() {
                *out = bias[o];
                for (c, &x) in row.iter().enumerate() {
                    *out += x * weight[o * width + c];
                }
            }
        }
        out
    }
}
