//! Indexing, gathering and scattering.

use crate::ops::backward;
use crate::ops::op::{ALL, BOTH, Call, IN_PLACE, METHOD, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{Descriptor, GradName, OpFamily, OpNotation, ShapeRule};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::layout::wrap_dim;
use crate::tensor::ops::along::{self, ScatterMode, ScatterSource};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::{mask, shape};
use crate::tensor::{Arg, DType, Error, ErrorFact, Index, Result, Tensor, index};

fn getitem(c: &Call) -> Result<Value> {
    let Arg::Index(parts) = c.arg(1) else {
        return Err(Error::type_error("an index expression is needed"));
    };
    let (tensor, grad_name) = index::get(c.tensor(0)?, parts)?;
    c.set_grad_name(grad_name);
    Ok(tensor.into())
}

fn gather(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    Ok(along::gather(x, dim, c.tensor(2)?)?.into())
}

/// What `scatter` writes: a tensor's elements, or a number everywhere.
fn source(c: &Call, x: &Tensor) -> Result<ScatterSource> {
    match c.arg(3) {
        Arg::Tensor(source) => Ok(ScatterSource::Tensor(source.clone())),
        number => Ok(ScatterSource::Number(mask::checked_number(number, x.dtype())?)),
    }
}

fn scatter(c: &Call) -> Result<Value> {
    let (x, index) = (c.tensor(0)?, c.tensor(2)?);
    let is_number = c.arg(3).tensor().is_none();
    let meet = match (c.form, c.op.params()[c.form].len()) {
        (_, 4) => {
            c.set_grad_name(if is_number { GradName::Node("Scatter", 1) } else { GradName::node("Scatter") });
            ScatterMode::Replace
        }
        _ => match c.opt_str(4) {
            Some("add") => ScatterMode::Sum,
            Some("multiply") => ScatterMode::Product,
            _ => {
                return Err(Error::runtime("reduce argument must be either add or multiply."));
            }
        },
    };
    if meet != ScatterMode::Replace {
        c.set_grad_name(GradName::NotImplemented);
    }
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    let source = source(c, x)?;
    Ok(along::scatter(x, dim, index, &source, meet, true)?.into())
}

fn scatter_add(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    Ok(along::scatter(x, dim, c.tensor(2)?, &source(c, x)?, ScatterMode::Sum, true)?.into())
}

/// The reductions of `scatter_reduce` and `index_reduce`.
fn meeting(word: &str) -> Option<ScatterMode> {
    Some(match word {
        "sum" => ScatterMode::Sum,
        "prod" => ScatterMode::Product,
        "mean" => ScatterMode::Mean,
        "amax" => ScatterMode::Largest,
        "amin" => ScatterMode::Smallest,
        _ => return None,
    })
}

fn scatter_reduce(c: &Call) -> Result<Value> {
    let (x, word) = (c.tensor(0)?, c.opt_str(4).unwrap_or(""));
    let Some(meet) = meeting(word) else {
        return Err(Error::runtime(format!(
            "reduce argument must be either sum, prod, mean, amax or amin, got {word}"
        )));
    };
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    Ok(along::scatter(x, dim, c.tensor(2)?, &source(c, x)?, meet, c.bool(5))?.into())
}

fn index_select(c: &Call) -> Result<Value> {
    let (x, index) = (c.tensor(0)?, c.tensor(2)?);
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    if index.ndim() > 1 {
        return Err(Error::index("index_select(): Index is supposed to be a vector"));
    }
    if x.ndim() == 0 && index.numel() != 1 {
        return Err(Error::runtime(format!(
            "index_select(): Index to scalar can have only 1 value, got {} value(s)",
            index.numel()
        )));
    }
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

/// Sizes of source and target, `dim` left out, must agree.
/// Errors: an index with several dimensions.
fn is_a_vector(name: &str, index: &Tensor) -> Result<()> {
    if index.ndim() <= 1 {
        return Ok(());
    }
    Err(Error::index(format!(
        "{name}_(): Index is supposed to be a vector, but got dim: {} with type: {} and size: {:?}",
        index.ndim(),
        index.dtype().cpp_name(),
        index.shape()
    )))
}

/// The size of a dimension. Errors: it is not there; a single number has one of size 1.
fn size_along(dim: usize, source: &Tensor, index: &Tensor, name: &str) -> Result<usize> {
    if source.ndim() == 0 && dim == 0 && index.numel() != 1 {
        return Err(Error::index("Dimension specified as 0 but tensor has no dimensions"));
    }
    if dim > 0 && dim >= source.ndim() {
        return Err(Error::runtime(format!(
            "{name}_(): Indexing dim {dim} is out of bounds of the source tensor with dim {}",
            source.ndim()
        )));
    }
    Ok(source.shape().get(dim).copied().unwrap_or(1))
}

/// Errors: two shapes that differ in another dimension than `dim`.
fn same_apart_from(dim: usize, x: &Tensor, source: &Tensor) -> Result<()> {
    let without = |tensor: &Tensor| -> Vec<usize> {
        tensor.shape().iter().enumerate().filter(|&(axis, _)| axis != dim).map(|(_, &size)| size).collect()
    };
    if source.ndim() == x.ndim() && without(x) == without(source) {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = {:?} \
         source.shape = {:?}",
        x.shape(),
        source.shape()
    )))
}

