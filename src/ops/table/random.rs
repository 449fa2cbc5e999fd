//! Random numbers from PyTorch's streams: fresh tensors and samples.

use crate::kernel::random::Generator;
use crate::ops::op::{BOTH, Call, FUNCTION, Op, op};
use crate::ops::value::Value;
use crate::tensor::descriptor::{GradName, random};
use crate::tensor::explanation::RandomKind;
use crate::tensor::layout::broadcast;
use crate::tensor::ops::{self, cast::to_dtype, draw, float::only_floats};
use crate::tensor::{Arg, DType, Error, Result, Tensor, refuse_if};

/// In a signature: the keywords of what is drawn into a new tensor.
macro_rules! drawn {
    () => {
        concat!("Generator? generator=None, ", made!(), ", only pin_memory=False, out? out=None")
    };
}

/// In a signature: those of what is drawn into a tensor as another one is.
macro_rules! drawn_as {
    () => {
        concat!(made!(), ", only pin_memory=False, format? memory_format=None")
    };
}

const SIZES: &[&str] = &[concat!("sizes size, *, ", drawn!())];
const LIKE: &[&str] = &[concat!("Tensor input, *, ", drawn_as!())];
const RANDINT: &[&str] =
    &[concat!("int low, int high, ints size, *, ", drawn!()), concat!("int high, ints size, *, ", drawn!())];
const NORMALS: &[&str] = &[
    "Tensor mean, Tensor std, *, Generator? generator=None, out? out=None",
    "Tensor mean, float std=1, *, Generator? generator=None, out? out=None",
    "float mean, Tensor std, *, Generator? generator=None, out? out=None",
    concat!("float mean, float std, ints size, *, ", drawn!()),
];

pub(super) fn uniform(target: &Tensor, generator: &mut Generator, from: f64, to: f64) -> Result<()> {
    let dtype = target.dtype();
    only_floats("check_uniform_bounds", dtype)?;
    let (least, most) = dtype.range();
    for (name, bound) in [("from", from), ("to", to)] {
        refuse_if!(!(least..=most).contains(&bound), "{name} is out of bounds for {}", dtype.c_name());
    }
    refuse_if!(from > to, "uniform_ expects to return a [from, to) range, but found from={from} > to={to}");
    refuse_if!(
        to - from > most,
        "uniform_ expects to-from <= {most:e}, but found to={to:e} and from={from:e}"
    );
    draw::uniform(target, generator, from, to)
}

pub(super) fn normal(target: &Tensor, generator: &mut Generator, mean: f64, std: f64) -> Result<()> {
    refuse_if!(std < 0.0 || std.is_nan(), "normal expects std >= 0.0, but found std {std}");
    only_floats("normal_kernel_cpu", target.dtype())?;
    draw::normal(target, generator, mean, std)
}

/// Whole numbers in [from, to), or from `from` on.
pub(super) fn bounded(target: &Tensor, generator: &mut Generator, from: i64, to: Option<i64>) -> Result<()> {
    let dtype = target.dtype();
    let (least, most) = dtype.range();
    let within = |name: &str, value: f64| match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(Error::runtime(format!("{name} is out of bounds for {}", dtype.c_name()))),
    };
    let range = match to {
        Some(to) => {
            refuse_if!(
                from >= to,
                "random_ expects 'from' to be less than 'to', but got from={from} >= to={to}"
            );
            within("from", from as f64)?;
            within("to - 1", (to - 1) as f64)?;
            to.wrapping_sub(from) as u64
        }
        None => {
            within("from", from as f64)?;
            dtype.most_whole().wrapping_sub(from).wrapping_add(1) as u64
        }
    };
    draw::integers(target, generator, range, from)
}

/// A fresh leaf, filled.
fn leaf(tensor: Tensor, requires_grad: bool, fill: impl FnOnce(&Tensor) -> Result<()>) -> Result<Value> {
    fill(&tensor)?;
    super::create::leaf(tensor, requires_grad)
}

type Fill = fn(&Tensor, &mut Generator) -> Result<()>;
const UNIFORM: Fill = |target, generator| uniform(target, generator, 0.0, 1.0);
const NORMAL: Fill = |target, generator| normal(target, generator, 0.0, 1.0);

fn sized(c: &Call, fill: Fill) -> Result<Value> {
    let (shape, generator) = (c.shape(0)?, c.generator(1));
    let dtype = c.opt_dtype(2).unwrap_or(c.default_dtype());
    leaf(Tensor::zeros(&shape, dtype)?, c.bool(5), |target| fill(target, &mut generator.borrow_mut()))
}

