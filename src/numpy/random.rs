//! `_numpy._Stream`: the streams under `numpy.random`, draw for draw those of NumPy 1.26.
//! Source: the reference of `numpy.random.RandomState` (Mersenne Twister, polar normals, masked rejection) and of
//! `numpy.random.Generator` (PCG64, ziggurat normals, Lemire's bounded integers).

use rustpython_vm::class::PyClassImpl;
use rustpython_vm::common::lock::PyMutex;
use rustpython_vm::{PyObjectRef, PyPayload, PyResult, VirtualMachine, pyclass};

use super::context::{Set, context};
use super::scalar;
use crate::kernel::buffer_pool::{self, Element};
use crate::kernel::random::{Mt19937, Pcg64, ziggurat};
use crate::tensor::{Buffer, DType, Tensor, allow};
use crate::torch::OrRaise;

/// A source of random words.
#[derive(Clone, Debug)]
enum Engine {
    Twister(Box<Mt19937>),
    Pcg(Pcg64),
}

impl Engine {
    fn next32(&mut self) -> u32 {
        match self {
            Engine::Twister(twister) => twister.draw(),
            Engine::Pcg(pcg) => pcg.next32(),
        }
    }

    fn next64(&mut self) -> u64 {
        match self {
            Engine::Twister(twister) => {
                let high = u64::from(twister.draw());
                high << 32 | u64::from(twister.draw())
            }
            Engine::Pcg(pcg) => pcg.next64(),
        }
    }

    fn unit(&mut self) -> f64 {
        match self {
            Engine::Twister(twister) => {
                let (high, low) = (twister.draw() >> 5, twister.draw() >> 6);
                (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
            }
            Engine::Pcg(pcg) => (pcg.next64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0),
        }
    }

    /// A whole number from 0 to `most`, which is not 0: by masked rejection.
    fn masked(&mut self, most: u64) -> u64 {
        let mask = u64::MAX >> most.leading_zeros();
        loop {
            let word =
                if most <= u64::from(u32::MAX) { u64::from(self.next32()) } else { self.next64() } & mask;
            if word <= most {
                return word;
            }
        }
    }

    /// A whole number from 0 to `most`: by masked rejection, or by Lemire's method.
    fn bounded(&mut self, most: u64) -> u64 {
        if most == 0 {
            return 0;
        }
        let is_short = most <= u64::from(u32::MAX);
        match self {
            Engine::Twister(_) => self.masked(most),
            Engine::Pcg(pcg) if is_short => lemire(most, 32, || u64::from(pcg.next32())),
            Engine::Pcg(pcg) => lemire(most, 64, || pcg.next64()),
        }
    }
}

/// A whole number from 0 to `most`, from words of so many bits.
fn lemire(most: u64, bits: u32, mut word: impl FnMut() -> u64) -> u64 {
    let (count, largest) = (u128::from(most) + 1, (1u128 << bits) - 1);
    loop {
        let product = u128::from(word()) * count;
        let low = product & largest;
        if low >= count || low >= (largest - u128::from(most)) % count {
            return (product >> bits) as u64;
        }
    }
}

/// A stream: a source of words, and the second of two normals that the polar method makes.
#[derive(Clone, Debug)]
struct Stream {
    engine: Engine,
    second: Option<f64>,
}

impl Stream {
    fn normal(&mut self) -> f64 {
        if let Engine::Pcg(pcg) = &mut self.engine {
            return ziggurat::normal(&mut || pcg.next64());
        }
        if let Some(second) = self.second.take() {
            return second;
        }
        loop {
            let x = 2.0 * self.engine.unit() - 1.0;
            let y = 2.0 * self.engine.unit() - 1.0;
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = (-2.0 * square.ln() / square).sqrt();
                self.second = Some(factor * x);
                return factor * y;
            }
        }
    }
}

#[pyclass(module = "numpy.random", name = "_Stream")]
#[derive(Debug, PyPayload)]
struct PyStream {
    stream: PyMutex<Stream>,
}

/// The 32-bit words of one number or of several that are not negative, the lowest first.
fn entropy(seeds: &PyObjectRef, vm: &VirtualMachine) -> PyResult<Vec<u32>> {
    let mut all = Vec::new();
    for item in crate::torch::items(seeds).unwrap_or_else(|| vec![seeds.clone()]) {
        let words = item.try_index(vm)?.as_bigint().to_u32_digits().1;
        all.extend(if words.is_empty() { vec![0] } else { words });
    }
    Ok(all)
}

