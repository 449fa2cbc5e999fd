//! Losses over classes: the negative log likelihood and what is built on it.
//! Source: `torch.nn.functional.nll_loss`, in the order PyTorch's CPU kernel adds.

use super::float::{Float, Reduction, total};
use crate::kernel::Real;
use crate::tensor::{DType, Error, Result, Tensor};

/// Levels of the cascade in which the losses are added.
const LEVELS: usize = 8;

/// What a loss over classes is asked for.
pub struct Classes<'a> {
    /// The weight of each class.
    pub weight: Option<&'a Tensor>,
    /// The target that does not count.
    pub ignored: i64,
    /// How it is brought to one number.
    pub reduction: Reduction,
}

/// Errors: targets that do not go with an input of shape (batch, classes, ..) or (classes).
pub fn check(input: &Tensor, target: &Tensor, weight: Option<&Tensor>) -> Result<()> {
    let (shape, wanted) = (input.shape(), target.shape());
    if input.ndim() == 0 {
        return Err(Error::value(format!("Expected 1 or more dimensions (got {})", input.ndim())));
    }
    if input.ndim() > 1 && shape[0] != wanted.first().copied().unwrap_or(1) {
        return Err(Error::value(format!(
            "Expected input batch_size ({}) to match target batch_size ({}).",
            shape[0],
            wanted.first().copied().unwrap_or(1)
        )));
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
            return Err(Error::runtime("0D or 1D target tensor expected, multi-target not supported"));
        }
        if input.ndim() == 1 && target.ndim() == 1 && wanted[0] != 1 {
            return Err(Error::runtime(format!("size mismatch (got input: {shape:?}, target: {wanted:?})")));
        }
    } else {
        let expected: Vec<usize> = shape[..1].iter().chain(&shape[2..]).copied().collect();
        if expected != wanted {
            return Err(Error::runtime(format!("Expected target size {expected:?}, got {wanted:?}")));
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
pub fn nll<T: Float>(input: &Tensor, target: &Tensor, asked: &Classes) -> Result<Tensor> {
    let shape = input.shape();
    let (batch, classes, inner) = match shape {
        [classes] => (1, *classes, 1),
        [batch, classes, inner @ ..] => (*batch, *classes, inner.iter().product::<usize>()),
        [] => (0, 0, 0),
    };
    let (values, targets, weight) = (T::seen(input), target.to_i64_vec(), T::of_some(asked.weight));
    let count = batch * inner;
    let power = 4.max(ceil_log2(count) / LEVELS);
    let mask = (1usize << power) - 1;
    let mut losses = vec![T::ZERO; if asked.reduction == Reduction::None { count } else { 0 }];
    let (mut partial, mut weights) = ([T::ZERO; LEVELS], [T::ZERO; LEVELS]);
    let mut ignored = 0;
    for (at, &target) in targets.iter().enumerate().take(count) {
        if target == asked.ignored {
            ignored += 1;
            continue;
        }
        if target < 0 || target >= classes as i64 {
            return Err(Error::index(format!("Target {target} is out of bounds.")));
        }
        let class = target as usize;
        let value = values[(at / inner * classes + class) * inner + at % inner];
        let scale = weight.as_ref().map_or(T::ONE, |weight| weight[class]);
        if asked.reduction == Reduction::None {
            losses[at] = -(value * scale);
            continue;
        }
        partial[0] -= value * scale;
        weights[0] += scale;
        for level in 0..LEVELS - 1 {
            if at & (mask << (level * power)) != 0 {
                break;
            }
            for sums in [&mut partial, &mut weights] {
                let below = std::mem::replace(&mut sums[level], T::ZERO);
                sums[level + 1] += below;
            }
        }
    }
    let dtype = input.dtype();
    if asked.reduction == Reduction::None {
        return Ok(T::tensor(losses, target.shape(), dtype));
    }
    let sum = partial.iter().fold(T::ZERO, |sum, &part| sum + part);
    let loss = match asked.reduction {
        Reduction::Mean => {
            let weight = match weight {
                Some(_) => weights.iter().fold(T::ZERO, |sum, &part| sum + part),
                None => T::from_f64((count - ignored) as f64),
            };
            sum / weight
        }
        _ => sum,
    };
    Ok(T::tensor(vec![loss], [], dtype))
}

fn ceil_log2(n: usize) -> usize {
    if n <= 2 { 1 } else { (usize::BITS - (n - 1).leading_zeros()) as usize }
}

/// Cross entropy with smoothed targets; `logs` is the input's log-softmax.
pub fn smoothed<T: Float>(logs: &Tensor, target: &Tensor, asked: &Classes, smoothing: f64) -> Result<Tensor> {
    let hard = nll::<T>(logs, target, asked)?;
    let shape = logs.shape();
    let (classes, inner) = match shape {
        [classes] => (*classes, 1),
        [_, classes, inner @ ..] => (*classes, inner.iter().product::<usize>()),
        [] => (1, 1),
    };
    let (values, targets, weight) = (T::seen(logs), target.to_i64_vec(), T::of_some(asked.weight));
    let mut smooth = Vec::with_capacity(targets.len());
    let mut weights = Vec::new();
    for (at, &target) in targets.iter().enumerate() {
        let row: Vec<T> = (0..classes)
            .map(|class| {
                let value = values[(at / inner * classes + class) * inner + at % inner];
                weight.as_ref().map_or(value, |weight| value * weight[class])
            })
            .collect();
        let counts = target != asked.ignored;
        smooth.push(if counts { -total(&row) } else { T::ZERO });
        if counts {
            weights.push(weight.as_ref().map_or(T::ONE, |weight| weight[target as usize]));
        }
    }
    let share = T::from_f64(smoothing / classes as f64);
    let rest = T::from_f64(1.0 - smoothing);
    let dtype = logs.dtype();
    let hard = T::of(&hard);
    Ok(match asked.reduction {
        Reduction::None => {
            let mixed =
                hard.iter().zip(&smooth).map(|(&hard, &smooth)| rest * hard + smooth * share).collect();
            T::tensor(mixed, target.shape(), dtype)
        }
        Reduction::Sum => T::tensor(vec![rest * hard[0] + total(&smooth) * share], [], dtype),
        Reduction::Mean => {
            T::tensor(vec![rest * hard[0] + total(&smooth) / total(&weights) * share], [], dtype)
        }
    })
}

/// Cross entropy with a probability for each class; `logs` is the input's log-softmax.
pub fn expected<T: Float>(logs: &Tensor, target: &Tensor, asked: &Classes, smoothing: f64) -> Tensor {
    let shape = logs.shape();
    let (batch, classes, inner) = match shape {
        [classes] => (1, *classes, 1),
        [batch, classes, inner @ ..] => (*batch, *classes, inner.iter().product::<usize>()),
        [] => (1, 1, 1),
    };
    let (values, mut target, weight) = (T::of(logs), T::of(target), T::of_some(asked.weight));
    if smoothing > 0.0 {
        for p in &mut target {
            *p = *p * T::from_f64(1.0 - smoothing) + T::from_f64(smoothing / classes as f64);
        }
    }
    let product = |at: usize| {
        let value = values[at] * target[at];
        weight.as_ref().map_or(value, |weight| value * weight[at / inner % classes])
    };
    let products: Vec<T> = (0..values.len()).map(product).collect();
    let dtype = logs.dtype();
    match asked.reduction {
        Reduction::None => {
            let mut kept = shape.to_vec();
            kept.remove(if kept.len() == 1 { 0 } else { 1 });
            let row = |at: usize| -> Vec<T> {
                (0..classes)
                    .map(|class| products[(at / inner * classes + class) * inner + at % inner])
                    .collect()
            };
            T::tensor((0..batch * inner).map(|at| -total(&row(at))).collect(), kept, dtype)
        }
        Reduction::Sum => T::tensor(vec![-total(&products)], [], dtype),
        Reduction::Mean => T::tensor(
            vec![-total(&products) / <T as Real>::from_f64((values.len() / classes.max(1)) as f64)],
            [],
            dtype,
        ),
    }
}