fn like(c: &Call, fill: Fill) -> Result<Value> {
    let x = c.tensor(0)?;
    let target = x.zeros_like(c.opt_dtype(1).unwrap_or(x.dtype()))?;
    leaf(target, c.bool(4), |target| fill(target, &mut c.state.generator.borrow_mut()))
}

/// Sizes that must come as a sequence.
fn sequence(c: &Call, at: usize) -> Result<Vec<usize>> {
    if let Arg::Int(_) = c.arg(at) {
        return Err(c.mismatch(at, "tuple of ints, not int"));
    }
    c.shape(at)
}

fn randint(c: &Call) -> Result<Value> {
    let (low, high, at) = if c.form == 0 { (c.int(0)?, c.int(1)?, 2) } else { (0, c.int(0)?, 1) };
    let (shape, generator) = (sequence(c, at)?, c.generator(at + 1));
    let dtype = c.opt_dtype(at + 2).unwrap_or(DType::Int64);
    leaf(Tensor::zeros(&shape, dtype)?, c.bool(at + 5), |target| {
        bounded(target, &mut generator.borrow_mut(), low, Some(high))
    })
}

fn randperm(c: &Call) -> Result<Value> {
    let n = c.int(0)?;
    let dtype = c.opt_dtype(2).unwrap_or(DType::Int64);
    refuse_if!(n < 0, "Trying to create tensor with negative dimension {n}: [{n}]");
    let most = match dtype {
        DType::Bool => return Err(Error::unsupported_dtype("randperm", DType::Bool)),
        DType::Float16 | DType::BFloat16 | DType::Float32 => dtype.most_whole() + 1,
        _ => i64::MAX,
    };
    refuse_if!(n > most, "n cannot be greater than {most} for {} type.", dtype.cpp_name());
    crate::tensor::allow(&[n as usize], dtype)?;
    let generator = c.generator(1);
    let order = crate::kernel::random::randperm(&mut generator.borrow_mut(), n as usize);
    generator.borrow_mut().count(n as usize);
    let order = to_dtype(&Tensor::from_i64(order, [n as usize]), dtype);
    leaf(order, c.bool(5), |_| Ok(()))
}

fn normal_of(c: &Call) -> Result<Value> {
    let generator = c.generator(if c.form == 3 { 3 } else { 2 });
    let generator = &mut *generator.borrow_mut();
    let default = c.default_dtype();
    let (mean, std) = (c.opt_tensor(0), c.opt_tensor(1));
    let Some(model) = mean.or(std) else {
        let (mean, std, shape) = (c.float(0)?, c.float(1)?, sequence(c, 2)?);
        let dtype = c.opt_dtype(4).unwrap_or(default);
        return leaf(Tensor::zeros(&shape, dtype)?, c.bool(7), |target| normal(target, generator, mean, std));
    };
    c.set_grad_name(GradName::Node("Normal", [3, 1, 2][c.form]));
    refuse_if!(
        std.is_some_and(|std| std.to_f64_vec().iter().any(|&std| std < 0.0)),
        "normal expects all elements of std >= 0.0"
    );
    let shape = broadcast(mean.map_or(&[], Tensor::shape), std.map_or(&[], Tensor::shape))?;
    let mut noise = Tensor::zeros(shape, model.dtype())?;
    normal(&noise, generator, 0.0, if std.is_some() { 1.0 } else { c.float(1)? })?;
    if std.is_some() {
        noise = ops::pointwise::mul(&Arg::Tensor(noise), c.arg(1), default)?;
    }
    let shifted = ops::pointwise::add(&Arg::Tensor(noise), c.arg(0), default)?;
    Ok(to_dtype(&shifted, model.dtype()).into())
}

pub(super) fn probability(p: f64) -> Result<f64> {
    if (0.0..=1.0).contains(&p) {
        return Ok(p);
    }
    Err(Error::runtime(format!("bernoulli_ expects p to be in [0, 1], but got p={p}")))
}

/// Draws with the probabilities `p`, which broadcasts to `target`.
pub(super) fn bernoulli_each(target: &Tensor, generator: &mut Generator, p: &Tensor) -> Result<()> {
    only_floats("bernoulli_tensor_cpu_p_", p.dtype())?;
    let sizes: Vec<i64> = target.shape().iter().map(|&size| size as i64).collect();
    let p = p.with_layout(p.layout().expand(&sizes, "Float")?);
    refuse_if!(
        p.to_f64_vec().iter().any(|p| !(0.0..=1.0).contains(p)),
        "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  If \
             so, please report an enhancement request to PyTorch.)"
    );
    draw::bernoulli_each(target, generator, &p)
}

