//! The Mersenne Twister and the generator that PyTorch's CPU functions draw from.
//! Source: Matsumoto & Nishimura 1998; `torch.Generator` on CPU, `torch.get_rng_state`.

use crate::kernel::simd::SimdWork;
use crate::kernel::simd::run_widest;
use crate::kernel::stop;

/// Length of the Mersenne Twister's state, in 32-bit words.
const WORDS: usize = 624;
/// Draws that are computed at once.
const MANY: usize = 512;
/// Distance of the words that one step combines.
const SHIFT: usize = 397;

/// The Mersenne Twister MT19937 with 32 bits a draw.
#[derive(Clone, Debug)]
pub(crate) struct Mt19937 {
    state: [u32; WORDS],
    /// Position of the next word in `state`; `WORDS` when a new block is needed.
    next: usize,
    /// Blocks computed since the seed; `None` after a state was restored.
    blocks: Option<u64>,
}

/// The tempering of a word of the state.
#[inline(always)]
fn tempered(mut y: u32) -> u32 {
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c_5680;
    y ^= (y << 15) & 0xefc6_0000;
    y ^ (y >> 18)
}

/// Tempers many words.
struct TemperWords<'a> {
    words: &'a [u32],
    out: &'a mut [u32],
}

impl SimdWork for TemperWords<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.out.iter_mut().zip(self.words).for_each(|(out, &y)| *out = tempered(y));
    }
}

/// Generators are equal if they continue in the same way.
impl PartialEq for Mt19937 {
    fn eq(&self, other: &Mt19937) -> bool {
        self.state == other.state && self.next == other.next
    }
}

impl Eq for Mt19937 {}

impl Mt19937 {
    /// The standard initialisation from one word.
    pub(crate) fn new(seed: u32) -> Mt19937 {
        let mut state = [0u32; WORDS];
        state[0] = seed;
        for j in 1..WORDS {
            let before = state[j - 1];
            state[j] = 1_812_433_253u32.wrapping_mul(before ^ (before >> 30)).wrapping_add(j as u32);
        }
        Mt19937 { state, next: WORDS, blocks: Some(0) }
    }

    /// The standard initialisation from a key of any length (as Python's `random.seed` uses it).
    pub(crate) fn from_key(key: &[u32]) -> Mt19937 {
        let mut state = Mt19937::new(19_650_218).state;
        let key = if key.is_empty() { &[0] } else { key };
        let (mut i, mut j) = (1, 0);
        for _ in 0..WORDS.max(key.len()) {
            let before = state[i - 1];
            state[i] = (state[i] ^ (before ^ (before >> 30)).wrapping_mul(1_664_525))
                .wrapping_add(key[j])
                .wrapping_add(j as u32);
            i += 1;
            j += 1;
            if i == WORDS {
                state[0] = state[WORDS - 1];
                i = 1;
            }
            if j == key.len() {
                j = 0;
            }
        }
        for _ in 0..WORDS - 1 {
            let before = state[i - 1];
            state[i] =
                (state[i] ^ (before ^ (before >> 30)).wrapping_mul(1_566_083_941)).wrapping_sub(i as u32);
            i += 1;
            if i == WORDS {
                state[0] = state[WORDS - 1];
                i = 1;
            }
        }
        state[0] = 0x8000_0000;
        Mt19937 { state, next: WORDS, blocks: Some(0) }
    }

    /// The generator with this state and position; `None` unless there are 624 words and `next <= 624`.
    pub(crate) fn from_words(words: &[u32], next: usize) -> Option<Mt19937> {
        let state = words.try_into().ok()?;
        (next <= WORDS).then_some(Mt19937 { state, next, blocks: None })
    }

    /// The 624 words of the state, and how many of them are used.
    pub(crate) fn words(&self) -> (&[u32], usize) {
        (&self.state, self.next)
    }

    /// The number of words drawn since the seed; `None` after a state was restored.
    pub(crate) fn drawn(&self) -> Option<u64> {
        let blocks = self.blocks?;
        Some((blocks * WORDS as u64 + self.next as u64).saturating_sub(WORDS as u64))
    }