fn index_add(c: &Call) -> Result<Value> {
    let (x, index, source) = (c.tensor(0)?, c.tensor(2)?, c.tensor(3)?);
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    let count = index.numel();
    is_a_vector("index_add", index)?;
    if !matches!(index.dtype(), DType::Int64 | DType::Int32) {
        return Err(Error::runtime(format!(
            "index_add_(): Expected dtype int32/int64 for index but got: {}",
            index.dtype().cpp_name()
        )));
    }
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "index_add_(): self ({}) and source ({}) must have the same scalar type",
            x.dtype().cpp_name(),
            source.dtype().cpp_name()
        )));
    }
    let size = size_along(dim, source, index, "index_add")?;
    if count != size {
        return Err(Error::runtime(format!(
            "index_add_(): Number of indices ({count}) should be equal to source.size(dim): ({size}), for dim: {dim}"
        )));
    }
    same_apart_from(dim, x, source)?;
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
    along::index_combine(x, dim, index, &scaled, ScatterMode::Sum, true).map(Value::from).map_err(|error| {
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
    let without = |tensor: &Tensor| -> Vec<usize> {
        tensor.shape().iter().enumerate().filter(|&(axis, _)| axis != dim).map(|(_, &size)| size).collect()
    };
    let (theirs, own) = (without(source), without(x));
    if theirs != own {
        return Err(Error::runtime(format!(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination slice shape: {} at \
             dimension {dim} and source slice shape: {} at dimension 0.",
            listed(&own),
            listed(&theirs)
        )));
    }
    let size = source.shape().get(dim).copied().unwrap_or(1);
    if source.ndim() > 0 && index.numel() != size {
        return Err(Error::index(format!(
            "index_copy_(): Number of indices ({}) should be equal to source.size(dim) ({size})",
            index.numel()
        )));
    }
    along::index_combine(x, dim, index, source, ScatterMode::Replace, true)
        .map(Value::from)
        .map_err(|error| Error::index(format!("index_copy_(): {}", error.message)))
}

fn listed(shape: &[usize]) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(" ")
}

fn index_reduce(c: &Call) -> Result<Value> {
    let (x, index, source, word) = (c.tensor(0)?, c.tensor(2)?, c.tensor(3)?, c.opt_str(4).unwrap_or(""));
    let dim = wrap_dim(c.int(1)?, x.ndim())?;
    let meet = match word {
        "prod" | "mean" | "amax" | "amin" => meeting(word),
        _ => None,
    };
    let Some(meet) = meet else {
        return Err(Error::runtime(format!(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {word}."
        )));
    };
    is_a_vector("index_reduce", index)?;
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "index_reduce_(): self ({}) and source ({}) must have the same scalar type",
            x.dtype().cpp_name(),
            source.dtype().cpp_name()
        )));
    }
    let along_dim = size_along(dim, source, index, "index_reduce")?;
    if index.numel() != along_dim {
        return Err(Error::runtime(format!(
            "index_reduce_(): Number of indices ({}) should be equal to source.size(dim): ({along_dim}), for dim: {dim}",
            index.numel()
        )));
    }
    same_apart_from(dim, x, source)?;
    Ok(along::index_combine(x, dim, index, source, meet, c.bool(5))?.into())
}

