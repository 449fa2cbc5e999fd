//! Losses over classes: the negative log likelihood and what is built on it.
//! Source: `torch.nn.functional.nll_loss`, in the order PyTorch's CPU kernel adds.

use super::float::{Float, Reduction};
use crate::kernel::loss::{ClassValues, NllOptions, nll as kernel_nll, nll_total};
use crate::kernel::softmax;
use crate::tensor::{DType, Error, ErrorFact, Result, Tensor};

/// Options of a loss over classes.
pub(crate) struct Classes<'a> {
    pub(crate) weight: Option<&'a Tensor>,
    /// A target that does not count.
    pub(crate) ignored: i64,
    /// How the losses become the result.
    pub(crate) reduction: Reduction,
}

/// Checks the targets for an input of shape (batch, classes, ..) or (classes). Errors: as `F.nll_loss`.
pub(crate) fn check(input: &Tensor, target: &Tensor, weight: Option<&Tensor>) -> Result<()> {
    let (shape, wanted) = (input.shape(), target.shape());
    if input.ndim() == 0 {
        return Err(Error::value(format!("Expected 1 or more dimensions (got {})", input.ndim())));
    }
    let targets = wanted.first().copied().unwrap_or(0);
    if input.ndim() > 1 && wanted.first() != Some(&shape[0]) {
        let message =
            format!("Expected input batch_size ({}) to match target batch_size ({targets}).", shape[0]);
        return Err(Error::value(message).about(ErrorFact::TargetSizes));
    }
    if target.dtype() != DType::Int64 {
        if input.ndim() <= 2 && target.ndim() > 1 {
            return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported"));
        }
        return Err(Error::runtime(format!(
            "expected scalar type Long but found {}",
            target.dtype().cpp_name()
        )));
    }
    let classes = if input.ndim() == 1 { shape[0] } else { shape[1] };
    if input.ndim() <= 2 {
        if target.ndim() > 1 {
            return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported")
                .about(ErrorFact::TargetSizes));
        }
        if input.ndim() == 1 && target.ndim() == 1 && [wanted, shape] != [[1]; 2] {
            return Err(Error::runtime(format!("size mismatch (got input: {shape:?}, target: {wanted:?})")));
        }
    } else {
        let expected: Vec<usize> = shape[..1].iter().chain(&shape[2..]).copied().collect();
        if expected != wanted {
            return Err(Error::runtime(format!("Expected target size {expected:?}, got {wanted:?}"))
                .about(ErrorFact::TargetSizes));
        }
    }
    if let Some(weight) = weight.filter(|weight| weight.ndim() != 1 || weight.numel() != classes) {
        return Err(Error::runtime(format!(
            "weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of \
             shape: {:?}",
            weight.shape()
        )));
    }
    Ok(())
}

/// -weight[t] * input[t] for each target t, reduced. (batch, classes, ..) x (batch, ..) -> () or (batch, ..)
pub(crate) fn nll<T: Float>(input: &Tensor, target: &Tensor, asked: &Classes) -> Result<Tensor> {
    of_classes(&ClassValues::new(&T::row_major(input), input.shape()), input.dtype(), target, asked)
}

/// [`nll`] of the log-softmax of logits of shape (classes) or (batch, classes), without making the log-softmax; and what
/// the logits of each row have to lose for it.
pub(crate) fn of_logits<T: Float>(
    logits: &Tensor,
    target: &Tensor,
    asked: &Classes,
) -> Result<(Tensor, Vec<[T; 2]>)> {
    let values = T::row_major(logits);
    let totals = softmax::log_totals(&values, logits.shape().last().copied().unwrap_or(1));
    let x = ClassValues::of_logits(&values, &totals, logits.shape());
    Ok((of_classes(&x, logits.dtype(), target, asked)?, totals))
}

fn of_classes<T: Float>(
    x: &ClassValues<T>,
    dtype: DType,
    target: &Tensor,
    asked: &Classes,
) -> Result<Tensor> {
    let (targets, weight) = (target.to_i64_vec(), asked.weight.map(T::of));
    let options = NllOptions { weight: weight.as_deref(), ignored: asked.ignored };
    let no_class = |target: i64| Error::index(format!("Target {target} is out of bounds."));
    if asked.reduction == Reduction::None {
        let losses = kernel_nll(x, &targets, &options).map_err(no_class)?;
        return Ok(T::tensor(losses, target.shape(), dtype));
    }
    let (sum, weight) = nll_total(x, &targets, &options).map_err(no_class)?;
    let loss = if asked.reduction == Reduction::Mean { sum / weight } else { sum };
    Ok(T::tensor(vec![loss], [], dtype))
}
