//! `torch.nn.functional`: losses.

use super::functional::softmax_along;
use crate::in_floats;
use crate::kernel::Real;
use crate::ops::op::{Call, FUNCTION, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily};
use crate::tensor::explanation::{Explanation, LossKind};
use crate::tensor::layout::broadcast;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::{Float, Reduction, only_floats, reduced};
use crate::tensor::ops::loss::{self, Classes};
use crate::tensor::ops::pointwise::zipped;
use crate::tensor::ops::strides::placed;
use crate::tensor::{Arg, DType, Error, Result, Tensor, refuse_if};

fn reduction(c: &Call, at: usize) -> Result<Reduction> {
    Reduction::named(c.opt_str(at).unwrap_or("mean"))
}

fn cross_entropy(c: &Call) -> Result<Value> {
    let (x, target, weight) = (c.tensor(0)?, c.tensor(1)?, c.opt_tensor(2));
    let asked = Classes { weight, ignored: c.int(4)?, reduction: reduction(c, 6)? };
    let axis = if x.ndim() == 1 { 0 } else { 1 };
    refuse_if!(x.ndim() == 0, "Dimension out of range (expected to be in range of [-1, 0], but got 1)");
    // Two passes over the logits, and no copy of their size. In half precision the log-softmax is rounded first.
    if x.ndim() <= 2 && matches!(x.dtype(), DType::Float32 | DType::Float64) {
        loss::check(x, target, weight)?;
        c.set_grad_name(nll_name(x, asked.reduction));
        return Ok(in_floats!(x.dtype(), T => {
            let (found, totals) = loss::of_logits::<T>(x, target, &asked)?;
            c.keep_rows(&totals);
            found
        })
        .into());
    }
    let logs = softmax_along(x, axis, None, true)?;
    loss::check(x, target, weight)?;
    c.set_grad_name(nll_name(x, asked.reduction));
    Ok(in_floats!(x.dtype(), T => loss::nll::<T>(&logs, target, &asked))?.into())
}

/// Whether the target is a share of each class, or is smoothed to one.
fn has_shares(args: &[Arg]) -> bool {
    let (Some(x), Some(target)) = (args[0].tensor(), args[1].tensor()) else { return false };
    let is_smoothed = args[7].number().is_some_and(|smoothing| smoothing != 0.0);
    x.ndim() > 0 && (is_smoothed || x.shape() == target.shape())
}

fn nll_name(x: &Tensor, reduction: Reduction) -> GradName {
    match (x.ndim(), reduction) {
        (..=2, _) => GradName::node("NllLoss"),
        (4, _) => GradName::node("NllLoss2D"),
        (_, Reduction::None) => GradName::node("View"),
        _ => GradName::node("NllLoss2D"),
    }
}

fn nll_loss(c: &Call) -> Result<Value> {
    let (x, target, weight) = (c.tensor(0)?, c.tensor(1)?, c.opt_tensor(2));
    let asked = Classes { weight, ignored: c.int(4)?, reduction: reduction(c, 6)? };
    loss::check(x, target, weight)?;
    only_floats("nll_loss_out_frame", x.dtype())?;
    c.set_grad_name(nll_name(x, asked.reduction));
    Ok(in_floats!(x.dtype(), T => loss::nll::<T>(x, target, &asked))?.into())
}

fn mse_loss(c: &Call) -> Result<Value> {
    let reduction = reduction(c, 4)?;
    let dtype = crate::tensor::ops::pointwise::common_dtype(&[c.arg(0), c.arg(1)], c.default_dtype());
    let shape = broadcast(c.tensor(0)?.shape(), c.tensor(1)?.shape())?;
    only_floats("mse_cpu", dtype)?;
    let x = to_dtype(c.tensor(0)?, dtype);
    let squares = zipped(&x, c.tensor(1)?, |a, b| (a - b) * (a - b), |a, b| (a - b) * (a - b))?;
    Ok(match reduction {
        Reduction::None => squares,
        _ => in_floats!(dtype, T => reduced(T::of(&squares), &shape, dtype, reduction)),
    }
    .into())
}

/// A tensor spread to a shape, as floats.
fn spread<T: Float>(x: &Tensor, shape: &[usize]) -> Result<Vec<T>> {
    let sizes: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    Ok(T::of(&crate::tensor::ops::expanded(x, &sizes)?))
}

