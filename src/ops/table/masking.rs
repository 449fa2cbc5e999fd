//! Masks, and copies with one part replaced.

use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, ShapeRule, indexed, whole};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::ops::{along, mask, sorting};
use crate::tensor::{Arg, DType, Error, ErrorFact, Result, Tensor, refuse_if};

fn only_bools(name: &str, mask: &Tensor) -> Result<()> {
    if mask.dtype() == DType::Bool {
        return Ok(());
    }
    let found = mask.dtype().c_name();
    let message = format!("{name} only supports boolean masks, but got mask with dtype {found}");
    Err(Error::runtime(message).about(ErrorFact::MaskDtype))
}

/// Argument `at`, a number or a tensor of one, as a 0-d tensor of `dtype`. `grad_fn` shows `node` for a tensor.
pub(super) fn one_value(c: &Call, at: usize, dtype: DType, node: &'static str) -> Result<Tensor> {
    let mut value = c.arg(at).clone();
    if let Arg::Tensor(tensor) = &value {
        c.set_grad_name(GradName::Node(node, 1));
        refuse_if!(
            tensor.ndim() > 0,
            "{}_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
            c.op.name,
            tensor.ndim()
        );
        value = tensor.first();
    }
    mask::checked_number(&value, dtype)
}

fn masked_fill(c: &Call) -> Result<Value> {
    let (x, mask) = (c.tensor(0)?, c.tensor(1)?);
    let value = one_value(c, 2, x.dtype(), "MaskedFill")?;
    only_bools("masked_fill_", mask)?;
    if c.in_place {
        crate::tensor::layout::broadcast(x.shape(), mask.shape())?;
    }
    Ok(mask::masked_fill(x, mask, &value)?.into())
}

fn masked_select(c: &Call) -> Result<Value> {
    let (x, mask) = (c.tensor(0)?, c.tensor(1)?);
    refuse_if!(mask.dtype() != DType::Bool, "masked_select: expected BoolTensor for mask");
    Ok(along::masked_select(x, mask)?.into())
}

fn masked_scatter(c: &Call) -> Result<Value> {
    let (x, mask, source) = (c.tensor(0)?, c.tensor(1)?, c.tensor(2)?);
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "masked_scatter: expected self and source to have same dtypes but got{} and {}",
            x.dtype().cpp_name(),
            source.dtype().cpp_name()
        ))
        .about(ErrorFact::DifferentDtypes));
    }
    only_bools("masked_scatter_", mask)?;
    Ok(along::masked_scatter(x, mask, source)?.into())
}

fn nonzero(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if !c.bool(1) {
        return Ok(sorting::nonzero(x).into());
    }
    let x = if x.ndim() == 0 { x.with_layout(x.layout().unsqueeze(0)) } else { x.clone() };
    let all = sorting::nonzero(&x);
    Ok(Value::Tensors((0..x.ndim()).map(|axis| all.with_layout(all.layout().select(1, axis))).collect()))
}

rows![
    op(
        Descriptor::new("masked_fill", OpFamily::Index, Explanation::MaskedFill)
            .shapes(ShapeRule::Broadcast(0, 1))
            .grad("MaskedFill"),
        ALL,
        masked_fill
    )
    .forms(&["Tensor input, Tensor mask, Operand value"])
    .doc("value where the mask is True.")
    .rule(backward::pointwise::masked_fill),
    op(indexed("masked_select", Movement::Rearranged).grad("MaskedSelect"), BOTH, masked_select)
        .forms(&["Tensor input, Tensor mask"])
        .doc("The elements where the mask is True, as a vector."),
    op(indexed("masked_scatter", Movement::Rearranged).grad("MaskedScatter"), ALL, masked_scatter)
        .forms(&["Tensor input, Tensor mask, Tensor source"])
        .doc("source's elements, in their order, where the mask is True."),
    op(whole("nonzero", OpFamily::Index), BOTH, nonzero)
        .forms(&["Tensor input, *, bool as_tuple=False"])
        .doc("Where elements are not zero: a row of indices each."),
    op(whole("argwhere", OpFamily::Index), BOTH, |c| Ok(sorting::nonzero(c.tensor(0)?).into()))
        .doc("Where elements are not zero: a row of indices each."),
];