fn array(tensor: Tensor, vm: &VirtualMachine) -> PyResult {
    let numpy = context(vm)?;
    numpy.given(&tensor, vm);
    Ok(numpy.array(tensor, vm))
}

/// Draws in an array of this shape; one number where it is `None`. Errors: a negative size.
fn shaped<T: Element>(
    size: &PyObjectRef,
    (dtype, wrap): (DType, fn(Vec<T>) -> Buffer),
    vm: &VirtualMachine,
    mut draw: impl FnMut() -> T,
) -> PyResult {
    let sizes = match size.try_index_opt(vm) {
        _ if vm.is_none(size) => Vec::new(),
        Some(one) => vec![one?.try_to_primitive::<i64>(vm)?],
        None => vm.extract_elements_with(size, |one| one.try_index(vm)?.try_to_primitive::<i64>(vm))?,
    };
    if sizes.iter().any(|&size| size < 0) {
        return Err(vm.new_value_error("negative dimensions are not allowed"));
    }
    let shape: Vec<usize> = sizes.into_iter().map(|size| size as usize).collect();
    let all = buffer_pool::made(allow(&shape, dtype).or_raise(vm)?, |_| draw());
    let tensor = Tensor::new(wrap(all), shape, dtype);
    if vm.is_none(size) { Ok(scalar::python(&tensor.first(), vm)) } else { array(tensor, vm) }
}

const FLOATS: (DType, fn(Vec<f64>) -> Buffer) = (DType::Float64, Buffer::F64);

#[pyclass]
impl PyStream {
    /// The Mersenne Twister from one word, or from a key of words; or PCG64 from entropy.
    #[pystaticmethod]
    fn seeded(kind: String, seeds: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let words = entropy(&seeds, vm)?;
        let engine = match kind.as_str() {
            "word" => Engine::Twister(Box::new(Mt19937::new(words[0]))),
            "key" => Engine::Twister(Box::new(Mt19937::from_key(&words))),
            _ => Engine::Pcg(Pcg64::new(&words)),
        };
        Ok(PyStream { stream: PyMutex::new(Stream { engine, second: None }) }.into_pyobject(vm))
    }

    /// A stream of its own that draws the same from here on.
    #[pymethod]
    fn __deepcopy__(&self, _memo: PyObjectRef, vm: &VirtualMachine) -> PyObjectRef {
        PyStream { stream: PyMutex::new(self.stream.lock().clone()) }.into_pyobject(vm)
    }

    /// Uniform numbers in an array of this shape; one number where it is `None`.
    #[pymethod]
    fn units(&self, size: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let mut stream = self.stream.lock();
        shaped(&size, FLOATS, vm, || stream.engine.unit())
    }

    /// Normal numbers, as `units`.
    #[pymethod]
    fn normals(&self, size: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let mut stream = self.stream.lock();
        shaped(&size, FLOATS, vm, || stream.normal())
    }

    /// Whole numbers from `low` to `low + most`, as `units`.
    #[pymethod]
    fn integers(&self, low: i64, most: u64, size: PyObjectRef, vm: &VirtualMachine) -> PyResult {
        let mut stream = self.stream.lock();
        let draw = || low.wrapping_add(stream.engine.bounded(most) as i64);
        shaped(&size, (DType::Int64, Buffer::I64), vm, draw)
    }

    /// The order of `count` things after a shuffle that goes down to place `first`.
    #[pymethod]
    fn shuffled(&self, count: usize, first: usize, is_masked: bool, vm: &VirtualMachine) -> PyResult {
        let mut stream = self.stream.lock();
        allow(&[count], DType::Int64).or_raise(vm)?;
        let mut order: Vec<i64> = (0..count as i64).collect();
        for at in (first..count).rev() {
            let other = match is_masked {
                true => stream.engine.masked(at as u64),
                false => stream.engine.bounded(at as u64),
            } as usize;
            order.swap(at, other);
        }
        array(Tensor::from_i64(order, [count]), vm)
    }

    /// `count` different numbers below `total`, by Floyd's method.
    #[pymethod]
    fn distinct(&self, total: u64, count: u64, vm: &VirtualMachine) -> PyResult {
        let mut stream = self.stream.lock();
        let mut found: Vec<i64> = Vec::new();
        let mut known = std::collections::HashSet::new();
        for at in total - count..total {
            let value = stream.engine.bounded(at);
            let value = if known.insert(value) { value } else { at };
            known.insert(value);
            found.push(value as i64);
        }
        array(Tensor::from_i64(found, [count as usize]), vm)
    }
}

pub(super) fn define(set: &Set) -> PyResult<()> {
    set("_Stream", PyStream::make_static_type().into())
}
