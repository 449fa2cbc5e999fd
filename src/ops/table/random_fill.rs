//! Random numbers written into a tensor: `uniform_`, `normal_` and others.

use super::random::{bernoulli_each, bounded, normal, probability, uniform};
use crate::kernel::random::Generator;
use crate::ops::op::{Call, IN_PLACE_ONLY, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{GradName, random_fill};
use crate::tensor::explanation::RandomKind;
use crate::tensor::ops::draw;
use crate::tensor::{Result, Tensor, refuse_if};

/// A fill of argument 0 by the generator in argument `at`.
fn in_place(c: &Call, at: usize, fill: impl FnOnce(&Tensor, &mut Generator) -> Result<()>) -> Result<Value> {
    let (target, generator) = (c.tensor(0)?, c.generator(at));
    fill(target, &mut generator.borrow_mut())?;
    Ok(target.clone().into())
}

fn exponential(c: &Call) -> Result<Value> {
    let (target, rate) = (c.tensor(0)?, c.float(1)?);
    refuse_if!(
        !target.dtype().is_float(),
        "Exponential distribution is a continuous probability distribution. dtype must be a floating point but \
             you specified {}",
        target.dtype().cpp_name()
    );
    refuse_if!(rate <= 0.0 || rate.is_nan(), "exponential_ expects lambda > 0.0, but found lambda={rate}");
    in_place(c, 2, |target, generator| {
        draw::exponential(target, generator, c.state.family_of(target.numel())?, rate)
    })
}

rows![
    op(random_fill("uniform_", RandomKind::UniformFill).grad("Uniform"), IN_PLACE_ONLY, |c| {
        let (from, to) = (c.float(1)?, c.float(2)?);
        in_place(c, 3, |target, generator| uniform(target, generator, from, to))
    })
    .forms(&["Tensor input, float from=0, float to=1, *, Generator? generator=None"])
    .doc("Fills with numbers uniform in [from, to)."),
    op(random_fill("normal_", RandomKind::NormalFill).grad("Normal"), IN_PLACE_ONLY, |c| {
        let (mean, std) = (c.float(1)?, c.float(2)?);
        in_place(c, 3, |target, generator| normal(target, generator, mean, std))
    })
    .forms(&["Tensor input, float mean=0, float std=1, *, Generator? generator=None"])
    .doc("Fills with normal numbers."),
    op(
        random_fill("random_", RandomKind::Other).grad("Random").overload_by_form(),
        IN_PLACE_ONLY,
        |c| match c.form {
            0 => in_place(c, 3, |target, generator| match (c.int(1)?, c.opt_int(2)) {
                (i64::MIN, None) => draw::integers(target, generator, 0, 0),
                (from, to) => bounded(target, generator, from, to),
            }),
            1 => in_place(c, 2, |target, generator| bounded(target, generator, 0, Some(c.int(1)?))),
            _ => in_place(c, 1, draw::all_integers),
        }
    )
    .forms(&[
        "Tensor input, int from, int? to, *, Generator? generator=None",
        "Tensor input, int to, *, Generator? generator=None",
        "Tensor input, *, Generator? generator=None"
    ])
    .doc("Fills with whole numbers in [from, to), or over all the dtype can count to."),
    op(
        random_fill("bernoulli_", RandomKind::Bernoulli)
            .grad_name(GradName::Node("Bernoulli", 1))
            .overload_by_form(),
        IN_PLACE_ONLY,
        |c| {
            in_place(c, 2, |target, generator| match c.form {
                0 => bernoulli_each(target, generator, c.tensor(1)?),
                _ => draw::bernoulli(
                    target,
                    generator,
                    c.state.family_of(target.numel())?,
                    probability(c.float(1)?)?,
                ),
            })
        }
    )
    .forms(&[
        "Tensor input, Tensor p, *, Generator? generator=None",
        "Tensor input, float p=0.5, *, Generator? generator=None"
    ])
    .doc("Fills with 1 at probability p, else 0."),
    op(random_fill("exponential_", RandomKind::Other).grad("Exponential"), IN_PLACE_ONLY, exponential)
        .forms(&["Tensor input, float lambd=1, *, Generator? generator=None"])
        .doc("Fills with exponential numbers of rate lambd."),
];
