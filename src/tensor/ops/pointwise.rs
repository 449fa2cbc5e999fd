//! Pointwise operations: promotion, broadcasting, then one loop of the kernel.
//! Source: PyTorch's pointwise operations.

use std::cmp::Ordering;
use std::convert::identity;

use super::cast::to_dtype;
use super::float::Float;

use crate::each_lane;
use crate::kernel::buffer_pool::{self, Element};
use crate::kernel::elementwise;
use crate::tensor::buffer::{Number, in_lane};
use crate::tensor::dtype::result_type;
use crate::tensor::layout::broadcast;
use crate::tensor::{Arg, Buffer, Category, DType, Error, Lane, Layout, Result, Tensor, refuse_if};

/// A pointwise operation of two operands, for each lane that has it.
pub(crate) struct BinaryOp {
    /// PyTorch's name, for errors.
    pub(crate) name: &'static str,
    /// On 32-bit floats.
    pub(crate) f32: fn(f32, f32) -> f32,
    /// On 64-bit floats.
    pub(crate) f64: fn(f64, f64) -> f64,
    /// On integers; `None` if PyTorch computes in floats.
    pub(crate) i64: Option<fn(i64, i64) -> i64>,
    /// On bools; `None` if PyTorch computes in integers or raises an error.
    pub(crate) bool: Option<fn(bool, bool) -> bool>,
}

/// An operand as a tensor: Python numbers become 0-d tensors.
pub(crate) fn operand(arg: &Arg, dtype: DType) -> Result<Tensor> {
    match arg {
        Arg::Tensor(tensor) => Ok(tensor.clone()),
        Arg::Bool(_) | Arg::Int(_) | Arg::Float(_) => {
            Ok(Tensor::new(Arg::buffer(std::slice::from_ref(arg), dtype), [], dtype))
        }
        _ => Err(Error::type_error("expected a tensor or a number")),
    }
}

/// The dtype in which operands are computed. As `torch.result_type`.
pub(crate) fn common_dtype(args: &[&Arg], default: DType) -> DType {
    result_type(args.iter().filter_map(|arg| arg.operand()), default)
}

/// An operand in the lane of `dtype`. Numbers are not rounded to a half-precision dtype, as in PyTorch.
pub(crate) fn wide(arg: &Arg, dtype: DType) -> Result<Tensor> {
    let narrow = dtype.is_half();
    match arg {
        Arg::Tensor(tensor) => Ok(to_dtype(tensor, dtype)),
        number if narrow => operand(number, DType::Float32),
        number => operand(number, dtype),
    }
}

/// The layout of a result that is computed in the order of its operands in memory; `None` if it is row-major.
type ResultOrder = Option<Layout>;

fn finished(order: ResultOrder, buffer: Buffer, shape: Vec<usize>, dtype: DType) -> Tensor {
    match order {
        None => Tensor::new(buffer, shape, dtype),
        Some(layout) => Tensor::new(buffer, [layout.numel()], dtype).with_layout(layout),
    }
}

fn order_of(a: &Tensor) -> ResultOrder {
    Some(Layout { shape: a.shape().into(), strides: a.strides().into(), offset: 0 })
}

/// Two operands of one dtype in the order of the loop, and what the result is made with.
struct Operands {
    a: Tensor,
    b: Tensor,
    dtype: DType,
    shape: Vec<usize>,
    /// The shape of the loop.
    run: Vec<usize>,
    order: ResultOrder,
}

impl Operands {
    /// Operands converted to `dtype` and broadcast, with room for a result of that dtype.
    fn new(a: &Arg, b: &Arg, dtype: DType) -> Result<Operands> {
        let on = Operands::of(wide(a, dtype)?, wide(b, dtype)?, dtype)?;
        crate::tensor::allow(&on.shape, dtype)?;
        Ok(on)
    }

    /// Operands of one dtype. Dense ones are read in the order of memory. The caller moves other results to PyTorch's order.
    fn of(a: Tensor, b: Tensor, dtype: DType) -> Result<Operands> {
        let shape = broadcast(a.shape(), b.shape())?;
        let plain = (a.is_contiguous() && b.is_contiguous()) || shape.contains(&0);
        let dense = |x: &Tensor| x.shape() == shape && x.layout().is_dense();
        let single = |x: &Tensor| x.numel() == 1;
        let leader = if plain {
            None
        } else if dense(&a) && (dense(&b) && a.strides() == b.strides() || single(&b)) {
            Some(&a)
        } else if dense(&b) && single(&a) {
            Some(&b)
        } else {
            None
        };
        Ok(match leader.map(|leader| (order_of(leader), vec![leader.numel()])) {
            Some((order, run)) => Operands { a: a.flat(), b: b.flat(), dtype, shape, run, order },
            None => Operands { a, b, dtype, run: shape.clone(), shape, order: None },
        })
    }

