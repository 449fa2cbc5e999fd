//! The rules of optimizers: one pass over a parameter, its gradient and what the rule keeps between steps.
//! Source: `torch.optim.SGD`, Adam (Kingma & Ba 2015), AdamW (Loshchilov & Hutter 2019), with the roundings of the
//! single operations in which PyTorch writes them.

use super::Real;
use super::math::library_roots;
use super::real::simd;

/// Numbers of a pass of Adam, which stay in the first cache.
const BLOCK: usize = 256;

/// A step of stochastic gradient descent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sgd<T> {
    /// The share of the parameter that is added to its gradient; none if that is 0.
    pub(crate) weight_decay: Option<T>,
    /// What remains of the velocity.
    pub(crate) momentum: T,
    /// 1 - dampening: the share of the gradient in the velocity.
    pub(crate) share: T,
    /// Whether the gradient looks one step ahead.
    pub(crate) nesterov: bool,
    /// -learning rate.
    pub(crate) rate: T,
}

/// A step of Adam.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Adam<T> {
    /// The share of the parameter that is added to its gradient; none if that is 0.
    pub(crate) weight_decay: Option<T>,
    /// What multiplies the parameter first, 1 without a decay of its own.
    pub(crate) shrink: T,
    /// 1 - beta1: the share of the gradient in the mean.
    pub(crate) mean_share: T,
    /// beta2: what remains of the mean square.
    pub(crate) square_kept: T,
    /// 1 - beta2: the share of the gradient's square.
    pub(crate) square_share: T,
    /// The root of 1 - beta2^step.
    pub(crate) root: T,
    /// Is added to the root of the mean square.
    pub(crate) eps: T,
    /// -learning rate / (1 - beta1^step).
    pub(crate) rate: T,
    /// Whether roots are those of Intel's library.
    pub(crate) library_roots: bool,
}

impl<T: Real> Adam<T> {
    /// What the means are divided by, from the mean squares.
    #[inline(always)]
    pub(crate) fn sizes(&self, squares: &[T], out: &mut [T]) {
        match self.library_roots {
            true => library_roots(squares, out),
            false => out.iter_mut().zip(squares).for_each(|(out, square)| *out = square.sqrt()),
        }
        out.iter_mut().for_each(|out| *out = *out / self.root + self.eps);
    }

    #[inline(always)]
    fn mean(&self, mean: T, grad: T) -> T {
        let share = self.mean_share;
        if share.abs() < T::from_f64(0.5) {
            share.fma(grad - mean, mean)
        } else {
            (-(grad - mean)).fma(T::ONE - share, grad)
        }
    }

    #[inline(always)]
    fn square(&self, square: T, grad: T) -> T {
        (self.square_share * grad).fma(grad, square * self.square_kept)
    }
}

/// A gradient plus a share of the parameter.
#[inline(always)]
pub(crate) fn with_decay<T: Real>(param: T, grad: T, share: Option<T>) -> T {
    share.map_or(grad, |share| grad + param * share)
}

simd! {
    /// param + rate grad, in place; all slices of one length.
    pub(crate) fn sgd<'a, T>(rule: Sgd<T>, param: &'a mut [T], grad: &'a [T]) -> () {
        for (param, &grad) in param.iter_mut().zip(grad) {
            *param += with_decay(*param, grad, rule.weight_decay) * rule.rate;
        }
    }
}

simd! {
    /// The same with a velocity, in place too.
    pub(crate) fn sgd_momentum<'a, T>(
        rule: Sgd<T>, param: &'a mut [T], grad: &'a [T], velocity: &'a mut [T]
    ) -> () {
        for ((param, &grad), velocity) in param.iter_mut().zip(grad).zip(velocity) {
            let grad = with_decay(*param, grad, rule.weight_decay);
            let now = *velocity * rule.momentum + grad * rule.share;
            *velocity = now;
            let along = if rule.nesterov { grad + now * rule.momentum } else { now };
            *param += along * rule.rate;
        }
    }
}

simd! { wide:
    /// One step of Adam, in place; all slices of one length.
    pub(crate) fn adam<'a, T>(
        rule: Adam<T>, param: &'a mut [T], grad: &'a [T], mean: &'a mut [T], square: &'a mut [T]
    ) -> () {
        let mut sizes = [T::ZERO; BLOCK];
        let given = param.chunks_mut(BLOCK).zip(grad.chunks(BLOCK));
        let kept = mean.chunks_mut(BLOCK).zip(square.chunks_mut(BLOCK));
        for ((param, grad), (mean, square)) in given.zip(kept) {
            for (((param, &grad), mean), square) in param.iter().zip(grad).zip(&mut *mean).zip(&mut *square) {
                let grad = with_decay(*param, grad, rule.weight_decay);
                *mean = rule.mean(*mean, grad);
                *square = rule.square(*square, grad);
            }
            let sizes = &mut sizes[..param.len()];
            rule.sizes(square, sizes);
            for ((param, mean), &size) in param.iter_mut().zip(mean).zip(&*sizes) {
                *param = *param * rule.shrink + rule.rate * *mean / size;
            }
        }
    }
}
