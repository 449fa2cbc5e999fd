//! Several tensors as one, and one tensor in another order or several times over. Copies.

use crate::ops::op::{BOTH, Call, FUNCTION, METHOD, Op, op};
use crate::ops::value::Value;
use crate::ops::{autocast, backward};
use crate::tensor::Result;
use crate::tensor::descriptor::{Descriptor, OpFamily, ShapeRule};
use crate::tensor::explanation::{Explanation, Movement};
use crate::tensor::layout::wrap_dims;
use crate::tensor::ops::{join, shape};

const JOIN: &[&str] = &["Tensors tensors, int dim=0, *, out? out=None"];

fn flip(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    Ok(shape::flip(x, &wrap_dims(&c.ints(1)?, x.ndim())?)?.into())
}

rows![
    op(
        Descriptor::new("cat", OpFamily::Join, Explanation::Moved(Movement::Joined))
            .shapes(ShapeRule::Join)
            .grad("Cat"),
        FUNCTION,
        JOIN,
        "Tensors one after the other along a dimension.",
        |c| Ok(join::cat(c.tensors(0), c.int(1)?, c.default_dtype())?.into()),
    )
    .autocast(autocast::widest)
    .rule(backward::joins::cat),
    op(
        Descriptor::new("stack", OpFamily::Join, Explanation::Moved(Movement::Stacked))
            .shapes(ShapeRule::Stack)
            .grad("Stack"),
        FUNCTION,
        JOIN,
        "Tensors of one shape along a new dimension.",
        |c| Ok(join::stack(c.tensors(0), c.int(1)?, c.default_dtype())?.into()),
    )
    .autocast(autocast::widest)
    .rule(backward::joins::stack),
    op(
        Descriptor::new("repeat", OpFamily::Join, Explanation::Moved(Movement::Rearranged)).grad("Repeat"),
        METHOD,
        &["Tensor input, sizes repeats"],
        "The tensor so many times over along each dimension.",
        |c| Ok(shape::repeat(c.tensor(0)?, &c.ints(1)?)?.into()),
    ),
    op(
        Descriptor::new("flip", OpFamily::Join, Explanation::Moved(Movement::Rearranged)).grad("Flip"),
        BOTH,
        &["Tensor input, sizes dims"],
        "The dimensions in reverse order of elements.",
        flip,
    ),
];