    fn over<T: Number, R: Element>(&self, f: impl Fn(T, T) -> R + Sync) -> Vec<R> {
        over(&self.run, &self.a, &self.b, f)
    }

    fn finish(self, buffer: Buffer) -> Tensor {
        finished(self.order, buffer, self.shape, self.dtype)
    }
}

/// One operand in the order of the loop, and the order of the result.
fn arranged_one(a: &Tensor) -> (Tensor, ResultOrder) {
    match !a.is_contiguous() && a.numel() > 0 && a.layout().is_dense() {
        true => (a.flat(), order_of(a)),
        false => (a.clone(), None),
    }
}

/// A function of each pair of elements of two tensors of one dtype, broadcast to a shape.
fn over<T: Number, R: Element>(
    shape: &[usize],
    a: &Tensor,
    b: &Tensor,
    f: impl Fn(T, T) -> R + Sync,
) -> Vec<R> {
    let [la, lb] = [a, b].map(|x| x.layout().broadcast_to(shape));
    let (x, y) = (a.storage().read(), b.storage().read());
    elementwise::binary(shape, la.strided(T::elements(&x)), lb.strided(T::elements(&y)), f)
}

/// `a op b`, promoted and broadcast. Errors: shapes that do not broadcast; bools where refused.
pub(crate) fn binary(op: &BinaryOp, a: &Arg, b: &Arg, default: DType) -> Result<Tensor> {
    let mut dtype = common_dtype(&[a, b], default);
    if dtype.category() < Category::Float && op.i64.is_none() {
        dtype = default;
    }
    if dtype == DType::Bool && op.bool.is_none() {
        dtype = DType::UInt8;
    }
    let on = Operands::new(a, b, dtype)?;
    let buffer = match dtype.lane() {
        Lane::F32 => Buffer::F32(on.over(op.f32)),
        Lane::F64 => Buffer::F64(on.over(op.f64)),
        Lane::I64 => {
            let f = op.i64.expect("integers were promoted where there is no integer form");
            Buffer::I64(on.over(f))
        }
        Lane::Bool => {
            let f = op.bool.expect("bools were promoted where there is no form for them");
            Buffer::Bool(on.over(f))
        }
    };
    Ok(on.finish(buffer))
}

/// The arithmetic operations as separate loops, which the compiler vectorises.
macro_rules! arithmetic {
    ($name:ident, |$x:ident, $y:ident| $float:expr, $int:expr, $bool:expr, $doc:literal) => {
        #[doc = $doc]
        pub fn $name(a: &Arg, b: &Arg, default: DType) -> Result<Tensor> {
            let on = Operands::new(a, b, common_dtype(&[a, b], default))?;
            let buffer = match on.dtype.lane() {
                Lane::F32 => Buffer::F32(on.over(|$x: f32, $y: f32| $float)),
                Lane::F64 => Buffer::F64(on.over(|$x: f64, $y: f64| $float)),
                Lane::I64 => Buffer::I64(on.over($int)),
                Lane::Bool => Buffer::Bool(on.over($bool)),
            };
            Ok(on.finish(buffer))
        }
    };
}

arithmetic!(add, |x, y| x + y, i64::wrapping_add, |x: bool, y: bool| x | y, "`a + b`. As `torch.add`.");
arithmetic!(
    sub,
    |x, y| x - y,
    i64::wrapping_sub,
    |x: bool, y: bool| x & !y,
    "`a - b`; the caller checks that the operands are not bools. As `torch.sub`."
);
arithmetic!(mul, |x, y| x * y, i64::wrapping_mul, |x: bool, y: bool| x & y, "`a * b`. As `torch.mul`.");
arithmetic!(
    maximum,
    |x, y| if x.is_nan() || x > y { x } else { y },
    i64::max,
    |x: bool, y: bool| x | y,
    "The larger of each pair, NaN before numbers. As `torch.maximum`."
);
arithmetic!(
    minimum,
    |x, y| if x.is_nan() || x < y { x } else { y },
    i64::min,
    |x: bool, y: bool| x & y,
    "The smaller of each pair, NaN before numbers. As `torch.minimum`."
);