fn with_logits(c: &Call) -> Result<Value> {
    let (x, target, positive) = (c.tensor(0)?, c.tensor(1)?, c.opt_tensor(6));
    let reduction = reduction(c, 5)?;
    if x.shape() != target.shape() {
        return Err(Error::value(format!(
            "Target size (torch.Size({:?})) must be the same as input size (torch.Size({:?}))",
            target.shape(),
            x.shape()
        )));
    }
    only_floats("log_sigmoid_cpu", x.dtype())?;
    // The loss is written over 1 - target, and so has its dtype.
    let dtype = target.dtype();
    if !dtype.is_float() {
        return Err(Error::uncastable(x.dtype(), dtype));
    }
    fn log_sigmoid<T: Real>(x: T) -> T {
        x.minimum(T::ZERO) - (-x.abs()).exp().log1p()
    }
    Ok(in_floats!(x.dtype(), T => {
        let (x_values, targets) = (T::of(x), T::of(target));
        let positive = positive.map(|positive| spread::<T>(positive, x.shape())).transpose()?;
        let mut losses: Vec<T> = Vec::with_capacity(x_values.len());
        for (at, (&x, &t)) in x_values.iter().zip(&targets).enumerate() {
            let mut log = log_sigmoid(x);
            if let Some(positive) = &positive {
                log *= (positive[at] - T::ONE) * t + T::ONE;
            }
            losses.push((T::ONE - t) * x - log);
        }
        to_dtype(&reduced(losses, x.shape(), x.dtype(), reduction), dtype)
    })
    .into())
}

fn binary_cross_entropy(c: &Call) -> Result<Value> {
    let (x, target) = (c.tensor(0)?, c.tensor(1)?);
    let reduction = reduction(c, 5)?;
    if x.shape() != target.shape() {
        return Err(Error::value(format!(
            "Using a target size (torch.Size({:?})) that is different to the input size (torch.Size({:?})) is \
             deprecated. Please ensure they have the same size.",
            target.shape(),
            x.shape()
        )));
    }
    refuse_if!(
        x.dtype() != target.dtype(),
        "Found dtype {} but expected {}",
        target.dtype().cpp_name(),
        x.dtype().cpp_name()
    );
    only_floats("binary_cross_entropy", x.dtype())?;
    fn of<T: Real>(x: T, t: T) -> T {
        let least = T::from_f64(-100.0);
        let held = |x: T| if x < least { least } else { x };
        (t - T::ONE) * held((-x).log1p()) - t * held(x.log())
    }
    let out = in_floats!(x.dtype(), T => {
        let (x_values, targets) = (T::of(x), T::of(target));
        if x_values.iter().any(|x| !(0.0..=1.0).contains(x)) {
            return Err(Error::runtime("all elements of input should be between 0 and 1"));
        }
        let losses = x_values.iter().zip(&targets).map(|(&x, &t)| of(x, t)).collect();
        reduced(losses, x.shape(), x.dtype(), reduction)
    });
    Ok(if reduction == Reduction::None { placed(out, &[x, target]) } else { out }.into())
}

const fn loss_of(name: &'static str, kind: LossKind) -> Descriptor {
    Descriptor::new(name, OpFamily::Loss, Explanation::Loss(kind))
}

rows![
    op(loss_of("cross_entropy", LossKind::CrossEntropy).grad("NllLoss"), FUNCTIONAL, cross_entropy)
        .forms(&["Tensor input, Tensor target, Tensor? weight=None, only size_average=None, \
             int ignore_index=-100, only reduce=None, str reduction='mean', float label_smoothing=0.0"])
        .doc("How surprised softmax(input) is by the targets, in nats. (batch, classes, ..) x (batch, ..)")
        .autocast(autocast::float32)
        .composed_if(has_shares)
        .rule_in_one_pass(backward::losses::cross_entropy),
    op(loss_of("nll_loss", LossKind::NegativeLogLikelihood).grad("NllLoss"), FUNCTIONAL, nll_loss)
        .forms(&["Tensor input, Tensor target, Tensor? weight=None, only size_average=None, \
             int ignore_index=-100, only reduce=None, str reduction='mean'"])
        .doc("Minus the log-probability of the targets. (batch, classes, ..) x (batch, ..)")
        .autocast(autocast::float32)
        .rule_in_one_pass(backward::losses::nll_loss),
    op(loss_of("mse_loss", LossKind::Squared).grad("MseLoss"), FUNCTIONAL, mse_loss)
        .forms(&[concat!("Tensor input, Tensor target, ", reduced!(), ", only weight=None")])
        .doc("The mean of the squared differences.")
        .autocast(autocast::float32)
        .rule(backward::losses::mse_loss),
    op(
        loss_of("binary_cross_entropy_with_logits", LossKind::WithLogits)
            .grad("BinaryCrossEntropyWithLogits"),
        FUNCTION | FUNCTIONAL,
        with_logits
    )
    .forms(&[concat!(
        "Tensor input, Tensor target, only weight=None, ",
        reduced!(),
        ", Tensor? pos_weight=None"
    )])
    .doc("binary_cross_entropy of sigmoid(input), without overflow.")
    .autocast(autocast::float32),
    op(
        loss_of("binary_cross_entropy", LossKind::Other).grad("BinaryCrossEntropy"),
        FUNCTIONAL,
        binary_cross_entropy
    )
    .forms(&[concat!("Tensor input, Tensor target, only weight=None, ", reduced!())])
    .doc("How surprised the probabilities are by targets between 0 and 1, in nats.")
    .autocast(autocast::float32),
];
