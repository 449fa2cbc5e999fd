//! Operations along one dimension whose index is a vector: `index_select`, `index_add` and their kin.

use crate::ops::op::{ALL, BOTH, Call, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{GradName, indexed, indexed_sum};
use crate::tensor::explanation::Movement;
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::along::{self, ScatterMode};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::{mask, shape};
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
    let value = match c.arg(3) {
        Arg::Tensor(value) if value.ndim() > 0 => {
            return Err(Error::runtime(format!(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with {} dimension(s).",
                value.ndim()
            )));
        }
        Arg::Tensor(value) => {
            c.set_grad_name(GradName::Node("IndexFill", 1));
            to_dtype(value, x.dtype())
        }
        number => mask::checked_number(number, x.dtype())?,
    };
    if index.dtype() != DType::Int64 {
        return Err(Error::index("index_fill_(): Expected dtype int64 for index."));
    }
    Ok(along::index_fill(x, dim, index, &value)?.into())
}

/// The sizes of a tensor, that of `dim` left out.
fn sizes_without(dim: usize, tensor: &Tensor) -> Vec<usize> {
    tensor.shape().iter().enumerate().filter(|&(axis, _)| axis != dim).map(|(_, &size)| size).collect()
}

fn index_add(c: &Call) -> Result<Value> {
    let (x, index, source) = (c.tensor(0)?, c.tensor(2)?, c.tensor(3)?);
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    let count = index.numel();
    if index.ndim() > 1 {
        return Err(Error::index(format!(
            "index_add_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {:?}",
            index.ndim(),
            index.dtype().cpp_name(),
            index.shape()
        )));
    }
    refuse_if!(
        !matches!(index.dtype(), DType::Int64 | DType::Int32),
        "index_add_(): Expected dtype int32/int64 for index but got: {}",
        index.dtype().cpp_name()
    );
    refuse_if!(
        x.dtype() != source.dtype(),
        "index_add_(): self ({}) and source ({}) must have the same scalar type",
        x.dtype().cpp_name(),
        source.dtype().cpp_name()
    );
    if source.ndim() == 0 && dim == 0 && count != 1 {
        return Err(Error::index("Dimension specified as 0 but tensor has no dimensions"));
    }
    refuse_if!(
        dim > 0 && dim >= source.ndim(),
        "index_add_(): Indexing dim {dim} is out of bounds of the source tensor with dim {}",
        source.ndim()
    );
    // A single number has one dimension of size 1.
    let size = source.shape().get(dim).copied().unwrap_or(1);
    refuse_if!(
        count != size,
        "index_add_(): Number of indices ({count}) should be equal to source.size(dim): ({size}), for dim: {dim}"
    );
    refuse_if!(
        source.ndim() != x.ndim() || sizes_without(dim, x) != sizes_without(dim, source),
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {:?} \
             source.shape = {:?}",
        x.shape(),
        source.shape()
    );
    let scaled = match c.arg(4) {
        Arg::Int(1) => source.clone(),
        alpha => {
            let alpha = mask::checked_number(alpha, x.dtype())?;
            let product = crate::tensor::ops::pointwise::mul(
                &Arg::Tensor(source.clone()),
                &Arg::Tensor(alpha),
                c.default_dtype(),
            )?;
            to_dtype(&product, x.dtype())
        }
    };
    along::index_combine(x, dim, index, &scaled, ScatterMode::Sum).map(Value::from).map_err(|error| {
        // Without a factor PyTorch goes through scatter_add, which has words of its own.
        if matches!(c.arg(4), Arg::Int(1)) && x.ndim() > 1 && index.dtype() == DType::Int64 {
            error
        } else {
            Error::index("index out of range in self")
        }
    })
}

fn index_copy(c: &Call) -> Result<Value> {
    let (x, index, source) = (c.tensor(0)?, c.tensor(2)?, c.tensor(3)?);
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    if index.ndim() > 1 {
        return Err(Error::index(format!(
            "index_copy_(): Index should have dimension 1 or 0 (got {})",
            index.ndim()
        )));
    }
    if source.ndim() == 0 && index.numel() != 1 {
        return Err(Error::index(format!(
            "index_copy_(): When source is scalar, index should have one element (got {})",
            index.numel()
        )));
    }
    if source.ndim() != x.ndim() && source.ndim() > 0 && x.ndim() > 0 {
        return Err(Error::index(format!(
            "index_copy_(): When source and destination are not scalars, their dimensionality must match. Source \
             dimensionality ({}), destination dimensionality ({})",
            source.ndim(),
            x.ndim()
        )));
    }
    if index.dtype() != DType::Int64 {
        return Err(Error::runtime(
            "index_copy_(): Expected a long tensor for index, but got ".to_owned() + index.dtype().cpp_name(),
        ));
    }
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "index_copy_(): self and source expected to have the same dtype, but got (self) {} and (source) {}",
            x.dtype().cpp_name(),
            source.dtype().cpp_name()
        )).about(ErrorFact::DifferentDtypes));
    }
    let (theirs, own) = (sizes_without(dim, source), sizes_without(dim, x));
    refuse_if!(
        theirs != own,
        "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at \
             dimension {dim} and source slice shape: {} at dimension 0.",
        listed(&own),
        listed(&theirs)
    );
    let size = source.shape().get(dim).copied().unwrap_or(1);
    if source.ndim() > 0 && index.numel() != size {
        return Err(Error::index(format!(
            "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({size})",
            index.numel()
        )));
    }
    along::index_combine(x, dim, index, source, ScatterMode::Replace)
        .map(Value::from)
        .map_err(|error| Error::index(format!("index_copy_(): {}", error.message)))
}

fn listed(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
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