/// `a / b`, always in floats. As `torch.div`.
pub(crate) fn div(a: &Arg, b: &Arg, default: DType) -> Result<Tensor> {
    let dtype = super::float_dtype(common_dtype(&[a, b], default), default);
    Ok(of_floats(Operands::new(a, b, dtype)?, |x, y| x / y, |x, y| x / y))
}

/// A function of two tensors of one float dtype, broadcast; computed in the lane of the first one's dtype and rounded once.
/// In the order of their memory.
pub(crate) fn zipped(
    a: &Tensor,
    b: &Tensor,
    f32: impl Fn(f32, f32) -> f32 + Sync,
    f64: impl Fn(f64, f64) -> f64 + Sync,
) -> Result<Tensor> {
    let on = Operands::of(a.clone(), to_dtype(b, a.dtype()), a.dtype())?;
    crate::tensor::allow(&on.shape, on.dtype)?;
    Ok(super::strides::placed(of_floats(on, f32, f64), &[a, b]))
}

fn of_floats(
    on: Operands,
    f32: impl Fn(f32, f32) -> f32 + Sync,
    f64: impl Fn(f64, f64) -> f64 + Sync,
) -> Tensor {
    let buffer = match on.dtype.lane() {
        Lane::F64 => Buffer::F64(on.over(f64)),
        _ => Buffer::F32(on.over(f32)),
    };
    on.finish(buffer)
}

/// A comparison of each pair of elements; `test` is one of [`Ordering`]'s.
#[expect(clippy::bool_comparison, reason = "the operands are numbers too")]
pub(crate) fn compare(a: &Arg, b: &Arg, default: DType, test: fn(Ordering) -> bool) -> Result<Tensor> {
    let dtype = common_dtype(&[a, b], default);
    let Operands { a, b, shape, run, order, .. } = Operands::of(wide(a, dtype)?, wide(b, dtype)?, dtype)?;
    let tests = [Ordering::Less, Ordering::Equal, Ordering::Greater].map(test);
    // Three loops for each type: `a > b` is `b < a`. nan fails every test but "not equal".
    let values = in_lane!(dtype.lane(), T => match tests {
        [true, false, false] => over(&run, &a, &b, |x: T, y| x < y),
        [true, true, false] => over(&run, &a, &b, |x: T, y| x <= y),
        [false, false, true] => over(&run, &b, &a, |x: T, y| x < y),
        [false, true, true] => over(&run, &b, &a, |x: T, y| x <= y),
        [is_less, ..] => {
            let mut equal = over(&run, &a, &b, |x: T, y| x == y);
            equal.iter_mut().for_each(|equal| *equal ^= is_less);
            equal
        }
    });
    Ok(finished(order, Buffer::Bool(values), shape, DType::Bool))
}

/// A logical operation on operands converted to bools.
pub(crate) fn logical(a: &Tensor, b: &Tensor, f: fn(bool, bool) -> bool) -> Result<Tensor> {
    let (a, b) = (to_dtype(a, DType::Bool), to_dtype(b, DType::Bool));
    let shape = broadcast(a.shape(), b.shape())?;
    Ok(Tensor::from_bool(over(&shape, &a, &b, f), shape))
}

/// A function of each element in floats; integers become the default dtype first.
pub(crate) fn float_unary(
    a: &Tensor,
    default: DType,
    f32: fn(&[f32], &mut [f32]),
    f64: fn(&[f64], &mut [f64]),
) -> Tensor {
    fn mapped<T: Float>(x: &Tensor, f: fn(&[T], &mut [T])) -> Buffer {
        let seen = T::row_major(x);
        let mut out = buffer_pool::take(seen.len());
        elementwise::in_pieces(&seen, &mut out, f);
        T::buffer(out)
    }
    let dtype = super::float_dtype(a.dtype(), default);
    let (run, order) = arranged_one(&to_dtype(a, dtype));
    let buffer = if dtype == DType::Float64 { mapped(&run, f64) } else { mapped(&run, f32) };
    finished(order, buffer, a.shape().to_vec(), dtype)
}

/// A function of each element that keeps its dtype.
pub(crate) fn same_unary(
    a: &Tensor,
    f32: impl Fn(f32) -> f32 + Sync,
    f64: impl Fn(f64) -> f64 + Sync,
    i64: impl Fn(i64) -> i64 + Sync,
) -> Tensor {
    let (run, order) = arranged_one(a);
    let layout = run.layout();
    let buffer = match &*run.storage().read() {
        Buffer::F32(data) => Buffer::F32(elementwise::unary(&layout.shape, layout.strided(data), f32)),
        Buffer::F64(data) => Buffer::F64(elementwise::unary(&layout.shape, layout.strided(data), f64)),
        Buffer::I64(data) => Buffer::I64(elementwise::unary(&layout.shape, layout.strided(data), i64)),
        // The same for all functions: compiled once.
        Buffer::Bool(data) => {
            Buffer::Bool(elementwise::gather_strided(data, &layout.shape, &layout.strides, layout.offset))
        }
    };
    finished(order, buffer, a.shape().to_vec(), a.dtype())
}

