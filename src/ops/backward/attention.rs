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
    let noise = step.kept(0)?;
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
    let of_mask = step.wants("attn_mask");
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
        let asked = AttentionOperands { query, key, value, grad, mask, causal: step.bool("is_causal"), noise, scores };
        run::<T>(&asked, scale, of_mask)
    })
}

/// Operands with all their dimensions.
struct AttentionOperands<'a> {
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad: Tensor,
    mask: Option<&'a Tensor>,
    causal: bool,
    noise: Option<&'a Tensor>,
    /// The shape of the scores.
    scores: Vec<usize>,
}

/// A tensor with four dimensions: one of size 1 for each that is missing, and the first ones merged. Copies only for that.
fn four(x: &Tensor) -> Tensor {
    let shape = x.shape();
    let mut layout = x.layout().clone();
    if shape.len() > 4 {
        let outer: usize = shape[..shape.len() - 3].iter().product();
        return ops::reshape(x, &[&[outer], &shape[shape.len() - 3..]].concat());
    }
    while layout.ndim() < 4 {
        layout = layout.unsqueeze(0);
    }
    x.with_layout(layout)
}

/// Memory for a gradient: elements, and their layout with the dimensions in the order of the operand's memory.
fn target<T: Float>(like: &Tensor) -> (Vec<T>, Layout) {
    (buffer_pool::filled(like.numel(), T::ZERO), like.layout().preserved())
}

fn run<T: Float>(asked: &AttentionOperands, scale: f64, of_mask: bool) -> Result<Gradients> {
    let dtype = asked.query.dtype();
    let [query, key, value, grad] = [&asked.query, &asked.key, &asked.value, &asked.grad].map(four);
    let straight = |x: Tensor| if x.numel() == 0 { ops::contiguous(&x) } else { x };
    let [query, key, value, grad] = [query, key, value, grad].map(straight);
    let ((mut q, q_at), (mut k, k_at), (mut v, v_at)) =
        (target::<T>(&query), target::<T>(&key), target::<T>(&value));
    let noise = asked.noise.map(|noise| four(&noise.with_layout(noise.layout().broadcast_to(&asked.scores))));
    let mask = asked.mask.map(four);
    let scores = Layout::contiguous(four_sizes(&asked.scores));
    let mut of_scores: Vec<T> = if of_mask { vec![T::ZERO; scores.numel()] } else { Vec::new() };
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
            None if asked.causal => Mask::Causal,
            None => Mask::None,
            Some((mask, Buffer::Bool(keep))) => Mask::Keep(strides::four(keep, mask.layout())),
            Some((mask, data)) => Mask::Added(strides::four(T::elements(data), mask.layout())),
        };
        let given = GradientInputs { x, grad, noise, scale: T::from_f64(scale), mask };
        let to = AttentionGradients {
            q: strides::four_mut(&mut q, &q_at),
            k: strides::four_mut(&mut k, &k_at),
            v: strides::four_mut(&mut v, &v_at),
            mask: if of_mask { Some(strides::four_mut(&mut of_scores, &scores)) } else { None },
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
    let grads = Gradients::of("query", tensor(q, q_at, asked.query.shape()))
        .and("key", tensor(k, k_at, asked.key.shape()))
        .and("value", tensor(v, v_at, asked.value.shape()));
    Ok(match of_mask {
        true => grads.and("attn_mask", tensor(of_scores, scores, &asked.scores)),
        false => grads,
    })
}

/// A shape with four sizes: 1 for each that is missing, and the first ones multiplied.
fn four_sizes(shape: &[usize]) -> Vec<usize> {
    let missing = 4usize.saturating_sub(shape.len());
    let merged = shape.len() - shape.len().min(3);
    let outer = shape[..merged].iter().product::<usize>();
    [&vec![1; missing.min(3)][..], &if merged > 0 { vec![outer] } else { vec![] }, &shape[merged..]].concat()
}