fn index_put(c: &Call) -> Result<Value> {
    let (x, source) = (c.tensor(0)?, c.tensor(2)?);
    if x.dtype() != source.dtype() {
        return Err(Error::runtime(format!(
            "Index put requires the source and destination dtypes match, got {} for the destination and {} for the source.",
            x.dtype().cpp_name(),
            source.dtype().cpp_name()
        )));
    }
    let parts: Vec<Index> = c.tensors(1).iter().cloned().map(Index::Tensor).collect();
    let out = shape::preserved(x);
    index::put(&out, &parts, source, c.bool(3))?;
    Ok(out.into())
}

fn long_index(index: &Tensor, name: &str) -> Result<()> {
    match index.dtype() {
        DType::Int64 => Ok(()),
        other => Err(Error::runtime(format!(
            "{name}(): Expected a long tensor for index, but got {}",
            other.cpp_name()
        ))),
    }
}

fn take_along_dim(c: &Call) -> Result<Value> {
    let (x, index) = (c.tensor(0)?, c.tensor(1)?);
    let Some(dim) = c.opt_int(2) else {
        let flat = |tensor: &Tensor| crate::tensor::ops::reshape(tensor, &[tensor.numel()]);
        return Ok(along::gather(&flat(x), 0, &flat(index))?.into());
    };
    if x.ndim() != index.ndim() {
        return Err(Error::runtime(format!(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got {} dimensions \
             for input, and {} dimensions for indices",
            x.ndim(),
            index.ndim()
        )));
    }
    let dim = wrap_dim(dim, x.ndim())?;
    if x.ndim() == 0 {
        return Err(Error::index("Dimension specified as 0 but tensor has no dimensions"));
    }
    // Both are broadcast to each other but for the dimension taken along.
    let spread = |tensor: &Tensor, other: &Tensor| -> Result<Tensor> {
        let mut aside = other.shape().to_vec();
        if let (Some(size), Some(own)) = (aside.get_mut(dim), tensor.shape().get(dim)) {
            *size = *own;
        }
        let shape = crate::tensor::layout::broadcast(tensor.shape(), &aside)?;
        Ok(tensor.with_layout(tensor.layout().broadcast_to(&shape)))
    };
    Ok(along::gather(&spread(x, index)?, dim, &spread(index, x)?)?.into())
}

const SCATTER: &[&str] = &[
    "Tensor input, int dim, Tensor index, Tensor src",
    "Tensor input, int dim, Tensor index, Number value",
    "Tensor input, int dim, Tensor index, Tensor src, *, str reduce",
    "Tensor input, int dim, Tensor index, Number value, *, str reduce",
];
const REDUCED: &[&str] =
    &["Tensor input, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True"];

