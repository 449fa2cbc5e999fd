//! `torch.linalg`: the sizes of vectors and matrices.

use super::linalg::{LowPrecision, of_floats};
use super::reduce::norm_of;
use crate::ops::op::{Call, LINALG, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{CostRule, reduction};
use crate::tensor::explanation::Reducer;
use crate::tensor::ops::cast::to_dtype;
use crate::tensor::ops::reduce::ReductionAxes;
use crate::tensor::{Error, Result, Tensor, refuse_if};

/// The tensor in the dtype of a call. Errors: those of PyTorch, where it would lose what the numbers are.
fn in_dtype_of(c: &Call, name: &str, x: &Tensor) -> Result<Tensor> {
    let Some(dtype) = c.opt_dtype(4) else { return Ok(x.clone()) };
    let (own, wanted) = (x.dtype().cpp_name(), dtype.cpp_name());
    if !dtype.is_float() {
        let text = format!("{name}: dtype should be floating point or complex, but got {wanted}");
        return Err(Error::runtime(text));
    }
    refuse_if!(
        x.dtype().promote(dtype) != dtype,
        "{name}: the dtype of the input ({own}) should be convertible without narrowing to the specified dtype ({wanted})"
    );
    Ok(to_dtype(x, dtype))
}

fn vector_norm(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    of_floats("linalg.vector_norm", x, LowPrecision::Taken)?;
    let x = &in_dtype_of(c, "linalg.vector_norm", x)?;
    let over = ReductionAxes::new(x, &c.opt_ints(2).unwrap_or_default(), c.bool(3))?;
    Ok(norm_of(x, &over, c.opt_float(1).unwrap_or(2.0))?.into())
}

rows![
    op(
        reduction("linalg_vector_norm", Reducer::Norm).cost(CostRule::Spread).grad("LinalgVectorNorm"),
        LINALG,
        vector_norm
    )
    .forms(&["Tensor x, Number ord=2, ints? dim=None, bool keepdim=False, *, dtype? dtype=None, \
             out? out=None"])
    .doc("The p-norm over dims.")
    .saving_result(),
];
