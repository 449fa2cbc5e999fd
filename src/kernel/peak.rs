//! The most multiply-adds this machine can do: what every product's speed is held against.
//! Numbers only; the clock is the one thing it asks of the outside.

use std::hint::black_box;
use std::time::Instant;

use super::gemm::chains;

/// Multiply-adds of each number before the clock is read: about a millisecond.
const LENGTH: usize = 1 << 19;

/// Single-precision multiply-adds a second on `threads` threads at once, in GFLOP/s (a multiply-add counts two):
/// the best of `rounds` rounds.
pub fn multiply_add_peak(threads: usize, rounds: usize) -> f64 {
    let once = || -> f64 {
        let start = Instant::now();
        let work: usize = std::thread::scope(|scope| {
            let one = || black_box(chains(black_box(LENGTH), black_box(0.5))).0;
            let all: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(one)).collect();
            all.into_iter().map(|thread| thread.join().unwrap_or(0)).sum()
        });
        2.0 * work as f64 / start.elapsed().as_secs_f64() / 1e9
    };
    (0..rounds.max(1)).map(|_| once()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_come_to_the_sum_of_the_series() {
        // x -> x/2 + 1 goes to 2, whatever it starts from.
        let (work, sum) = chains(200, 0.5);
        assert!(work >= 200 * 12, "{work}");
        assert!((sum - 2.0).abs() < 1e-6, "{sum}");
    }
}