fn bernoulli(c: &Call) -> Result<Value> {
    let x = c.tensor(0)?;
    let generator = c.generator(if c.form == 0 { 1 } else { 2 });
    let generator = &mut *generator.borrow_mut();
    let target = if c.form == 0 { Tensor::zeros(x.shape(), x.dtype())? } else { x.zeros_like(x.dtype())? };
    if c.form == 0 {
        bernoulli_each(&target, generator, x)?;
    } else {
        c.set_grad_name(GradName::Node("Bernoulli", 1));
        draw::bernoulli(&target, generator, c.state.family_of(target.numel())?, probability(c.float(1)?)?)?;
    }
    Ok(target.into())
}

fn multinomial(c: &Call) -> Result<Value> {
    let (p, samples, replacement) = (c.tensor(0)?, c.int(1)?, c.bool(2));
    refuse_if!(p.ndim() == 0 || p.ndim() > 2, "prob_dist must be 1 or 2 dim");
    refuse_if!(
        !p.dtype().is_float(),
        "multinomial only supports floating-point dtypes for input, got: {}",
        p.dtype().cpp_name()
    );
    refuse_if!(samples <= 0, "cannot sample n_sample <= 0 samples");
    let categories = p.shape()[p.ndim() - 1];
    refuse_if!(
        !replacement && samples as usize > categories,
        "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
    );
    let samples = samples as usize;
    let mut shape = p.shape().to_vec();
    shape[p.ndim() - 1] = samples;
    crate::tensor::allow(&shape, DType::Int64)?;
    let weights = p.to_f64_vec();
    refuse_if!(
        categories == 0 && shape.iter().product::<usize>() > 0,
        "invalid multinomial distribution (sum of probabilities <= 0)"
    );
    if shape.iter().product::<usize>() > 0 {
        refuse_if!(
            weights.iter().any(|&weight| !(0.0..f64::INFINITY).contains(&weight)),
            "probability tensor contains either `inf`, `nan` or element < 0"
        );
        refuse_if!(
            weights.chunks(categories).any(|row| row.iter().sum::<f64>() <= 0.0),
            "invalid multinomial distribution (sum of probabilities <= 0)"
        );
    }
    let generator = c.generator(3);
    let generator = &mut *generator.borrow_mut();
    let family = c.state.family_of(weights.len())?;
    use crate::kernel::random;
    let indices = match p.dtype() {
        DType::Float64 => random::multinomial(generator, family, &weights, categories, samples, replacement),
        _ => random::multinomial(generator, family, &p.to_f32_vec(), categories, samples, replacement),
    };
    generator.count(indices.len());
    Ok(Tensor::from_i64(indices, shape).into())
}

rows![
    op(random("rand", RandomKind::Uniform), FUNCTION, |c| sized(c, UNIFORM))
        .forms(SIZES)
        .doc("Uniform in [0, 1)."),
    op(random("randn", RandomKind::Normal), FUNCTION, |c| sized(c, NORMAL))
        .forms(SIZES)
        .doc("Standard normal: mean 0, variance 1."),
    op(random("rand_like", RandomKind::Uniform), FUNCTION, |c| like(c, UNIFORM))
        .forms(LIKE)
        .doc("Uniform in [0, 1), in the input's shape."),
    op(random("randn_like", RandomKind::Normal), FUNCTION, |c| like(c, NORMAL))
        .forms(LIKE)
        .doc("Standard normal, in the input's shape."),
    op(random("randint", RandomKind::Other), FUNCTION, randint)
        .forms(RANDINT)
        .doc("Whole numbers in [low, high)."),
    op(random("randperm", RandomKind::Together), FUNCTION, randperm)
        .forms(&[concat!("int n, *, ", drawn!())])
        .doc("The numbers 0 to n - 1, shuffled. (n)"),
    op(random("normal", RandomKind::Other).grad_name(GradName::Node("Normal", 3)), FUNCTION, normal_of)
        .forms(NORMALS)
        .doc("Normal, with a mean and a standard deviation for all or for each element."),
    op(random("bernoulli", RandomKind::Bernoulli).grad("Bernoulli"), BOTH, bernoulli)
        .forms(&[
            "Tensor input, *, Generator? generator=None, out? out=None",
            "Tensor input, float p, *, Generator? generator=None"
        ])
        .doc("1 with the probability each element states (or p), else 0."),
    op(random("multinomial", RandomKind::Together), BOTH, multinomial)
        .forms(&["Tensor input, int num_samples, bool replacement=False, *, Generator? generator=None, \
             out? out=None"])
        .doc("Indices drawn with probability in proportion to the weights. (.., n) -> (.., num_samples)"),
];
