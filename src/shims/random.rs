//! Python's `_random`: the engine under the `random` module, with CPython's own streams.
//! Sees RustPython and the kernel's Mersenne Twister.
//! Source: Python's library reference, `random`; CPython 3.11's seeding and 53-bit floats.

pub(crate) use engine::module_def;

#[rustpython_vm::pymodule(name = "_random")]
mod engine {
    use malachite_bigint::{BigInt, Sign};
    use rustpython_vm::{
        PyObjectRef, PyPayload, PyRef, PyResult, VirtualMachine,
        builtins::{PyInt, PyTuple, PyTupleRef},
        common::lock::PyMutex,
        function::OptionalArg,
        pyclass,
        types::{Constructor, DefaultConstructor, Initializer},
    };

    use crate::kernel::random::Mt19937;

    /// Class `_random.Random`: one stream.
    #[pyattr]
    #[pyclass(name = "Random")]
    #[derive(Debug, PyPayload)]
    struct Random {
        engine: PyMutex<Mt19937>,
    }

    impl Default for Random {
        fn default() -> Random {
            Random { engine: PyMutex::new(Mt19937::from_key(&[0])) }
        }
    }

    impl DefaultConstructor for Random {}

    impl Initializer for Random {
        type Args = OptionalArg<PyObjectRef>;

        fn init(zelf: PyRef<Self>, seed: Self::Args, vm: &VirtualMachine) -> PyResult<()> {
            zelf.seed(seed, vm)
        }
    }

    #[pyclass(flags(BASETYPE), with(Constructor, Initializer))]
    impl Random {
        /// A float in [0, 1) with 53 bits, from two draws.
        #[pymethod]
        fn random(&self) -> f64 {
            let mut engine = self.engine.lock();
            let (high, low) = (engine.draw() >> 5, engine.draw() >> 6);
            (f64::from(high) * f64::from(1 << 26) + f64::from(low)) / (1u64 << 53) as f64
        }

        /// Starts the stream again: an integer by its absolute value, all bits of it; anything
        /// else by its hash.
        #[pymethod]
        fn seed(&self, seed: OptionalArg<PyObjectRef>, vm: &VirtualMachine) -> PyResult<()> {
            let key = match seed.into_option().filter(|seed| !vm.is_none(seed)) {
                Some(seed) => match seed.downcast_ref::<PyInt>() {
                    Some(int) => int.as_bigint().to_u32_digits().1,
                    None => {
                        let hash = seed.hash(vm)? as u64;
                        vec![hash as u32, (hash >> 32) as u32]
                    }
                },
                None => unseeded(vm)?,
            };
            // Leading zero words are no part of a number.
            let used = key.iter().rposition(|word| *word != 0).map_or(0, |i| i + 1);
            *self.engine.lock() = Mt19937::from_key(&key[..used]);
            Ok(())
        }

        /// A non-negative integer of `k` random bits.
        #[pymethod]
        fn getrandbits(&self, k: PyObjectRef, vm: &VirtualMachine) -> PyResult {
            let k = k.try_index(vm)?;
            let k: i64 = k.try_to_primitive(vm)?;
            if k < 0 {
                return Err(vm.new_value_error("number of bits must be non-negative"));
            }
            let mut engine = self.engine.lock();
            if k <= 32 {
                let bits = if k == 0 { 0 } else { engine.draw() >> (32 - k) };
                return Ok(vm.ctx.new_int(bits).into());
            }
            if k > MOST_BITS {
                return Err(vm.new_overflow_error("getrandbits: number of bits too large"));
            }
            let mut bytes = Vec::with_capacity((k as usize).div_ceil(32) * 4);
            let mut left = k;
            while left > 0 {
                let word = engine.draw();
                let word = if left < 32 { word >> (32 - left) } else { word };
                bytes.extend(word.to_le_bytes());
                left -= 32;
            }
            Ok(vm.ctx.new_bigint(&BigInt::from_bytes_le(Sign::Plus, &bytes)).into())
        }

        /// The 624 words of the state and the place in them.
        #[pymethod]
        fn getstate(&self, vm: &VirtualMachine) -> PyTupleRef {
            let engine = self.engine.lock();
            let (words, next) = engine.words();
            let all = words.iter().copied().chain([next as u32]);
            vm.ctx.new_tuple(all.map(|word| vm.ctx.new_int(word).into()).collect())
        }

        /// Restores a state from `getstate`.
        #[pymethod]
        fn setstate(&self, state: PyObjectRef, vm: &VirtualMachine) -> PyResult<()> {
            let Ok(state) = state.downcast::<PyTuple>() else {
                return Err(vm.new_type_error("state vector must be a tuple"));
            };
            let words = state
                .iter()
                .map(|word| word.try_index(vm)?.try_to_primitive::<u32>(vm))
                .collect::<PyResult<Vec<u32>>>()?;
            let Some((next, words)) = words.split_last().filter(|(_, words)| words.len() == 624) else {
                return Err(vm.new_value_error("state vector is the wrong size"));
            };
            match Mt19937::from_words(words, *next as usize) {
                Some(engine) => *self.engine.lock() = engine,
                None => return Err(vm.new_value_error("invalid state")),
            }
            Ok(())
        }
    }

    /// The most bits that one call may return (128 MiB).
    const MOST_BITS: i64 = 1 << 30;

    /// The key of a stream that nobody seeded. There is no clock in here, so that a program repeats
    /// from run to run; within one interpreter each such stream is another one.
    fn unseeded(vm: &VirtualMachine) -> PyResult<Vec<u32>> {
        let name = vm.ctx.intern_str("_unseeded");
        let modules = vm.sys_module.get_attr("modules", vm)?;
        let module = modules.get_item("_random", vm)?;
        let count: u32 = match module.get_attr(name, vm) {
            Ok(count) => count.try_index(vm)?.try_to_primitive(vm)?,
            Err(_) => 0,
        };
        module.set_attr(name, vm.ctx.new_int(count.wrapping_add(1)), vm)?;
        Ok(vec![0x6174_746e, count])
    }
}
