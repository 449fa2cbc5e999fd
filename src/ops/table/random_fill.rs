//! Random numbers written into a tensor: `uniform_`, `normal_` and others.

use super::random::{bernoulli_each, bounded, normal, probability, short, uniform};
use crate::kernel::random::Generator;
use crate::ops::op::{Call, IN_PLACE_ONLY, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{GradName, random};
use crate::tensor::explanation::RandomKind;
use crate::tensor::ops::draw;
use crate::tensor::{Error, Result, Tensor};

/// A fill of argument 0 by the generator in argument `at`.
fn in_place(c: &Call, at: usize, fill: impl FnOnce(&Tensor, &mut Generator) -> Result<()>) -> Result<Value> {
    let (target, generator) = (c.tensor(0)?, c.generator(at));
    fill(target, &mut generator.borrow_mut())?;
    Ok(target.clone().into())
}

/// A number that must be positive.
fn positive(what: &str, name: &str, value: f64) -> Result<()> {
    if value > 0.0 {
        return Ok(());
    }
    Err(Error::runtime(format!("{what} expects {name} > 0.0, but found {name}={}", short(value))))
}

fn continuous(what: &str, x: &Tensor, name: &str) -> Result<()> {
    if x.dtype().is_float() {
        return Ok(());
    }
    Err(Error::runtime(format!(
        "{what} distribution is a continuous probability distribution. dtype must be a floating point but you \
         specified {name}"
    )))
}

rows![
    op(
        random("uniform_", RandomKind::UniformFill).overwriting().grad("Uniform"),
        IN_PLACE_ONLY,
        &["Tensor input, float from=0, float to=1, *, Generator? generator=None"],
        "Fills with numbers uniform in [from, to).",
        |c| {
            let (from, to) = (c.float(1)?, c.float(2)?);
            in_place(c, 3, |target, generator| uniform(target, generator, from, to))
        },
    ),
    op(
        random("normal_", RandomKind::NormalFill).overwriting().grad("Normal"),
        IN_PLACE_ONLY,
        &["Tensor input, float mean=0, float std=1, *, Generator? generator=None"],
        "Fills with normal numbers.",
        |c| {
            let (mean, std) = (c.float(1)?, c.float(2)?);
            in_place(c, 3, |target, generator| normal(target, generator, mean, std))
        },
    ),
    op(
        random("random_", RandomKind::Other).overwriting().grad("Random").overload_by_form(),
        IN_PLACE_ONLY,
        &[
            "Tensor input, int from, int? to, *, Generator? generator=None",
            "Tensor input, int to, *, Generator? generator=None",
            "Tensor input, *, Generator? generator=None",
        ],
        "Fills with whole numbers in [from, to), or over all the dtype can count to.",
        |c| match c.form {
            0 => in_place(c, 3, |target, generator| match (c.int(1)?, c.opt_int(2)) {
                (i64::MIN, None) => draw::integers(target, generator, 0, 0),
                (from, to) => bounded(target, generator, from, to),
            }),
            1 => in_place(c, 2, |target, generator| bounded(target, generator, 0, Some(c.int(1)?))),
            _ => in_place(c, 1, draw::all_integers),
        },
    ),
    op(
        random("bernoulli_", RandomKind::Bernoulli)
            .overwriting()
            .grad_name(GradName::Node("Bernoulli", 1))
            .overload_by_form(),
        IN_PLACE_ONLY,
        &[
            "Tensor input, Tensor p, *, Generator? generator=None",
            "Tensor input, float p=0.5, *, Generator? generator=None",
        ],
        "Fills with 1 at probability p, else 0.",
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
        },
    ),
    op(
        random("exponential_", RandomKind::Other).overwriting().grad("Exponential"),
        IN_PLACE_ONLY,
        &["Tensor input, float lambd=1, *, Generator? generator=None"],
        "Fills with exponential numbers of rate lambd.",
        |c| {
            in_place(c, 2, |target, generator| {
                continuous("Exponential", target, target.dtype().cpp_name())?;
                positive("exponential_", "lambda", c.float(1)?)?;
                draw::exponential(target, generator, c.state.family_of(target.numel())?, c.float(1)?)
            })
        },
    ),
    op(
        random("trunc_normal_", RandomKind::Other).overwriting().grad("Clamp"),
        IN_PLACE_ONLY,
        &["Tensor input, float mean=0, float std=1, float a=-2, float b=2, *, Generator? generator=None"],
        "Fills with normal numbers cut to [a, b]; `nn.init.trunc_normal_` calls it.",
        |c| {
            crate::tensor::ops::float::only_floats("check_uniform_bounds", c.tensor(0)?.dtype())?;
            in_place(c, 5, |target, generator| {
                draw::trunc_normal(target, generator, [c.float(1)?, c.float(2)?, c.float(3)?, c.float(4)?])
            })
        },
    ),
];
