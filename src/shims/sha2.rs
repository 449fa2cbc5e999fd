//! Python's `_sha2`, as far as `random.seed("text")` needs it: SHA-512 of a whole message. Source: FIPS 180-4.
//! The crate `sha2` is well kept, but it would add seven packages to the build for a function that hashes a few bytes.

use std::sync::LazyLock;

use malachite_bigint::BigUint;

pub(crate) use native::module_def;

#[rustpython_vm::pymodule(name = "_sha2")]
mod native {
    use rustpython_vm::{
        PyPayload, PyResult, VirtualMachine,
        function::{ArgBytesLike, OptionalArg},
        pyclass,
    };

    /// A finished digest.
    #[pyattr]
    #[pyclass(name = "SHA512Type")]
    #[derive(Debug, PyPayload)]
    struct Digest {
        bytes: [u8; 64],
    }

    #[pyclass]
    impl Digest {
        /// The 64 bytes.
        #[pymethod]
        fn digest(&self) -> Vec<u8> {
            self.bytes.to_vec()
        }

        /// The 64 bytes in hexadecimal.
        #[pymethod]
        fn hexdigest(&self) -> String {
            self.bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        }
    }

    /// The SHA-512 digest of a message.
    #[pyfunction]
    fn sha512(message: OptionalArg<ArgBytesLike>, _vm: &VirtualMachine) -> PyResult<Digest> {
        let bytes = match message.into_option() {
            Some(message) => message.with_ref(super::sha512),
            None => super::sha512(&[]),
        };
        Ok(Digest { bytes })
    }
}

/// What the blocks of a message are mixed with.
static KEYS: LazyLock<[u64; 80]> = LazyLock::new(|| roots(3));

/// The SHA-512 digest of a message.
pub(crate) fn sha512(message: &[u8]) -> [u8; 64] {
    let mut state = roots(2);
    let mut padded = message.to_vec();
    padded.push(0x80);
    padded.resize(padded.len().next_multiple_of(128), 0);
    if padded.len() - message.len() < 17 {
        padded.resize(padded.len() + 128, 0);
    }
    let end = padded.len() - 16;
    padded[end..].copy_from_slice(&(message.len() as u128 * 8).to_be_bytes());
    for block in padded.as_chunks::<128>().0 {
        mix(&mut state, block);
    }
    let mut digest = [0; 64];
    for (place, word) in digest.as_chunks_mut::<8>().0.iter_mut().zip(state) {
        *place = word.to_be_bytes();
    }
    digest
}

/// One block of 128 bytes into the state.
fn mix(state: &mut [u64; 8], block: &[u8; 128]) {
    let mut w = [0u64; 80];
    for (word, bytes) in w.iter_mut().zip(block.as_chunks::<8>().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    for t in 16..80 {
        let (a, b) = (w[t - 15], w[t - 2]);
        let small = a.rotate_right(1) ^ a.rotate_right(8) ^ (a >> 7);
        let large = b.rotate_right(19) ^ b.rotate_right(61) ^ (b >> 6);
        w[t] = w[t - 16].wrapping_add(small).wrapping_add(w[t - 7]).wrapping_add(large);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, key) in w.into_iter().zip(*KEYS) {
        let wide = e.rotate_right(14) ^ e.rotate_right(18) ^ e.rotate_right(41);
        let chosen = (e & f) ^ (!e & g);
        let first = h.wrapping_add(wide).wrapping_add(chosen).wrapping_add(key).wrapping_add(word);
        let wide = a.rotate_right(28) ^ a.rotate_right(34) ^ a.rotate_right(39);
        let majority = (a & b) ^ (a & c) ^ (b & c);
        let second = wide.wrapping_add(majority);
        (h, g, f, e) = (g, f, e, d.wrapping_add(first));
        (d, c, b, a) = (c, b, a, first.wrapping_add(second));
    }
    for (word, add) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(add);
    }
}

/// The first 64 bits after the point of the roots of this degree of the first primes.
fn roots<const COUNT: usize>(degree: u32) -> [u64; COUNT] {
    let is_prime = |number: &u32| (2..*number).all(|divisor| !number.is_multiple_of(divisor));
    let mut primes = (2..).filter(is_prime);
    std::array::from_fn(|_| {
        let prime = BigUint::from(primes.next().unwrap_or_default());
        (prime << (64 * degree)).nth_root(degree).iter_u64_digits().next().unwrap_or_default()
    })
}
