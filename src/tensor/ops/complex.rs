//! Functions of complex numbers, which lie as pairs along the last dimension of a real tensor.

use super::cast::to_dtype;
use crate::kernel::Real;
use crate::kernel::buffer_pool;
use crate::kernel::complex::{self, Library, Pair};
use crate::kernel::simd::{SimdWork, run_widest};
use crate::tensor::{Buffer, DType, Tensor};

/// A function of the pairs in one slice, written into another.
type One<T> = fn(&[T], &mut [T]);
/// The same of two slices; one of a single pair counts for all.
type Two<T> = fn(&[T], &[T], &mut [T]);

/// A function of one or of two complex numbers, in single and in double precision.
pub(crate) enum Formula {
    One(One<f32>, One<f64>),
    Two(Two<f32>, Two<f64>),
}

macro_rules! formulas {
    (@One $name:ident) => {
        Formula::One(|x, out| one(complex::$name, x, out), |x, out| one(complex::$name, x, out))
    };
    (@Two $name:ident) => {
        Formula::Two(|a, b, out| two(complex::$name, a, b, out), |a, b, out| two(complex::$name, a, b, out))
    };
    ($($kind:ident: $($name:ident)*;)*) => {
        &[$($((stringify!($name), formulas!(@$kind $name)),)*)*]
    };
}

/// NumPy's names of the functions.
static FORMULAS: &[(&str, Formula)] = formulas! {
    Two: add subtract multiply divide power;
    One: negative positive conjugate square reciprocal exp sqrt;
};

/// What is computed otherwise where no operand is an array.
static OF_NUMBERS: &[(&str, Formula)] = &[("multiply", formulas!(@Two product))];

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

    /// The same in a tensor: its own, where the pairs lie so already.
    fn laid(&self, shape: &[usize], dtype: DType) -> Tensor {
        let tensor = &self.tensor;
        let is_alike = self.is_pairs && tensor.dtype() == dtype && self.shape() == shape;
        if is_alike && tensor.is_contiguous() {
            return tensor.clone();
        }
        let pairs = self.pairs(shape, dtype);
        let count = pairs.len();
        Tensor::new(pairs, [count], dtype)
    }
}

/// The elements of a row-major tensor in the storage that has them.
fn elements<'a, T>(all: &'a [T], tensor: &Tensor) -> &'a [T] {
    let first = tensor.layout().offset;
    &all[first..first + tensor.numel()]
}

/// A function of pairs, compiled for the widest vectors.
struct OfOne<'a, T, F>(F, &'a [T], &'a mut [T]);

impl<T: Real, F: Fn(Pair<T>) -> Pair<T>> SimdWork for OfOne<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let pairs = self.1.as_chunks::<2>().0;
        for (out, &x) in self.2.as_chunks_mut::<2>().0.iter_mut().zip(pairs) {
            *out = (self.0)(x);
        }
    }
}

struct OfTwo<'a, T, F>(F, &'a [T], &'a [T], &'a mut [T]);

impl<T: Real, F: Fn(Pair<T>, Pair<T>) -> Pair<T>> SimdWork for OfTwo<'_, T, F> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let OfTwo(f, a, b, out) = self;
        let (a, b) = (a.as_chunks::<2>().0, b.as_chunks::<2>().0);
        let out = out.as_chunks_mut::<2>().0.iter_mut();
        if let [a] = a {
            for (out, &b) in out.zip(b.iter().cycle()) {
                *out = f(*a, b);
            }
        } else if let [b] = b {
            for (out, &a) in out.zip(a) {
                *out = f(a, *b);
            }
        } else {
            for ((out, &a), &b) in out.zip(a).zip(b) {
                *out = f(a, b);
            }
        }
    }
}

fn one<T: Real>(f: impl Fn(Pair<T>) -> Pair<T>, x: &[T], out: &mut [T]) {
    run_widest(OfOne(f, x, out));
}

fn two<T: Real>(f: impl Fn(Pair<T>, Pair<T>) -> Pair<T>, a: &[T], b: &[T], out: &mut [T]) {
    run_widest(OfTwo(f, a, b, out));
}

/// The pairs (.., 2) of a function of operands that broadcast to `shape`, whose parts have `dtype`: float32 or float64.
pub(crate) fn compute(formula: &Formula, operands: &[Operand], shape: &[usize], dtype: DType) -> Tensor {
    let count: usize = shape.iter().product();
    let tensors: Vec<Tensor> = operands.iter().map(|operand| operand.laid(shape, dtype)).collect();
    let storages: Vec<_> = tensors.iter().map(|tensor| tensor.storage().read()).collect();
    let buffers: Vec<&Buffer> = storages.iter().map(|storage| &**storage).collect();
    macro_rules! out {
        ($f:ident: $($x:ident $at:literal),+) => {{
            let mut out = buffer_pool::take(2 * count);
            $f($(elements($x, &tensors[$at]),)+ &mut out);
            out
        }};
    }
    let made = match (formula, &buffers[..]) {
        (Formula::One(f, _), [Buffer::F32(x)]) => Buffer::F32(out!(f: x 0)),
        (Formula::One(_, f), [Buffer::F64(x)]) => Buffer::F64(out!(f: x 0)),
        (Formula::Two(f, _), [Buffer::F32(a), Buffer::F32(b)]) => Buffer::F32(out!(f: a 0, b 1)),
        (Formula::Two(_, f), [Buffer::F64(a), Buffer::F64(b)]) => Buffer::F64(out!(f: a 0, b 1)),
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
