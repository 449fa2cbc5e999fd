//! Products: dot, matrix times vector, matrix times matrix, batches of them, einsum.

use crate::in_floats;
use crate::kernel::Real;
use crate::ops::op::{ALL, BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{
    CostRule, Descriptor, GradName, OpFamily, OpNotation, ShapeRule, Sign, pointwise, product,
};
use crate::tensor::explanation::{Explanation, Formula, ProductKind};
use crate::tensor::layout::{broadcast, wrap_dim};
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::float::Float;
use crate::tensor::ops::{self, einsum, linear, pointwise};
use crate::tensor::{Arg, DType, Error, ErrorFact, Result, Tensor, refuse_if};

const ADDED_PAIR: &[&str] =
    &["Tensor input, Tensor tensor1, Tensor tensor2, *, Number value=1, out? out=None"];

fn matmul(c: &Call) -> Result<Value> {
    let (out, grad_name) = linear::matmul(c.tensor(0)?, c.tensor(1)?)?;
    c.set_grad_name(grad_name);
    Ok(out.into())
}

fn dot(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    refuse_if!(
        a.ndim() != 1 || b.ndim() != 1,
        "1D tensors expected, but got {}D and {}D tensors",
        a.ndim(),
        b.ndim()
    );
    Ok(linear::dot(a, b)?.into())
}

fn mm(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    for (name, x) in [("self", a), ("mat2", b)] {
        if x.ndim() != 2 {
            return Err(Error::runtime(format!("{name} must be a matrix")).about(ErrorFact::NotAMatrix));
        }
    }
    Ok(linear::mm(a, b)?.into())
}

fn bmm(c: &Call) -> Result<Value> {
    let (a, b) = (c.tensor(0)?, c.tensor(1)?);
    linear::three_dimensional(a, b)?;
    Ok(linear::bmm(a, b)?.into())
}

fn mv(c: &Call) -> Result<Value> {
    let (a, x) = (c.tensor(0)?, c.tensor(1)?);
    refuse_if!(
        a.ndim() != 2 || x.ndim() != 1,
        "vector + matrix @ vector expected, got 1, {}, {}",
        a.ndim(),
        x.ndim()
    );
    Ok(linear::mv(a, x)?.into())
}

pub(super) fn linear_(c: &Call) -> Result<Value> {
    let (out, grad_name) = linear::linear(c.tensor(0)?, c.tensor(1)?, c.opt_tensor(2))?;
    c.set_grad_name(grad_name);
    Ok(out.into())
}

fn number(c: &Call, at: usize) -> f64 {
    c.opt_float(at).unwrap_or(1.0)
}

/// Fractions have no place in whole numbers.
fn whole_factors(c: &Call) -> Result<()> {
    let whole = !c.tensor(0)?.dtype().is_float();
    for (name, at) in [("beta", 3), ("alpha", 4)] {
        refuse_if!(
            whole && matches!(c.arg(at), Arg::Float(_)),
            "For integral input tensors, argument {name} must not be a floating point number."
        );
    }
    Ok(())
}

fn addmm(c: &Call) -> Result<Value> {
    whole_factors(c)?;
    Ok(linear::addmm(c.tensor(0)?, c.tensor(1)?, c.tensor(2)?, number(c, 4), number(c, 3))?.into())
}

fn baddbmm(c: &Call) -> Result<Value> {
    whole_factors(c)?;
    if !c.in_place {
        // The input is broadcast before the factors are checked.
        let size = |at: usize, dim: i64| -> Result<i64> {
            let x = c.tensor(at)?;
            if x.ndim() == 0 {
                return Err(Error::index(format!(
                    "Dimension specified as {dim} but tensor has no dimensions"
                )));
            }
            Ok(x.shape()[wrap_dim(dim, x.ndim())?] as i64)
        };
        ops::expanded(c.tensor(0)?, &[size(1, 0)?, size(1, 1)?, size(2, 2)?])?;
    }
    Ok(linear::baddbmm(c.tensor(0)?, c.tensor(1)?, c.tensor(2)?, number(c, 4), number(c, 3))?.into())
}

/// A function of the floats of three tensors that meet, in the dtype of the first.
macro_rules! of_three {
    ($tensors:expr, |$a:ident, $b:ident, $c:ident| $value:expr) => {{
        fn of<T: Real>($a: T, $b: T, $c: T) -> T {
            $value
        }
        let [a, b, c] = $tensors;
        let shape = broadcast(&broadcast(a.shape(), b.shape())?, c.shape())?;
        let [x, y, z] = [a, b, c].map(|x| x.with_layout(x.layout().broadcast_to(&shape)));
        in_floats!(a.dtype(), T => {
            let values = T::of(&x).into_iter().zip(T::of(&y)).zip(T::of(&z)).map(|((x, y), z)| of(x, y, z));
            T::tensor(values.collect(), shape, a.dtype())
        })
    }};
}

/// `input + value * tensor1 (op) tensor2`
fn added(c: &Call, divide: bool) -> Result<Value> {
    let default = c.default_dtype();
    let dtype = pointwise::common_dtype(&[c.arg(0), c.arg(1), c.arg(2)], default);
    let whole = |at: usize| c.tensor(at).is_ok_and(|x| !x.dtype().is_float());
    refuse_if!(
        divide && whole(1) && whole(2),
        "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will perform a true \
             division of tensor1 and tensor2. The historic addcdiv behavior can be implemented as (input + value * \
             torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / \
             tensor2) for float inputs. The future addcdiv behavior is just the latter implementation: (input + value * \
             tensor1 / tensor2), for all dtypes."
    );
    // Half precision is computed in float32 and rounded once.
    let wide = |at: usize| match c.arg(at) {
        Arg::Tensor(x) if dtype.is_half() => Arg::Tensor(to_dtype(x, DType::Float32)),
        other => other.clone(),
    };
    let [base, first, second] = [0, 1, 2].map(wide);
    let scaled = match c.arg(3) {
        Arg::Int(1) => first.clone(),
        Arg::Float(value) if !dtype.is_float() => {
            let x = Arg::Tensor(to_dtype(c.tensor(1)?, dtype));
            Arg::Tensor(pointwise::mul(&Arg::Int(*value as i64), &x, default)?)
        }
        value => Arg::Tensor(pointwise::mul(value, &first, default)?),
    };
    if !divide {
        super::refused::bools("addcmul_cpu_out", dtype)?;
    }
    if !divide
        && dtype.is_float()
        && [0, 1, 2].iter().all(|&at| c.tensor(at).is_ok_and(|x| x.dtype() == dtype))
        && let (Arg::Tensor(base), Arg::Tensor(scaled), Arg::Tensor(second)) = (&base, &scaled, &second)
    {
        // Rounded once, as PyTorch's vectors do it.
        let sum = of_three!([base, scaled, second], |base, x, y| x.fma(y, base));
        return Ok(placed(c, to_dtype(&sum, dtype)).into());
    }
    let term = match divide {
        true => pointwise::div(&scaled, &second, default)?,
        false => pointwise::mul(&scaled, &second, default)?,
    };
    Ok(placed(c, to_dtype(&pointwise::add(&base, &Arg::Tensor(term), default)?, dtype)).into())
}

/// A result that lies in memory as the call's tensors do.
fn placed(c: &Call, out: Tensor) -> Tensor {
    let operands: Vec<&Tensor> = (0..3).filter_map(|at| c.opt_tensor(at)).collect();
    ops::strides::placed(out, &operands)
}

/// From start towards end; from the nearer end, so that both ends are exact.
fn lerp(c: &Call) -> Result<Value> {
    let (start, end) = (c.tensor(0)?, c.tensor(1)?);
    for (name, other) in [("end", Some(end)), ("weight", c.opt_tensor(2))] {
        if let Some(other) = other.filter(|other| other.dtype() != start.dtype()) {
            let [wanted, given] = [start, other].map(|x| x.dtype().c_name());
            return Err(Error::runtime(format!(
                "expected dtype {wanted} for `{name}` but got dtype {given}"
            )));
        }
    }
    ops::float::only_floats("lerp_kernel_scalar", start.dtype())?;
    c.set_grad_name(GradName::Node("Lerp", u8::from(c.opt_tensor(2).is_some())));
    let weight = pointwise::wide(c.arg(2), start.dtype())?;
    let between = of_three!([start, end, &weight], |a, b, w| match w.abs() < T::from_f64(0.5) {
        true => w.fma(b - a, a),
        false => (-(b - a)).fma(T::ONE - w, b),
    });
    Ok(placed(c, between).into())
}

fn einsum_(c: &Call) -> Result<Value> {
    let Some(equation) = c.opt_str(0) else {
        return Err(Error::value("einsum(): must specify the equation string and at least one operand"));
    };
    let (out, grad_name) = einsum::einsum(equation, c.tensors(1))?;
    c.set_grad_name(grad_name);
    Ok(out.into())
}

/// A sum of a tensor and what two others give, element by element.
const fn added_pair(name: &'static str, formula: Formula) -> Descriptor {
    pointwise(name).formula(formula).shapes(ShapeRule::Broadcast(1, 2))
}

rows![
    op(product("matmul", ProductKind::Matrix).infix(Sign::MatMul).grad("Mm"), BOTH, matmul)
        .forms(&["Tensor input, Tensor other, *, out? out=None"])
        .doc("The matrix product; batch dimensions broadcast. (.., n, k) @ (.., k, m) -> (.., n, m)")
        .autocast(autocast::lower_precision)
        .rule(backward::products::product),
    op(product("dot", ProductKind::Dot).notation(OpNotation::Symbol(Sign::Dot)).grad("Dot"), BOTH, dot)
        .forms(&["Tensor input, Tensor tensor, *, out? out=None"])
        .doc("The sum of products of two vectors. (n) . (n) -> ()")
        .rule(backward::products::product),
    op(product("mm", ProductKind::Matrix).notation(OpNotation::Symbol(Sign::MatMul)).grad("Mm"), BOTH, mm)
        .forms(&["Tensor input, Tensor mat2, *, out? out=None"])
        .doc("The product of two matrices. (n, k) @ (k, m) -> (n, m)")
        .autocast(autocast::lower_precision)
        .rule(backward::products::product),
    op(product("bmm", ProductKind::Matrix).notation(OpNotation::Symbol(Sign::MatMul)).grad("Bmm"), BOTH, bmm)
        .forms(&["Tensor input, Tensor mat2, *, out? out=None"])
        .doc("Products of two stacks of matrices. (b, n, k) @ (b, k, m) -> (b, n, m)")
        .autocast(autocast::lower_precision)
        .rule(backward::products::product),
    op(product("mv", ProductKind::Matrix).notation(OpNotation::Symbol(Sign::MatMul)).grad("Mv"), BOTH, mv)
        .forms(&["Tensor input, Tensor vec, *, out? out=None"])
        .doc("A matrix times a vector. (n, k) @ (k) -> (n)")
        .rule(backward::products::product),
    op(product("addmm", ProductKind::Added).grad("Addmm"), ALL, addmm)
        .forms(&["Tensor input, Tensor mat1, Tensor mat2, *, Number beta=1, Number alpha=1, out? out=None"])
        .doc("beta * input + alpha * (mat1 @ mat2). (n, k) @ (k, m) -> (n, m)")
        .autocast(autocast::lower_precision)
        .rule(backward::products::add_product),
    op(product("baddbmm", ProductKind::Added).grad("Baddbmm"), ALL, baddbmm)
        .forms(&[
            "Tensor input, Tensor batch1, Tensor batch2, *, Number beta=1, Number alpha=1, out? out=None"
        ])
        .doc("beta * input + alpha * (batch1 @ batch2). (b, n, m)")
        .autocast(autocast::lower_precision)
        .rule(backward::products::add_product),
    op(added_pair("addcmul", Formula::Addcmul).grad("Addcmul"), ALL, |c| added(c, false))
        .forms(ADDED_PAIR)
        .doc("input + value * tensor1 * tensor2, broadcast."),
    op(added_pair("addcdiv", Formula::Addcdiv).grad("Addcdiv"), ALL, |c| added(c, true))
        .forms(ADDED_PAIR)
        .doc("input + value * tensor1 / tensor2, broadcast."),
    op(pointwise("lerp").costs(1).formula(Formula::Lerp).grad("Lerp"), ALL, lerp)
        .forms(&["Tensor input, Tensor end, Operand weight, *, out? out=None"])
        .doc("input + weight * (end - input)."),
    op(
        Descriptor::new("einsum", OpFamily::Product, Explanation::Einsum).cost(CostRule::Einsum).grad("View"),
        FUNCTION,
        einsum_
    )
    .forms(&["str equation, Several operands"])
    .doc("Products and sums written as subscripts: \"bij,bjk->bik\".")
    .autocast(autocast::einsum)
    .rule(backward::einsum::rule),
];
