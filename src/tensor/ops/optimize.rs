//! Steps of optimizers over many parameters at once: the elements are read and written once, by several threads if there
//! are many.

use std::cell::{Ref, RefMut};

use super::float::Float;
use crate::in_floats;
use crate::kernel::optimizer::{self, Adam, Sgd, with_decay};
use crate::kernel::threads;
use crate::tensor::{Buffer, DType, Tensor};

/// Elements of all parameters below which one thread does the step, and elements that a thread takes at a time.
const PARALLEL: usize = 1 << 16;
const PIECE: usize = 1 << 14;

/// What an optimizer does with one parameter.
#[derive(Clone, Copy, Debug)]
pub(crate) enum UpdateRule<T = f64> {
    /// The sum of the parameter and its gradient times a rate; with a velocity if one is kept.
    Sgd(Sgd<T>),
    /// By the mean of gradients and the mean of their squares.
    Adam(Adam<T>),
}

/// One parameter.
pub(crate) struct Moved {
    /// Is written.
    pub(crate) param: Tensor,
    pub(crate) grad: Tensor,
    /// What the optimizer keeps for it; is written too.
    pub(crate) kept: Vec<Tensor>,
    /// The number of steps so far, 0-d in single precision; is counted up.
    pub(crate) counter: Option<Tensor>,
    /// What is done.
    pub(crate) rule: UpdateRule,
}

impl Moved {
    /// Whether a step can read and write all its tensors as slices: of one shape, row-major, in one precision.
    pub(crate) fn fits(&self) -> bool {
        let (shape, dtype) = (self.param.shape(), self.param.dtype());
        matches!(dtype, DType::Float32 | DType::Float64)
            && self.tensors().all(|x| x.shape() == shape && x.dtype() == dtype && x.is_contiguous())
    }

    fn tensors(&self) -> impl Iterator<Item = &Tensor> {
        self.written().chain([&self.grad])
    }

    /// The tensors that the step writes.
    pub(crate) fn written(&self) -> impl Iterator<Item = &Tensor> {
        std::iter::once(&self.param).chain(&self.kept)
    }
}

/// The tensors of `moved` whose memory no other shares, and the places of the rest.
pub(crate) fn separate(moved: Vec<Moved>) -> (Vec<Moved>, Vec<Moved>) {
    let mut written: Vec<usize> =
        moved.iter().flat_map(Moved::written).map(|x| x.storage().address()).collect();
    written.sort_unstable();
    let times = |x: &Tensor| {
        let address = x.storage().address();
        written.partition_point(|&other| other <= address) - written.partition_point(|&other| other < address)
    };
    let alone = |one: &Moved| times(&one.grad) == 0 && one.written().all(|x| times(x) == 1);
    moved.into_iter().partition(alone)
}

/// Does the steps, of parameters that [fit](Moved::fits) and whose memory is [separate].
pub(crate) fn step(moved: &[Moved]) {
    in_precision::<f32>(moved, DType::Float32);
    in_precision::<f64>(moved, DType::Float64);
    for counter in moved.iter().filter_map(|one| one.counter.as_ref()) {
        if let Buffer::F32(data) = &mut *counter.storage().write() {
            data[counter.layout().offset] += 1.0;
        }
    }
}

/// What the mean of gradients is divided by in a step of Adam; the shape of `square`.
pub(crate) fn size(square: &Tensor, rule: &Adam<f64>) -> Tensor {
    in_floats!(square.dtype(), T => {
        let UpdateRule::Adam(rule) = UpdateRule::<T>::of(&UpdateRule::Adam(*rule)) else { unreachable!("the rule is Adam") };
        let squares = T::of(square);
        let mut values = squares.clone();
        rule.sizes(&squares, &mut values);
        T::tensor(values, square.shape(), square.dtype())
    })
}

/// What a step of SGD adds to a parameter that was `before`, without the rate; called after the step.
pub(crate) fn along(before: &Tensor, one: &Moved, rule: &Sgd<f64>) -> Tensor {
    in_floats!(before.dtype(), T => {
        let UpdateRule::Sgd(rule) = UpdateRule::<T>::of(&UpdateRule::Sgd(*rule)) else { unreachable!("the rule is SGD") };
        let mut values = T::of(&one.grad);
        let decayed = |(grad, param): (&mut T, T)| *grad = with_decay(param, *grad, rule.weight_decay);
        values.iter_mut().zip(T::of(before)).for_each(decayed);
        if let [velocity] = &one.kept[..] {
            let now = T::of(velocity);
            values.iter_mut().zip(now).for_each(|(grad, now)| {
                *grad = if rule.nesterov { *grad + now * rule.momentum } else { now };
            });
        }
        T::tensor(values, before.shape(), before.dtype())
    })
}

