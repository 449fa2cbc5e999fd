//! The rule of attention: operands are read where they lie, and each gradient lies in memory as its operand does.

use super::step::{BackwardStep, Gradients};
use crate::in_floats;
use crate::kernel::attention::backward::backward;
use crate::kernel::attention::{AttentionGradients, GradientInputs, Mask, Operands};
use crate::kernel::buffer_pool;
use crate::tensor::layout::broadcast;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::ops::strides;
use crate::tensor::{Buffer, DType, Layout, Result, Storage, Tensor, ops};

pub(crate) fn attention(step: &BackwardStep, grad: Tensor) -> Result<Gradients> {
    let (query, key, value) = (step.tensor("query")?, step.tensor("key")?, step.tensor("value")?);
    let mask = step.opt_tensor("attn_mask")?;
    let width = query.shape().last().copied().unwrap_or(1);
    let scale = step.number("scale").unwrap_or(1.0 / (width as f64).sqrt());
    let shared = step.bool("enable_gqa") && query.ndim() > 2 && key.ndim() > 2;
    let lead = |x: &Tensor| x.shape()[..x.ndim() - 2].to_vec();
    // Dimensions before queries and keys: those of keys and values have their own number of heads.
    let (of_query, of_keys) = if shared {
        let outer = |x: &Tensor| x.shape()[..x.ndim() - 3].to_vec();
        let all = broadcast(&outer(query), &broadcast(&outer(key), &outer(value))?)?;
        let with = |x: &Tensor| [&all[..], &x.shape()[x.ndim() - 3..x.ndim() - 2]].concat();
        (with(query), with(key))
    } else {
        let all = broadcast(&lead(query), &broadcast(&lead(key), &lead(value))?)?;
        (all.clone(), all)
    };
    let wide = |x: &Tensor, lead: &[usize]| {
        let shape = [lead, &x.shape()[x.ndim() - 2..]].concat();
        x.with_layout(x.layout().broadcast_to(&shape))
    };
    let dtype = query.dtype();
    let (query, key, value) = (wide(query, &of_query), wide(key, &of_keys), wide(value, &of_keys));
    let grad = wide(&to_dtype(&grad, dtype), &of_query);
    let rows = [query.shape()[query.ndim() - 2], key.shape()[key.ndim() - 2]];
    let scores = [&of_query[..], &rows].concat();
    in_floats!(dtype, T => {
        let added;
        let mask = match mask {
            Some(mask) => {
                let mask = mask.with_layout(mask.layout().broadcast_to(&scores));
                added = match (mask.dtype() == DType::Bool, step.bool("is_causal")) {
                    (true, false) => mask,
                    (false, false) => to_dtype(&mask, dtype),
                    (_, true) => T::tensor(ops::mask::with_causal(&mask, rows[0], rows[1]), mask.shape(), dtype),
                };
                Some(&added)
            }
            None => None,
        };
        run::<T>(step, [query, key, value, grad], mask, &scores, scale)
    })
}

/// A tensor with four dimensions, of [`four_sizes`]. Copies only where the first ones cannot be merged.
fn four(x: &Tensor) -> Tensor {
    ops::reshape(x, &four_sizes(x.shape()))
}

/// Memory for a gradient: elements, and their layout with the dimensions in the order of the operand's memory.
fn target<T: Float>(like: &Tensor) -> (Vec<T>, Layout) {
    (buffer_pool::filled(like.numel(), T::ZERO), like.layout().preserved())
}

/// The gradients of queries, keys and values that have all their dimensions, and that of the result with them; `scores` is
/// the shape of the scores.
fn run<T: Float>(
    step: &BackwardStep,
    operands: [Tensor; 4],
    mask: Option<&Tensor>,
    scores: &[usize],
    scale: f64,
) -> Result<Gradients> {
    let (dtype, of_mask) = (operands[0].dtype(), step.wants("attn_mask"));
    let straight = |x: Tensor| if x.numel() == 0 { ops::contiguous(&x) } else { x };
    let [query, key, value, grad] = operands.each_ref().map(|x| straight(four(x)));
    let ((mut q, q_at), (mut k, k_at), (mut v, v_at)) =
        (target::<T>(&query), target::<T>(&key), target::<T>(&value));
    let noise = step.kept(0)?.map(|noise| four(&noise.with_layout(noise.layout().broadcast_to(scores))));
    let mask = mask.map(four);
    let scores_at = Layout::contiguous(four_sizes(scores));
    let mut of_scores: Vec<T> = if of_mask { vec![T::ZERO; scores_at.numel()] } else { Vec::new() };
    {
        let data = [&query, &key, &value, &grad].map(|x| x.storage().read());
        let [of_query, of_key, of_value, of_grad] = std::array::from_fn(|at| T::elements(&data[at]));
        let x = Operands {
            q: strides::four(of_query, query.layout()),
            k: strides::four(of_key, key.layout()),
            v: strides::four(of_value, value.layout()),
        };
        let grad = strides::four(of_grad, grad.layout());
        let noise_data = noise.as_ref().map(|noise| noise.storage().read());
        let noise = noise.as_ref().zip(noise_data.as_deref());
        let noise = noise.map(|(noise, data)| strides::four(T::elements(data), noise.layout()));
        let mask_data = mask.as_ref().map(|mask| mask.storage().read());
        let mask = match mask.as_ref().zip(mask_data.as_deref()) {
            None if step.bool("is_causal") => Mask::Causal,
            None => Mask::None,
            Some((mask, Buffer::Bool(keep))) => Mask::Keep(strides::four(keep, mask.layout())),
            Some((mask, data)) => Mask::Added(strides::four(T::elements(data), mask.layout())),
        };
        let given = GradientInputs { x, grad, noise, scale: T::from_f64(scale), mask };
        let to = AttentionGradients {
            q: strides::four_mut(&mut q, &q_at),
            k: strides::four_mut(&mut k, &k_at),
            v: strides::four_mut(&mut v, &v_at),
            mask: if of_mask { Some(strides::four_mut(&mut of_scores, &scores_at)) } else { None },
        };
        backward(&given, to);
    }
    let tensor = |values: Vec<T>, layout: Layout, shape: &[usize]| {
        let mut buffer = T::buffer(values);
        buffer.round_to(dtype);
        let mut layout = layout;
        while layout.ndim() > shape.len() {
            layout = layout.select(0, 0);
        }
        let found = Tensor::from_parts(Storage::new(buffer), layout, dtype);
        if found.shape() == shape { found } else { ops::reshape(&found, shape) }
    };
    let grads = Gradients::of("query", tensor(q, q_at, operands[0].shape()))
        .and("key", tensor(k, k_at, operands[1].shape()))
        .and("value", tensor(v, v_at, operands[2].shape()));
    Ok(if of_mask { grads.and("attn_mask", tensor(of_scores, scores_at, scores)) } else { grads })
}

/// A shape with four sizes: 1 for each that is missing, and the first ones multiplied.
fn four_sizes(shape: &[usize]) -> Vec<usize> {
    let (outer, inner) = shape.split_at(shape.len().saturating_sub(3));
    let mut sizes = vec![1; 3 - inner.len()];
    sizes.push(outer.iter().product());
    sizes.extend(inner);
    sizes
}
