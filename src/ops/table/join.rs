//! Several tensors as one, and one tensor in another order or several times over. Copies.

use crate::ops::op::{BOTH, Call, FUNCTION, METHOD, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::Result;
use crate::tensor::descriptor::{ShapeRule, joined};
use crate::tensor::explanation::Movement;
use crate::tensor::layout::wrap_dims;
use crate::tensor::ops::{join, shape};

const JOIN: &[&str] = &["Tensors tensors, int dim=0, *, out? out=None"];

fn flip(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    Ok(shape::flip(x, &wrap_dims(&c.ints(1)?, x.ndim())?)?.into())
}

rows![
    op(joined("cat", Movement::Joined).shapes(ShapeRule::Join).grad("Cat"), FUNCTION, |c| Ok(join::cat(
        c.tensors(0),
        c.int(1)?,
        c.default_dtype()
    )?
    .into()))
    .forms(JOIN)
    .doc("Tensors one after the other along a dimension.")
    .autocast(autocast::widest)
    .rule(backward::joins::cat),
    op(joined("stack", Movement::Stacked).shapes(ShapeRule::Stack).grad("Stack"), FUNCTION, |c| Ok(
        join::stack(c.tensors(0), c.int(1)?, c.default_dtype())?.into()
    ))
    .forms(JOIN)
    .doc("Tensors of one shape along a new dimension.")
    .autocast(autocast::widest)
    .rule(backward::joins::stack),
    op(joined("repeat", Movement::Rearranged).grad("Repeat"), METHOD, |c| Ok(shape::repeat(
        c.tensor(0)?,
        &c.ints(1)?
    )?
    .into()))
    .forms(&["Tensor input, sizes repeats"])
    .doc("The tensor so many times over along each dimension."),
    op(joined("flip", Movement::Rearranged).grad("Flip"), BOTH, flip)
        .forms(&["Tensor input, sizes dims"])
        .doc("The dimensions in reverse order of elements."),
];
