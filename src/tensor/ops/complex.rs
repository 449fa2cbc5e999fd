//! Functions of complex numbers, which lie as pairs along the last dimension of a real tensor.

use super::cast::to_dtype;
use crate::kernel::Real;
use crate::kernel::buffer_pool;
use crate::kernel::complex::{self, Library, Pair};
use crate::tensor::{Buffer, DType, Tensor};

/// A function of one or of two complex numbers, in single and in double precision.
pub(crate) enum Formula {
    One(fn(Pair<f32>) -> Pair<f32>, fn(Pair<f64>) -> Pair<f64>),
    Two(fn(Pair<f32>, Pair<f32>) -> Pair<f32>, fn(Pair<f64>, Pair<f64>) -> Pair<f64>),
}

macro_rules! formulas {
    ($($kind:ident: $($name:ident)*;)*) => {
        &[$($((stringify!($name), Formula::$kind(complex::$name, complex::$name)),)*)*]
    };
}

/// NumPy's names of the functions.
static FORMULAS: &[(&str, Formula)] = formulas! {
    Two: add subtract multiply divide power;
    One: negative positive conjugate square reciprocal exp sqrt;
};

/// What is computed otherwise where no operand is an array.
static OF_NUMBERS: &[(&str, Formula)] = &[("multiply", Formula::Two(complex::product, complex::product))];

/// The function of this name, for numbers or for arrays among them; `None` if there is none.
pub(crate) fn formula(name: &str, of_numbers: bool) -> Option<&'static Formula> {
    let rows = if of_numbers { OF_NUMBERS } else { &[] };
    rows.iter().chain(FORMULAS).find(|row| row.0 == name).map(|row| &row.1)
}

/// The real parts of pairs (0) or the imaginary parts (1): a view.
pub(crate) fn part(pairs: &Tensor, which: usize) -> Tensor {
    pairs.with_layout(pairs.layout().select(pairs.ndim() - 1, which))
}

/// An operand: a real tensor, or one of pairs.
pub(crate) struct Operand {
    pub(crate) tensor: Tensor,
    pub(crate) is_pairs: bool,
}

impl Operand {
    /// The shape, without the dimension of the pairs.
    pub(crate) fn shape(&self) -> &[usize] {
        let shape = self.tensor.shape();
        &shape[..shape.len() - usize::from(self.is_pairs)]
    }

    /// The pairs: of a single number those alone, otherwise as many as `shape` has, row-major.
    pub(crate) fn pairs(&self, shape: &[usize], dtype: DType) -> Buffer {
        let tensor = to_dtype(&self.tensor, dtype);
        let mut shape = if self.shape().is_empty() { Vec::new() } else { shape.to_vec() };
        if self.is_pairs {
            shape.push(2);
        }
        let elements = tensor.with_layout(tensor.layout().broadcast_to(&shape)).to_buffer();
        match elements {
            _ if self.is_pairs => elements,
            Buffer::F32(data) => Buffer::F32(data.into_iter().flat_map(|x| [x, 0.0]).collect()),
            Buffer::F64(data) => Buffer::F64(data.into_iter().flat_map(|x| [x, 0.0]).collect()),
            other => other,
        }
    }
}

fn one<T: Real>(f: fn(Pair<T>) -> Pair<T>, x: &[T]) -> Vec<T> {
    let mut out = buffer_pool::take(x.len());
    let pairs = x.as_chunks::<2>().0;
    out.as_chunks_mut::<2>().0.iter_mut().zip(pairs).for_each(|(out, &x)| *out = f(x));
    out
}

fn two<T: Real>(f: fn(Pair<T>, Pair<T>) -> Pair<T>, a: &[T], b: &[T], count: usize) -> Vec<T> {
    let mut out = buffer_pool::take(2 * count);
    let (a, b) = (a.as_chunks::<2>().0, b.as_chunks::<2>().0);
    let pairs = out.as_chunks_mut::<2>().0.iter_mut();
    match (a, b) {
        ([a], b) => pairs.zip(b.iter().cycle()).for_each(|(out, &b)| *out = f(*a, b)),
        (a, [b]) => pairs.zip(a).for_each(|(out, &a)| *out = f(a, *b)),
        _ => pairs.zip(a).zip(b).for_each(|((out, &a), &b)| *out = f(a, b)),
    }
    out
}

/// The pairs (.., 2) of a function of operands that broadcast to `shape`, whose parts have `dtype`: float32 or float64.
pub(crate) fn compute(formula: &Formula, operands: &[Operand], shape: &[usize], dtype: DType) -> Tensor {
    let count = shape.iter().product();
    let buffers: Vec<Buffer> = operands.iter().map(|operand| operand.pairs(shape, dtype)).collect();
    let made = match (formula, &buffers[..]) {
        (Formula::One(f, _), [Buffer::F32(x)]) => Buffer::F32(one(*f, x)),
        (Formula::One(_, f), [Buffer::F64(x)]) => Buffer::F64(one(*f, x)),
        (Formula::Two(f, _), [Buffer::F32(a), Buffer::F32(b)]) => Buffer::F32(two(*f, a, b, count)),
        (Formula::Two(_, f), [Buffer::F64(a), Buffer::F64(b)]) => Buffer::F64(two(*f, a, b, count)),
        _ => Buffer::zeros(dtype, 2 * count),
    };
    let mut shape = shape.to_vec();
    shape.push(2);
    Tensor::new(made, shape, dtype)
}

/// The sizes √(a² + b²) of an operand of pairs: of one number, or of an array.
pub(crate) fn sizes(operand: &Operand, of_number: bool) -> Tensor {
    fn each<T: Library>(pairs: &[T], of_number: bool) -> Vec<T> {
        let size = if of_number { complex::size } else { complex::size_in_array };
        pairs.as_chunks::<2>().0.iter().map(|&pair| size(pair)).collect()
    }
    let (shape, dtype) = (operand.shape(), operand.tensor.dtype());
    let sizes = match operand.pairs(shape, dtype) {
        Buffer::F32(pairs) => Buffer::F32(each(&pairs, of_number)),
        Buffer::F64(pairs) => Buffer::F64(each(&pairs, of_number)),
        other => other,
    };
    Tensor::new(sizes, shape, dtype)
}