/// A test of each element as a float.
pub(crate) fn test(a: &Tensor, f: impl Fn(f64) -> bool + Sync) -> Tensor {
    let layout = a.layout();
    let values = each_lane!(&*a.storage().read(), data => {
        elementwise::unary(&layout.shape, layout.strided(data), |x| f(Number::f64(x)))
    });
    Tensor::from_bool(values, a.shape())
}

/// `condition ? a : b`, promoted and broadcast. As `torch.where`.
pub(crate) fn select(condition: &Tensor, a: &Arg, b: &Arg, default: DType) -> Result<Tensor> {
    let dtype = common_dtype(&[a, b], default);
    let (a, b) = (wide(a, dtype)?, wide(b, dtype)?);
    refuse_if!(
        !matches!(condition.dtype(), DType::Bool | DType::UInt8),
        "where expected condition to be a boolean tensor, but got a tensor with dtype {}",
        condition.dtype().cpp_name()
    );
    let shape = broadcast(condition.shape(), &broadcast(a.shape(), b.shape())?)?;
    chosen(&to_dtype(condition, DType::Bool), &a, &b, shape, dtype)
}

/// `condition ? a : b`, of bools and two tensors in the lane of `dtype`, which broadcast to `shape`.
pub(crate) fn chosen(
    condition: &Tensor,
    a: &Tensor,
    b: &Tensor,
    shape: Vec<usize>,
    dtype: DType,
) -> Result<Tensor> {
    crate::tensor::allow(&shape, dtype)?;
    let [lc, la, lb] = [condition, a, b].map(|x| x.layout().broadcast_to(&shape));
    let (tests, x, y) = (condition.storage().read(), a.storage().read(), b.storage().read());
    let tests = lc.strided(bool::elements(&tests));
    let buffer = in_lane!(dtype.lane(), T => {
        let (x, y) = (la.strided(T::elements(&x)), lb.strided(T::elements(&y)));
        T::buffer(elementwise::ternary(&shape, tests, x, y, |c: bool, x, y| if c { x } else { y }))
    });
    Ok(Tensor::new(buffer, shape, dtype))
}

/// `base ** exponent`, promoted and broadcast; the caller checks for bools and negative powers of integers.
/// As `torch.pow`.
pub(crate) fn pow(base: &Arg, exponent: &Arg, default: DType) -> Result<Tensor> {
    let dtype = common_dtype(&[base, exponent], default);
    if let (Some(base), Some(exponent)) = (base.tensor(), exponent.number())
        && dtype.is_float()
    {
        let base = to_dtype(base, dtype);
        // The exponents PyTorch computes without pow.
        // Each a loop of its own, which the compiler vectorises.
        macro_rules! exact {
            ($f:expr, $g:expr) => {
                return Ok(same_unary(&base, $f, $g, identity))
            };
        }
        match exponent {
            1.0 => exact!(|x| x, |x| x),
            2.0 => exact!(|x| x * x, |x| x * x),
            // A product of bfloat16 numbers is one.
            3.0 if dtype == DType::BFloat16 => exact!(|x| dtype.round_f32(x * x) * x, identity),
            -2.0 if dtype == DType::BFloat16 => exact!(|x| 1.0 / dtype.round_f32(x * x), identity),
            3.0 => exact!(|x| x * x * x, |x| x * x * x),
            -0.5 => exact!(|x| 1.0 / x.sqrt(), |x| 1.0 / x.sqrt()),
            -1.0 => exact!(|x| 1.0 / x, |x| 1.0 / x),
            -2.0 => exact!(|x| 1.0 / (x * x), |x| 1.0 / (x * x)),
            _ => {}
        }
    }
    let power = BinaryOp {
        name: "pow",
        f32: f32::powf,
        f64: f64::powf,
        i64: Some(|base, exponent| match exponent {
            0.. => base.wrapping_pow(exponent as u32),
            _ if base == 1 || base == -1 && exponent % 2 == 0 => 1,
            _ if base == -1 => -1,
            _ => 0,
        }),
        bool: None,
    };
    binary(&power, base, exponent, default)
}