    /// The next 32 bits.
    #[inline]
    pub(crate) fn draw(&mut self) -> u32 {
        if self.next == WORDS {
            self.twist();
        }
        let y = self.state[self.next];
        self.next += 1;
        tempered(y)
    }

    /// Fills `out` with the next draws, tempered as vectors.
    pub(crate) fn fill(&mut self, out: &mut [u32]) {
        let mut rest = out;
        while !rest.is_empty() {
            if self.next == WORDS {
                self.twist();
            }
            let count = rest.len().min(WORDS - self.next);
            let (now, after) = rest.split_at_mut(count);
            run_widest(TemperWords { words: &self.state[self.next..self.next + count], out: now });
            self.next += count;
            rest = after;
        }
    }

    fn twist(&mut self) {
        #[inline(always)]
        fn mixed(high: u32, low: u32) -> u32 {
            let joined = (high & 0x8000_0000) | (low & 0x7fff_ffff);
            (joined >> 1) ^ (0x9908_b0df & (low & 1).wrapping_neg())
        }
        stop::check();
        let p = &mut self.state;
        for j in 0..WORDS - SHIFT {
            p[j] = p[j + SHIFT] ^ mixed(p[j], p[j + 1]);
        }
        for j in WORDS - SHIFT..WORDS - 1 {
            p[j] = p[j + SHIFT - WORDS] ^ mixed(p[j], p[j + 1]);
        }
        p[WORDS - 1] = p[SHIFT - 1] ^ mixed(p[WORDS - 1], p[0]);
        self.next = 0;
        self.blocks = self.blocks.map(|blocks| blocks + 1);
    }
}

/// The seed of a new `torch.Generator`. PyTorch seeds its default generator from the clock; here it has this seed
/// too, so that a program repeats from run to run.
pub(crate) const DEFAULT_SEED: u64 = 67_280_421_310_721;

/// Bytes of a state of `torch.get_rng_state`.
pub const STATE_BYTES: usize = 5056;

/// The generator of PyTorch's random functions on the CPU: `torch.Generator`. A clone continues the stream
/// independently.
#[derive(Clone, Debug)]
pub struct Generator {
    engine: Mt19937,
    seed: u64,
    /// The second normal of the last scalar pair, not returned yet (double precision).
    pub(super) cached_double: Option<f64>,
    /// The same in single precision; no function of this crate sets it, but a restored state may.
    cached_float: Option<f32>,
    /// Numbers written to tensors since the seed; `None` after a state was restored.
    given: Option<u64>,
}

/// Generators are equal if they continue in the same way.
impl PartialEq for Generator {
    fn eq(&self, other: &Generator) -> bool {
        let own = |it: &Generator| (it.seed, it.cached_double, it.cached_float);
        own(self) == own(other) && self.engine == other.engine
    }
}

impl Default for Generator {
    fn default() -> Generator {
        Generator::new(DEFAULT_SEED)
    }
}

impl Generator {
    /// A generator as `torch.Generator().manual_seed(seed)`: the low 32 bits make the stream.
    pub fn new(seed: u64) -> Generator {
        let engine = Mt19937::new(seed as u32);
        Generator { engine, seed, cached_double: None, cached_float: None, given: Some(0) }
    }

    /// Starts again from `seed` (`torch.manual_seed`); forgets a cached normal.
    pub(crate) fn seed(&mut self, seed: u64) {
        *self = Generator::new(seed);
    }

    /// The last seed, all 64 bits (`torch.initial_seed`).
    pub(crate) fn initial_seed(&self) -> u64 {
        self.seed
    }

    /// The number of 32-bit words drawn since the seed; `None` after a state was restored.
    pub(crate) fn words(&self) -> Option<u64> {
        self.engine.drawn()
    }

    /// The number of elements filled since the seed; `None` after a state was restored.
    pub(crate) fn given(&self) -> Option<u64> {
        self.given
    }

    /// Counts `n` filled elements.
    pub(crate) fn count(&mut self, n: usize) {
        self.given = self.given.map(|given| given + n as u64);
    }

    /// 32 random bits: one draw.
    #[inline]
    pub fn random(&mut self) -> u32 {
        self.engine.draw()
    }

