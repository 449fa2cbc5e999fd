//! Products summed over chosen dimensions: einsum, tensordot, inner and outer, chains of matrices.

use crate::ops::op::{Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::descriptor::{CostRule, Descriptor, OpFamily};
use crate::tensor::explanation::Explanation;
use crate::tensor::ops::einsum;
use crate::tensor::{Error, Result};

fn einsum_(c: &Call) -> Result<Value> {
    let Some(equation) = c.opt_str(0) else {
        return Err(Error::value("einsum(): must specify the equation string and at least one operand"));
    };
    let (out, grad_name) = einsum::einsum(equation, c.tensors(1))?;
    c.set_grad_name(grad_name);
    Ok(out.into())
}

rows![
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
