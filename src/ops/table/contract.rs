//! Products summed over chosen dimensions: einsum, tensordot, inner and outer, chains of matrices.

use crate::ops::op::{BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{
    CostRule, Descriptor, GradName, OpFamily, OpNotation, ShapeRule, Sign, product,
};
use crate::tensor::explanation::{DistanceKind, Explanation, Multilinear, ProductKind};
use crate::tensor::ops::{self, einsum, linear, pointwise};
use crate::tensor::{Arg, DType, Error, ErrorFact, Layout, Result, Tensor};

/// Products along the last dimensions of both.
fn inner(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    if a.ndim() == 0 || b.ndim() == 0 {
        c.set_grad_name(GradName::node("Mul"));
        return Ok(pointwise::mul(c.arg(0), c.arg(1), c.default_dtype())?.into());
    }
    if a.shape()[a.ndim() - 1] != b.shape()[b.ndim() - 1] {
        return Err(Error::runtime(format!(
            "inner() the last dimension must match on both input tensors but got shapes {:?} and {:?}",
            a.shape(),
            b.shape()
        )));
    }
    same_dtype(a, b)?;
    Ok(tensordot_of(a, b, &[a.ndim() - 1], &[b.ndim() - 1])?.into())
}

fn same_dtype(a: &Tensor, b: &Tensor) -> Result<()> {
    if a.dtype() == b.dtype() {
        Ok(())
    } else {
        Err(Error::runtime("both inputs should have same dtype").about(ErrorFact::DifferentDtypes))
    }
}

fn outer(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    for (name, x) in [("self", a), ("vec2", b)] {
        if x.ndim() != 1 {
            return Err(Error::runtime(format!(
                "outer: Expected 1-D argument {name}, but got {}-D",
                x.ndim()
            )));
        }
    }
    let column = Arg::Tensor(a.with_layout(a.layout().unsqueeze(1)));
    Ok(pointwise::mul(&column, c.arg(1), c.default_dtype())?.into())
}

/// Σ over the named dimensions of both. As `torch.tensordot`.
fn tensordot_of(a: &Tensor, b: &Tensor, of_a: &[usize], of_b: &[usize]) -> Result<Tensor> {
    let free =
        |x: &Tensor, taken: &[usize]| (0..x.ndim()).filter(|axis| !taken.contains(axis)).collect::<Vec<_>>();
    let (free_a, free_b) = (free(a, of_a), free(b, of_b));
    let size = |x: &Tensor, axes: &[usize]| axes.iter().map(|&axis| x.shape()[axis]).product::<usize>();
    let turned = |x: &Tensor, order: Vec<usize>| x.with_layout(x.layout().permute(&order));
    let left = ops::reshape(&turned(a, [&free_a[..], of_a].concat()), &[size(a, &free_a), size(a, of_a)]);
    let right = ops::reshape(&turned(b, [of_b, &free_b[..]].concat()), &[size(b, of_b), size(b, &free_b)]);
    let out = linear::mm(&left, &right)?;
    let shape: Vec<usize> = free_a
        .iter()
        .map(|&axis| a.shape()[axis])
        .chain(free_b.iter().map(|&axis| b.shape()[axis]))
        .collect();
    Ok(out.with_layout(Layout::contiguous(shape)))
}

fn tensordot(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    let (first, second) = if c.form == 0 {
        (c.ints(2)?, c.ints(3)?)
    } else {
        let count = c.int(2)?;
        if count < 0 {
            return Err(Error::runtime(format!("tensordot expects dims >= 0, but got dims={count}")));
        }
        if count as usize > a.ndim().min(b.ndim()) {
            return Err(Error::runtime(format!(
                "tensordot expects dims < ndim_a or ndim_b, but got dims={count}"
            )));
        }
        ((-count..0).collect(), (0..count).collect())
    };
    if first.len() != second.len() {
        return Err(Error::runtime("both dimension lists should have same length"));
    }
    same_dtype(a, b)?;
    let of_a = crate::tensor::layout::wrap_dims(&first, a.ndim())?;
    let of_b = crate::tensor::layout::wrap_dims(&second, b.ndim())?;
    let (mut a, mut b) = (a.clone(), b.clone());
    for (at, (&x, &y)) in of_a.iter().zip(&of_b).enumerate() {
        // What meets one element is summed first.
        if a.shape()[x] == 1 && b.shape()[y] != 1 {
            b = einsum::sum(&b, &[y], true);
        } else if b.shape()[y] == 1 && a.shape()[x] != 1 {
            a = einsum::sum(&a, &[x], true);
        } else if a.shape()[x] != b.shape()[y] {
            return Err(Error::runtime(format!(
                "contracted dimensions need to match, but first has size {} in dim {} and second has size {} in dim {}",
                a.shape()[x],
                first[at],
                b.shape()[y],
                second[at]
            )));
        }
    }
    Ok(tensordot_of(&a, &b, &of_a, &of_b)?.into())
}

fn einsum_(c: &Call) -> Result<Value> {
    let Some(equation) = c.opt_str(0) else {
        return Err(Error::value("einsum(): must specify the equation string and at least one operand"));
    };
    let (out, grad_name) = einsum::einsum(equation, c.tensors(1))?;
    c.set_grad_name(grad_name);
    Ok(out.into())
}

fn trace(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    if x.dtype() == DType::Bool {
        return Err(Error::unsupported_dtype("trace", DType::Bool));
    }
    if x.ndim() != 2 {
        return Err(Error::runtime(format!(
            "trace: expected a matrix, but got tensor with dim {}",
            x.ndim()
        )));
    }
    let layout = x.layout();
    let size = layout.shape[0].min(layout.shape[1]);
    let diagonal = Layout {
        shape: vec![size],
        strides: vec![layout.strides[0] + layout.strides[1]],
        offset: layout.offset,
    };
    let diagonal = x.with_layout(diagonal);
    Ok(einsum::sum(&diagonal, &[0], false).into())
}

rows![
    op(
        product("inner", ProductKind::Inner)
            .notation(OpNotation::Symbol(Sign::Dot))
            .shapes(ShapeRule::LastAxes(0, 1))
            .cost(CostRule::MatrixProduct(0))
            .grad("View"),
        BOTH,
        &["Tensor input, Tensor other, *, out? out=None"],
        "Products along the last dimensions. (.., k) x (.., k)",
        inner,
    )
    .autocast(autocast::inner),
    op(
        product("outer", ProductKind::Outer).cost(CostRule::PerResult(1)).grad("Mul"),
        BOTH,
        &["Tensor input, Tensor vec2, *, out? out=None"],
        "Each with each. (n) x (m) -> (n, m)",
        outer,
    ),
    op(
        Descriptor::new("einsum", OpFamily::Product, Explanation::Einsum).cost(CostRule::Einsum).grad("View"),
        FUNCTION,
        &["str equation, Several operands"],
        "Products and sums written as subscripts: \"bij,bjk->bik\".",
        einsum_,
    )
    .autocast(autocast::einsum)
    .rule(backward::einsum::rule),
    op(
        Descriptor::new("tensordot", OpFamily::Product, Explanation::Multilinear(Multilinear::Tensordot))
            .grad("View"),
        0,
        &[
            "Tensor a, Tensor b, ints _first, ints _second",
            "Tensor a, Tensor b, int dims=2, *, out? out=None",
        ],
        "Products summed over dimensions of both.",
        tensordot,
    )
    .autocast(autocast::lower_precision),
    op(
        Descriptor::new("trace", OpFamily::Reduction, Explanation::Multilinear(Multilinear::Trace))
            .grad("Trace"),
        BOTH,
        &["Tensor input"],
        "The sum of the diagonal. (n, n) -> ()",
        trace,
    )
    .autocast(autocast::float32)
    .refusing(super::refused::is_low, "\"trace\" not implemented for '{}'"),
    op(
        Descriptor::new("cdist", OpFamily::Distance, Explanation::Distance(DistanceKind::EachToEach))
            .grad("Cdist"),
        FUNCTION,
        &["Tensor x1, Tensor x2, float p=2.0, str compute_mode='use_mm_for_euclid_dist_if_necessary'"],
        "The p-norm distance of every row to every row. (.., n, d) x (.., m, d) -> (.., n, m)",
        super::linalg::cdist,
    )
    .autocast(autocast::float32)
    .saving_result()
    .refusing(super::refused::is_low, "\"cdist\" not implemented for '{}'"),
    op(
        Descriptor::new("matrix_power", OpFamily::LinearAlgebra, Explanation::Whole).grad("Mm"),
        BOTH,
        &["Tensor input, int n, *, out? out=None"],
        "A square matrix times itself. (.., n, n)",
        super::linalg::matrix_power,
    ),
];