pub(super) static OPS: [Op; 14] = [
    op(
        Descriptor::new("getitem", OpFamily::Index, Explanation::Moved(Movement::LookedUp))
            .notation(OpNotation::Subscript)
            .shapes(ShapeRule::Rearranged)
            .grad("Index"),
        0,
        &["Tensor input, index index"],
        "input[index]: a view, or a copy where tensors index.",
        getitem,
    )
    .rule(backward::indexing::getitem),
    op(
        Descriptor::new("gather", OpFamily::Index, Explanation::Moved(Movement::LookedUp)).grad("Gather"),
        BOTH,
        &["Tensor input, int dim, Tensor index, *, only sparse_grad=False"],
        "Elements along a dimension by index.",
        gather,
    )
    .rule(backward::indexing::gather),
    op(
        Descriptor::new("scatter", OpFamily::Index, Explanation::Moved(Movement::Rearranged)).grad("Scatter"),
        ALL,
        SCATTER,
        "Values written along a dimension by index.",
        scatter,
    ),
    op(
        Descriptor::new("scatter_add", OpFamily::Index, Explanation::IndexedSum { by_element: true })
            .grad("ScatterAdd"),
        ALL,
        &["Tensor input, int dim, Tensor index, Tensor src"],
        "Values added along a dimension by index.",
        scatter_add,
    ),
    op(
        Descriptor::new("scatter_reduce", OpFamily::Index, Explanation::Whole).grad("ScatterReduce"),
        ALL,
        REDUCED,
        "Values met along a dimension by index: sum, prod, mean, amax, amin.",
        scatter_reduce,
    ),
    op(
        Descriptor::new("index_select", OpFamily::Index, Explanation::Moved(Movement::LookedUp))
            .grad("IndexSelect"),
        BOTH,
        &["Tensor input, int dim, Tensor index"],
        "Slices along a dimension by their numbers.",
        index_select,
    )
    .rule(backward::indexing::index_select),
    op(
        Descriptor::new("index_fill", OpFamily::Index, Explanation::Moved(Movement::Filled))
            .grad("IndexFill"),
        ALL,
        &["Tensor input, int dim, Tensor index, Operand value"],
        "value in the slices named.",
        index_fill,
    ),
    op(
        Descriptor::new("index_add", OpFamily::Index, Explanation::IndexedSum { by_element: false })
            .grad("IndexAdd"),
        ALL,
        &["Tensor input, int dim, Tensor index, Tensor source, *, Number alpha=1"],
        "source's slices added to the slices named.",
        index_add,
    ),
    op(
        Descriptor::new("index_copy", OpFamily::Index, Explanation::Moved(Movement::Rearranged))
            .grad("IndexCopy"),
        ALL,
        &["Tensor input, int dim, Tensor index, Tensor source"],
        "source's slices in place of the slices named.",
        index_copy,
    ),
    op(
        Descriptor::new("index_reduce", OpFamily::Index, Explanation::Whole).grad("IndexReduce"),
        ALL,
        &["Tensor input, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True"],
        "source's slices met with the slices named.",
        index_reduce,
    ),
    op(
        Descriptor::new("index_put", OpFamily::Index, Explanation::Moved(Movement::Rearranged))
            .grad("IndexPut"),
        ALL,
        &["Tensor input, Tensors indices, Tensor values, bool accumulate=False"],
        "values where the index tensors say.",
        index_put,
    ),
    op(
        Descriptor::new("take", OpFamily::Index, Explanation::Moved(Movement::LookedUp)).grad("Take"),
        BOTH,
        &["Tensor input, Tensor index"],
        "Elements by their row-major numbers.",
        |c| {
            long_index(c.tensor(1)?, "take")?;
            Ok(along::take(c.tensor(0)?, c.tensor(1)?)?.into())
        },
    ),
    op(
        Descriptor::new("put", OpFamily::Index, Explanation::Moved(Movement::Rearranged)).grad("Put"),
        METHOD | IN_PLACE,
        &["Tensor input, Tensor index, Tensor source, bool accumulate=False"],
        "Values at row-major numbers.",
        |c| {
            long_index(c.tensor(1)?, "put_")?;
            let (x, index, source) = (c.tensor(0)?, c.tensor(1)?, c.tensor(2)?);
            if x.dtype() != source.dtype() {
                return Err(Error::runtime(format!(
                    "put_(): self and source expected to have the same dtype, but got self.dtype = {} and \
                     source.dtype = {}",
                    x.dtype().cpp_name(),
                    source.dtype().cpp_name()
                )));
            }
            if index.numel() != source.numel() {
                return Err(Error::index(format!(
                    "put_(): Expected source and index to have the same number of elements, but got source.numel() = {}, \
                     index.numel() = {}",
                    source.numel(),
                    index.numel()
                )));
            }
            Ok(along::put(c.tensor(0)?, c.tensor(1)?, c.tensor(2)?, c.bool(3))?.into())
        },
    ),
    op(
        Descriptor::new("take_along_dim", OpFamily::Index, Explanation::Moved(Movement::LookedUp))
            .grad("Gather"),
        BOTH,
        &["Tensor input, Tensor indices, int? dim=None"],
        "Elements along a dimension by index, broadcast.",
        take_along_dim,
    ),
];
