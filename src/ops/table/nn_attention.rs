//! `torch.nn.functional`: attention.

use super::functional::softmax_along;
use crate::in_floats;
use crate::kernel::attention::{Mask, Operands, fused};
use crate::kernel::{Real, buffer_pool};
use crate::ops::op::{Call, FUNCTIONAL, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{CostRule, Descriptor, GradName, OpFamily};
use crate::tensor::explanation::Explanation;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::ops::{self, draw, linear, pointwise, strides};
use crate::tensor::{
    Arg, Buffer, DType, Error, ErrorFact, ErrorKind, Layout, Result, Storage, Tensor, allow, refuse_if,
};

/// The arguments of attention.
struct AttentionArgs<'a> {
    query: &'a Tensor,
    key: &'a Tensor,
    value: &'a Tensor,
    mask: Option<&'a Tensor>,
    dropout: f64,
    causal: bool,
    scale: f64,
    shared_heads: bool,
}

/// softmax(scale Q Kᵀ + mask) V. (.., T, D), (.., S, D), (.., S, E) -> (.., T, E)
fn attention(c: &Call) -> Result<Value> {
    let (query, key, value) = (c.tensor(0)?, c.tensor(1)?, c.tensor(2)?);
    let width = query.shape().last().copied().unwrap_or(1);
    let asked = AttentionArgs {
        query,
        key,
        value,
        mask: c.opt_tensor(3),
        dropout: c.float(4)?,
        causal: c.bool(5),
        scale: c.opt_float(6).unwrap_or(1.0 / (width as f64).sqrt()),
        shared_heads: c.bool(7),
    };
    checked(&asked)?;
    // PyTorch checks the rows of the mask when it chooses its fast kernel.
    if let Some(mask) = asked.mask.filter(|mask| mask.ndim() == 1)
        && [query, key, value].iter().all(|x| x.ndim() == 4 && x.shape()[..2] == query.shape()[..2])
        && asked.dropout == 0.0
        && !mask.requires_grad()
    {
        return Err(Error::dim_range(-2, 1));
    }
    if streams(&asked, c.state.grad_mode.get()) {
        return Ok(in_floats!(query.dtype(), T => streamed::<T>(&asked))?.into());
    }
    materialised(c, &asked)
}

fn checked(asked: &AttentionArgs) -> Result<()> {
    let [query, key, value] = [asked.query, asked.key, asked.value];
    let name = |x: &Tensor| x.dtype().c_name();
    if query.dtype() != key.dtype() || query.dtype() != value.dtype() {
        return Err(Error::runtime(format!(
            "Expected query, key, and value to have the same dtype, but got query.dtype: {} key.dtype: {} and \
             value.dtype: {} instead.",
            name(query),
            name(key),
            name(value)
        )).about(ErrorFact::DifferentDtypes));
    }
    refuse_if!(
        query.ndim() < 2 || key.ndim() < 2 || value.ndim() < 2,
        "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: {} key.dim: {} and \
             value.dim: {} instead.",
        query.ndim(),
        key.ndim(),
        value.ndim()
    );
    match asked.mask {
        Some(mask)
            if !matches!(mask.dtype(), DType::Bool | DType::Float32) && mask.dtype() != query.dtype() =>
        {
            Err(Error::runtime(format!(
                "Expected attn_mask dtype to be bool or float or to match query dtype, but got attn_mask.dtype: {} and  \
                 query.dtype: {} instead.",
                name(mask),
                name(query)
            )))
        }
        _ => Ok(()),
    }
}

/// Whether PyTorch takes its CPU kernel that keeps no scores.
fn streams(asked: &AttentionArgs, records: bool) -> bool {
    let [q, k, v] = [asked.query, asked.key, asked.value].map(Tensor::shape);
    let four = q.len() == 4 && k.len() == 4 && v.len() == 4;
    if !four || asked.dropout > 0.0 || !asked.query.dtype().is_float() {
        return false;
    }
    let agree = q[..2] == k[..2] && q[..2] == v[..2] && q[3] == k[3] && q[3] == v[3] && k[2] == v[2];
    let straight = [asked.query, asked.key, asked.value].iter().all(|x| x.strides()[3] == 1);
    let some = q[2] > 0 && k[2] > 0 && q[0] * q[1] * q[3] > 0;
    agree && straight && some && asked.mask.is_none_or(|mask| fits(mask, q, k[2], records))
}

