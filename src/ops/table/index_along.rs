//! Operations along one dimension whose index is a vector: `index_select`, `index_add` and their kin.

use super::masking::one_value;
use crate::ops::op::{ALL, BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{indexed, indexed_sum};
use crate::tensor::explanation::Movement;
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::along::{self, ScatterMode};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::{mask, pointwise, shape};
use crate::tensor::{Arg, DType, Error, ErrorFact, Result, Tensor, refuse_if};

fn index_select(c: &Call) -> Result<Value> {
    let (x, index) = (c.tensor(0)?, c.tensor(2)?);
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    if index.ndim() > 1 {
        return Err(Error::index("index_select(): Index is supposed to be a vector"));
    }
    refuse_if!(
        x.ndim() == 0 && index.numel() != 1,
        "index_select(): Index to scalar can have only 1 value, got {} value(s)",
        index.numel()
    );
    if !matches!(index.dtype(), DType::Int64 | DType::Int32) {
        return Err(Error::runtime("index_select(): Expected dtype int32 or int64 for index"));
    }
    if x.shape().get(dim) == Some(&0) && index.numel() > 0 {
        return Err(Error::runtime("index_select(): self indexing axis dim should be positive"));
    }
    Ok(shape::index_select(x, dim, &index.to_i64_vec())?.into())
}

fn index_fill(c: &Call) -> Result<Value> {
    let (x, index) = (c.tensor(0)?, c.tensor(2)?);
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    let value = one_value(c, 3, x.dtype(), "IndexFill")?;
    if index.dtype() != DType::Int64 {
        return Err(Error::index("index_fill_(): Expected dtype int64 for index."));
    }
    Ok(along::index_fill(x, dim, index, &value)?.into())
}

/// A tensor, the dimension, the index and the source of `index_add` and `index_copy`. Errors: an index that is no vector of
/// such a dtype, another dtype of the source, slices of other sizes.
fn slices<'a>(
    c: &Call<'a>,
    name: &str,
    kinds: &[DType],
) -> Result<(&'a Tensor, usize, &'a Tensor, &'a Tensor)> {
    let (x, index, source) = (c.tensor(0)?, c.tensor(2)?, c.tensor(3)?);
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    if index.ndim() > 1 {
        return Err(Error::index(format!("{name}(): Index is supposed to be a vector")));
    }
    refuse_if!(
        !kinds.contains(&index.dtype()),
        "{name}(): Expected dtype int64 for index but got: {}",
        index.dtype().cpp_name()
    );
    if x.dtype() != source.dtype() {
        let [own, theirs] = [x, source].map(|x| x.dtype().cpp_name());
        let message = format!("{name}(): self ({own}) and source ({theirs}) must have the same scalar type");
        return Err(Error::runtime(message).about(ErrorFact::DifferentDtypes));
    }
    let others = |x: &Tensor| -> Vec<usize> {
        x.shape().iter().enumerate().filter(|&(axis, _)| axis != dim).map(|(_, &size)| size).collect()
    };
    refuse_if!(
        source.ndim() != x.ndim() || others(x) != others(source),
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {:?} \
             source.shape = {:?}",
        x.shape(),
        source.shape()
    );
    let (count, size) = (index.numel(), source.shape().get(dim).copied().unwrap_or(1));
    refuse_if!(
        count != size,
        "{name}(): Number of indices ({count}) should be equal to source.size(dim): ({size}), for dim: {dim}"
    );
    Ok((x, dim, index, source))
}

fn index_add(c: &Call) -> Result<Value> {
    let (x, dim, index, source) = slices(c, "index_add_", &[DType::Int64, DType::Int32])?;
    let scaled = match c.arg(4) {
        Arg::Int(1) => source.clone(),
        alpha => {
            let alpha = Arg::Tensor(mask::checked_number(alpha, x.dtype())?);
            to_dtype(&pointwise::mul(c.arg(3), &alpha, c.default_dtype())?, x.dtype())
        }
    };
    Ok(along::index_combine(x, dim, index, &scaled, ScatterMode::Sum)?.into())
}

fn index_copy(c: &Call) -> Result<Value> {
    let (x, dim, index, source) = slices(c, "index_copy_", &[DType::Int64])?;
    Ok(along::index_combine(x, dim, index, source, ScatterMode::Replace)?.into())
}

rows![
    op(indexed("index_select", Movement::LookedUp).grad("IndexSelect"), BOTH, index_select)
        .forms(&["Tensor input, int dim, Tensor index"])
        .doc("Slices along a dimension by their numbers.")
        .rule(backward::indexing::index_select),
    op(indexed("index_fill", Movement::Filled).grad("IndexFill"), ALL, index_fill)
        .forms(&["Tensor input, int dim, Tensor index, Operand value"])
        .doc("value in the slices named."),
    op(indexed_sum("index_add", false).grad("IndexAdd"), ALL, index_add)
        .forms(&["Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=1"])
        .doc("source's slices added to the slices named."),
    op(indexed("index_copy", Movement::Rearranged).grad("IndexCopy"), ALL, index_copy)
        .forms(&["Tensor input, int dim, Tensor index, Tensor source"])
        .doc("source's slices in place of the slices named.")
        .autocast(autocast::widest),
];