    /// 64 random bits: two draws, the first one the high half.
    #[inline]
    pub(crate) fn random64(&mut self) -> u64 {
        let high = u64::from(self.engine.draw());
        (high << 32) | u64::from(self.engine.draw())
    }

    /// Uniform in [0, 1) with 53 bits: one 64-bit draw.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.random64() & ((1 << 53) - 1)) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Uniform in [0, 1) with 24 bits: one 32-bit draw.
    #[inline]
    pub fn unit_f32(&mut self) -> f32 {
        (self.random() & ((1 << 24) - 1)) as f32 * (1.0 / (1u32 << 24) as f32)
    }

    /// Fills `out` with numbers of [`Generator::unit`].
    pub fn units(&mut self, out: &mut [f64]) {
        let mut draws = [0; 2 * MANY];
        for out in out.chunks_mut(MANY) {
            let draws = &mut draws[..2 * out.len()];
            self.engine.fill(draws);
            for (out, pair) in out.iter_mut().zip(draws.chunks_exact(2)) {
                let bits = (u64::from(pair[0]) << 32 | u64::from(pair[1])) & ((1 << 53) - 1);
                *out = bits as f64 * (1.0 / (1u64 << 53) as f64);
            }
        }
    }

    /// Fills `out` with numbers of [`Generator::unit_f32`].
    pub fn units_f32(&mut self, out: &mut [f32]) {
        let mut draws = [0; MANY];
        for out in out.chunks_mut(MANY) {
            let draws = &mut draws[..out.len()];
            self.engine.fill(draws);
            for (out, &bits) in out.iter_mut().zip(&*draws) {
                *out = (bits & ((1 << 24) - 1)) as f32 * (1.0 / (1u32 << 24) as f32);
            }
        }
    }

    /// The state in the layout of `torch.get_rng_state`, little-endian.
    pub fn state(&self) -> Vec<u8> {
        // seed u64 | left i32 | seeded i32 | next u64 | 624 words as u64 |
        // x, y, rho f64 | normal valid i32, padding | float sample f32 | valid u8, padding
        let (words, next) = self.engine.words();
        // PyTorch computes the next block when `left` becomes 0, and starts with left 1, next 0.
        let fresh = next == WORDS && *self == Generator::new(self.seed);
        let (left, next) = if fresh { (1, 0) } else { ((WORDS - next + 1) as u32, next as u64) };
        let mut out = Vec::with_capacity(STATE_BYTES);
        out.extend(self.seed.to_le_bytes());
        out.extend(left.to_le_bytes());
        out.extend(1u32.to_le_bytes());
        out.extend(next.to_le_bytes());
        for &word in words {
            out.extend(u64::from(word).to_le_bytes());
        }
        out.extend(0f64.to_le_bytes());
        out.extend(self.cached_double.unwrap_or(0.0).to_le_bytes());
        out.extend(0f64.to_le_bytes());
        out.extend(u64::from(self.cached_double.is_some()).to_le_bytes());
        out.extend(self.cached_float.unwrap_or(0.0).to_le_bytes());
        out.extend(u32::from(self.cached_float.is_some()).to_le_bytes());
        out
    }

    /// The generator with a state of [`Generator::state`] or `torch.get_rng_state`; `None` if the bytes are not one.
    pub fn from_state(bytes: &[u8]) -> Option<Generator> {
        if bytes.len() != STATE_BYTES {
            return None;
        }
        let word = |at: usize| {
            let mut eight = [0u8; 8];
            eight.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(eight)
        };
        let (left, next) = (word(8) as u32 as usize, word(16) as usize);
        let words: Vec<u32> = (0..WORDS).map(|j| word(24 + 8 * j) as u32).collect();
        let next = match left {
            1 => WORDS,
            _ if left.checked_add(next)? == WORDS + 1 => next,
            _ => return None,
        };
        let normal = 24 + 8 * WORDS;
        let float = word(normal + 32);
        Some(Generator {
            engine: Mt19937::from_words(&words, next)?,
            seed: word(0),
            cached_double: (word(normal + 24) as u32 != 0).then(|| f64::from_bits(word(normal + 8))),
            cached_float: ((float >> 32) as u8 != 0).then(|| f32::from_bits(float as u32)),
            given: None,
        })
    }
}