fn fits(mask: &Tensor, q: &[usize], keys: usize, records: bool) -> bool {
    let shape = mask.shape();
    if (records && mask.requires_grad()) || shape.len() < 2 {
        return false;
    }
    let one_or = |size: usize, wanted: usize| size == 1 || size == wanted;
    let tail = one_or(shape[shape.len() - 2], q[2]) && one_or(shape[shape.len() - 1], keys);
    tail && match shape {
        [_, _] => true,
        [batch, heads, _, _] => one_or(*batch, q[0]) && one_or(*heads, q[1]),
        _ => false,
    }
}

/// By the kernel that keeps no scores, which reads operands and mask where they lie. The result lies in memory as the
/// query does.
fn streamed<T: Float>(asked: &AttentionArgs) -> Result<Tensor> {
    let [query, key, value] = [asked.query, asked.key, asked.value];
    let mut out = buffer_pool::filled(allow(query.shape(), query.dtype())?, T::ZERO);
    let placed = query.layout().preserved();
    let (q, k, v) = (query.storage().read(), key.storage().read(), value.storage().read());
    let scores = [query.shape()[0], query.shape()[1], query.shape()[2], key.shape()[2]];
    let mut attend = |mask: &Mask<T>| {
        let operands = Operands {
            q: strides::four(T::elements(&q), query.layout()),
            k: strides::four(T::elements(&k), key.layout()),
            v: strides::four(T::elements(&v), value.layout()),
        };
        fused(operands, T::from_f64(asked.scale), mask, strides::four_mut(&mut out, &placed))
    };
    match asked.mask {
        None => attend(if asked.causal { &Mask::Causal } else { &Mask::None }),
        Some(mask) if asked.causal => {
            let seen = ops::contiguous(&mask.with_layout(mask.layout().broadcast_to(&scores)));
            let added = ops::mask::with_causal::<T>(&seen, scores[2], scores[3]);
            attend(&Mask::Added(strides::four(&added, &Layout::contiguous(scores))));
        }
        Some(mask) => {
            let data = mask.storage().read();
            let layout = mask.layout().broadcast_to(&scores);
            match &*data {
                Buffer::Bool(keep) => attend(&Mask::Keep(strides::four(keep, &layout))),
                added if mask.dtype().lane() == query.dtype().lane() => {
                    attend(&Mask::Added(strides::four(T::elements(added), &layout)));
                }
                _ => {
                    let (added, layout) =
                        (T::of(mask), Layout::contiguous(mask.shape()).broadcast_to(&scores));
                    attend(&Mask::Added(strides::four(&added, &layout)));
                }
            }
        }
    }
    let mut out = T::buffer(out);
    out.round_to(query.dtype());
    Ok(Tensor::from_parts(Storage::new(out), placed, query.dtype()))
}

