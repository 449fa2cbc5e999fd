//! PCG64 and its seeding, as NumPy's `default_rng` has them.
//! Source: O'Neill 2014 (PCG XSL RR 128/64); NumPy's reference of `SeedSequence`.

/// The multiplier of the 128-bit step.
const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// A PCG64 generator.
#[derive(Clone, Debug)]
pub(crate) struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of a draw of which the lower was used.
    half: Option<u32>,
}

impl Pcg64 {
    /// The stream of this entropy: the 32-bit words of a number, the lowest first.
    pub(crate) fn new(entropy: &[u32]) -> Pcg64 {
        let words = seed_words(entropy);
        let long = |at: usize| u128::from(words[2 * at]) | u128::from(words[2 * at + 1]) << 32;
        let (start, stream) = (long(0) << 64 | long(1), long(2) << 64 | long(3));
        let mut made = Pcg64 { state: 0, increment: stream << 1 | 1, half: None };
        made.step();
        made.state = made.state.wrapping_add(start);
        made.step();
        made
    }

    fn step(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// 64 random bits.
    pub(crate) fn next64(&mut self) -> u64 {
        self.step();
        let (high, low) = ((self.state >> 64) as u64, self.state as u64);
        (high ^ low).rotate_right((self.state >> 122) as u32)
    }

    /// 32 random bits: the halves of a draw, the lower first.
    pub(crate) fn next32(&mut self) -> u32 {
        match self.half.take() {
            Some(half) => half,
            None => {
                let word = self.next64();
                self.half = Some((word >> 32) as u32);
                word as u32
            }
        }
    }
}

/// The eight words that seed a generator: `SeedSequence(entropy).generate_state(8)`.
fn seed_words(entropy: &[u32]) -> [u32; 8] {
    let mut constant = 0x43b0_d7e5u32;
    let mut hash = |value: u32| {
        let value = value ^ constant;
        constant = constant.wrapping_mul(0x931e_8875);
        let value = value.wrapping_mul(constant);
        value ^ value >> 16
    };
    let mix = |x: u32, y: u32| {
        let value = 0xca01_f9ddu32.wrapping_mul(x).wrapping_sub(0x4973_f715u32.wrapping_mul(y));
        value ^ value >> 16
    };
    let mut pool: [u32; 4] = std::array::from_fn(|at| hash(entropy.get(at).copied().unwrap_or(0)));
    for from in 0..4 {
        for to in (0..4).filter(|&to| to != from) {
            pool[to] = mix(pool[to], hash(pool[from]));
        }
    }
    for &word in entropy.iter().skip(4) {
        for place in &mut pool {
            *place = mix(*place, hash(word));
        }
    }
    let mut constant = 0x8b51_f9ddu32;
    std::array::from_fn(|at| {
        let value = pool[at % 4] ^ constant;
        constant = constant.wrapping_mul(0x58f3_8ded);
        let value = value.wrapping_mul(constant);
        value ^ value >> 16
    })
}