/// The elements of one parameter, or a piece of them.
struct ParameterSlice<'a, T> {
    param: &'a mut [T],
    grad: &'a [T],
    kept: Vec<&'a mut [T]>,
    rule: UpdateRule<T>,
}

impl<T: Float> UpdateRule<T> {
    /// A rule in the precision of the parameter.
    fn of(rule: &UpdateRule) -> Self {
        let n = T::from_f64;
        match *rule {
            UpdateRule::Sgd(Sgd { weight_decay, momentum, share, nesterov, rate }) => UpdateRule::Sgd(Sgd {
                weight_decay: weight_decay.map(n),
                momentum: n(momentum),
                share: n(share),
                nesterov,
                rate: n(rate),
            }),
            UpdateRule::Adam(rule) => UpdateRule::Adam(Adam {
                weight_decay: rule.weight_decay.map(n),
                shrink: n(rule.shrink),
                mean_share: n(rule.mean_share),
                square_kept: n(rule.square_kept),
                square_share: n(rule.square_share),
                root: n(rule.root),
                eps: n(rule.eps),
                rate: n(rule.rate),
                library_roots: rule.library_roots,
            }),
        }
    }
}

impl<'a, T: Float> ParameterSlice<'a, T> {
    /// Its elements in pieces of at most [`PIECE`].
    fn pieces(self) -> impl Iterator<Item = Self> {
        let mut grad = self.grad.chunks(PIECE);
        let mut kept: Vec<_> = self.kept.into_iter().map(|kept| kept.chunks_mut(PIECE)).collect();
        self.param.chunks_mut(PIECE).map(move |param| ParameterSlice {
            param,
            grad: grad.next().unwrap_or_default(),
            kept: kept.iter_mut().filter_map(Iterator::next).collect(),
            rule: self.rule,
        })
    }

    fn run(self) {
        let ParameterSlice { param, grad, mut kept, rule } = self;
        match (rule, &mut kept[..]) {
            (UpdateRule::Sgd(rule), []) => optimizer::sgd(rule, param, grad),
            (UpdateRule::Sgd(rule), [velocity, ..]) => optimizer::sgd_momentum(rule, param, grad, velocity),
            (UpdateRule::Adam(rule), [mean, square]) => optimizer::adam(rule, param, grad, mean, square),
            (UpdateRule::Adam(_), _) => unreachable!("Adam keeps two tensors"),
        }
    }
}

/// The buffers of one parameter while the step runs.
struct Open<'a> {
    param: RefMut<'a, Buffer>,
    grad: Ref<'a, Buffer>,
    kept: Vec<RefMut<'a, Buffer>>,
}

fn in_precision<T: Float>(moved: &[Moved], dtype: DType) {
    let moved: Vec<&Moved> =
        moved.iter().filter(|one| one.param.dtype() == dtype && one.param.numel() > 0).collect();
    let mut buffers: Vec<Open> = moved
        .iter()
        .map(|one| Open {
            param: one.param.storage().write(),
            grad: one.grad.storage().read(),
            kept: one.kept.iter().map(|kept| kept.storage().write()).collect(),
        })
        .collect();
    let range = |x: &Tensor| x.layout().run();
    let whole = moved.iter().zip(&mut buffers).map(|(one, open)| ParameterSlice {
        param: &mut T::written(&mut open.param)[range(&one.param)],
        grad: &T::elements(&open.grad)[range(&one.grad)],
        kept: (open.kept.iter_mut().zip(&one.kept))
            .map(|(open, kept)| &mut T::written(open)[range(kept)])
            .collect(),
        rule: UpdateRule::of(&one.rule),
    });
    if moved.iter().map(|one| one.param.numel()).sum::<usize>() < PARALLEL {
        return whole.for_each(ParameterSlice::run);
    }
    let pieces: Vec<_> = whole.flat_map(ParameterSlice::pieces).collect();
    threads::share(pieces.into_iter(), ParameterSlice::run);
}