/// The formula step by step, as PyTorch computes it where its kernel does not apply: half precision in single precision.
fn materialised(c: &Call, asked: &AttentionArgs) -> Result<Value> {
    let default = c.default_dtype();
    let given = asked.query.dtype();
    let dtype = if given.is_half() { DType::Float32 } else { given };
    let [query, key, value] = [asked.query, asked.key, asked.value].map(|x| to_dtype(x, dtype));
    let root = asked.scale.abs().sqrt();
    let times = |x: &Tensor, by: f64| {
        let product = pointwise::mul(&Arg::Tensor(x.clone()), &Arg::Float(by), default)?;
        Ok::<_, Error>(ops::strides::placed(product, &[x]))
    };
    let turned = |x: &Tensor| x.with_layout(x.layout().transpose(x.ndim() - 2, x.ndim() - 1));
    refuse_if!(
        asked.causal && asked.mask.is_some(),
        "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True"
    );
    let (key, value) =
        if asked.shared_heads { (shared(&query, &key)?, shared(&query, &value)?) } else { (key, value) };
    let query = times(&query, if asked.scale < 0.0 { -root } else { root })?;
    let key = times(&key, root)?;
    let mut scores = linear::matmul(&query, &turned(&key))?.0;
    let (rows, keys) = (scores.shape()[scores.ndim() - 2], scores.shape()[scores.ndim() - 1]);
    let added = match asked.mask {
        Some(mask) if mask.dtype() == DType::Bool => {
            Some(to_dtype(&Tensor::from_f32(ops::mask::added(mask), mask.shape()), dtype))
        }
        Some(mask) => Some(mask.clone()),
        None if asked.causal => {
            let hidden = |at: usize| if at % keys > at / keys { f32::NEG_INFINITY } else { 0.0 };
            Some(to_dtype(&Tensor::from_f32((0..rows * keys).map(hidden).collect(), [rows, keys]), dtype))
        }
        None => None,
    };
    if let Some(added) = added {
        let sum = pointwise::add(&Arg::Tensor(scores.clone()), &Arg::Tensor(added), default)?;
        if sum.shape() != scores.shape() {
            return Err(Error::output_shape(scores.shape(), sum.shape()));
        }
        scores = to_dtype(&sum, dtype);
    }
    let mut weights = safe_softmax(&scores)?;
    if asked.dropout > 0.0 {
        if asked.dropout > 1.0 {
            return Err(Error::dropout_probability(ErrorKind::Runtime, asked.dropout));
        }
        let noise = match asked.dropout < 1.0 {
            true => draw::dropout_noise(
                &weights,
                &mut c.state.generator.borrow_mut(),
                c.state.family_of(weights.numel())?,
                asked.dropout,
            )?,
            false => Tensor::zeros(weights.shape(), dtype)?,
        };
        weights = pointwise::mul(&Arg::Tensor(weights), &Arg::Tensor(noise.clone()), default)?;
        c.keep(noise);
    }
    let (out, name) = linear::matmul(&weights, &value)?;
    c.set_grad_name(if dtype == given { name } else { GradName::node("ToCopy") });
    Ok(to_dtype(&out, given).into())
}

/// Softmax along the last dimension; a row that is -inf throughout becomes zeros.
fn safe_softmax(scores: &Tensor) -> Result<Tensor> {
    let weights = softmax_along(scores, -1, None, false)?;
    let keys = scores.shape()[scores.ndim() - 1].max(1);
    Ok(in_floats!(scores.dtype(), T => {
        let mut out = T::of(&weights);
        for (out, row) in out.chunks_mut(keys).zip(T::of(scores).chunks(keys)) {
            if row.iter().all(|&x| x == T::NEG_INFINITY) {
                out.fill(T::ZERO);
            }
        }
        T::tensor(out, scores.shape(), scores.dtype())
    }))
}

/// Keys or values repeated so that every head of the query has its own.
fn shared(query: &Tensor, x: &Tensor) -> Result<Tensor> {
    if query.ndim() < 3 || x.ndim() < 3 {
        return Ok(x.clone());
    }
    let axis = x.ndim() - 3;
    let (heads, own) = (query.shape()[query.ndim() - 3], x.shape()[axis]);
    if own == 0 || !heads.is_multiple_of(own) {
        return Err(Error::runtime("Number of heads in key and value must divide the number of heads in "));
    }
    let mut wide = x.layout().unsqueeze(axis + 1);
    (wide.shape[axis + 1], wide.strides[axis + 1]) = (heads / own, 0);
    let mut shape = x.shape().to_vec();
    shape[axis] = heads;
    Ok(ops::reshape(&x.with_layout(wide), &shape))
}

rows![
    op(
        Descriptor::new("scaled_dot_product_attention", OpFamily::Attention, Explanation::Attention)
            .cost(CostRule::Attention)
            .grad("ScaledDotProductFlashAttentionForCpu"),
        FUNCTIONAL,
        attention
    )
    .forms(&["Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0.0, \
             bool is_causal=False, *, float? scale=None, bool enable_gqa=False"])
    .doc("softmax(scale Q Kᵀ + mask) V. (.., T, D), (.., S, D), (.., S, E) -> (.., T, E)")
    .autocast(autocast::lower_precision)
    .saving_result_if(|args| args[0].tensor().is_some_and(|query| query.ndim() == 4))
    .rule_in_one_pass(backward::attention::attention),
];
