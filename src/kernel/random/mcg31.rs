//! The generator MCG31m1, which builds with Intel MKL use for masks and exponentials.
//! Source: L'Ecuyer 1999 (multiplier 1132489760, modulus 2^31 - 1); the oneMKL notes on MCG31m1.

/// 2^31 - 1.
const MODULUS: u64 = (1 << 31) - 1;

/// A stream of integers in 1..2^31 - 1.
pub(super) struct Mcg31 {
    x: u64,
}

impl Mcg31 {
    /// A stream that one draw of the generator seeds.
    pub(super) fn new(seed: u32) -> Mcg31 {
        let x = u64::from(seed) % MODULUS;
        Mcg31 { x: x.max(1) }
    }

    /// Returns the current integer and moves to the next.
    #[inline]
    pub(super) fn draw(&mut self) -> u32 {
        let x = self.x;
        self.x = x * 1_132_489_760 % MODULUS;
        x as u32
    }
}

/// The integer as a number in (0, 1).
#[inline]
pub(super) fn unit(x: u32) -> f64 {
    f64::from(x) / MODULUS as f64
}
