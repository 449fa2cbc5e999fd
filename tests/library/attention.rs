//! Every form of attention against the formula in double precision, and against itself on other threads.

use attn::kernel::Real;
use attn::kernel::attention::{self, Fused, Mask, Operands};
use ndarray::{Array4, ArrayView4, ArrayViewMut4, Axis, s};

/// Numbers that look random, about normal, each seed its own.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    fn one_of(&mut self, choices: &[usize]) -> usize {
        choices[(self.next() % choices.len() as u64) as usize]
    }

    fn normal(&mut self) -> f64 {
        (0..12).map(|_| (self.next() >> 11) as f64 / (1u64 << 53) as f64).sum::<f64>() - 6.0
    }

    /// Shape (B, H, T, D), laid out as one of the ways in which operands come.
    fn operand<T: Real>(&mut self, [b, h, t, d]: [usize; 4], layout: usize) -> Array4<T> {
        let mut fill = |shape| Array4::from_shape_simple_fn(shape, || T::from_f64(self.normal()));
        match layout {
            0 => fill([b, h, t, d]),
            1 => fill([b, t, h, d]).permuted_axes([0, 2, 1, 3]),
            2 => fill([b, h, d, t]).permuted_axes([0, 1, 3, 2]),
            _ => fill([b, h, t + 2, 2 * d]).slice_move(s![.., .., 1..t + 1, ..;2]),
        }
    }
}

/// The formula, term by term, in double precision; a query that attends to no key gets zeros. Also the largest score.
fn formula<T: Real>([q, k, v]: [ArrayView4<T>; 3], scale: T, mask: &Mask<T>) -> (Array4<f64>, f64) {
    let (b, h, t, _) = q.dim();
    let (groups, keys) = (k.len_of(Axis(1)), k.len_of(Axis(2)));
    let mut out = Array4::zeros((b, h, t, v.len_of(Axis(3))));
    let mut largest = 0.0f64;
    for (at, mut row) in ndarray::indices((b, h, t)).into_iter().zip(out.rows_mut()) {
        let (batch, head, query) = at;
        let group = head / (h / groups);
        let scores: Vec<f64> = (0..keys)
            .map(|key| {
                let at = [batch, head, query, key];
                let (q, k) = (q.slice(s![batch, head, query, ..]), k.slice(s![batch, group, key, ..]));
                let x: f64 = q.iter().zip(k).map(|(q, k)| q.to_f64() * k.to_f64()).sum();
                let x = x * scale.to_f64();
                match mask {
                    Mask::Causal if key > query => f64::NEG_INFINITY,
                    Mask::Keep(keep) if !keep[at] => f64::NEG_INFINITY,
                    Mask::Added(added) => x + added[at].to_f64(),
                    _ => x,
                }
            })
            .collect();
        let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if top == f64::NEG_INFINITY {
            row.fill(0.0);
            continue;
        }
        largest = scores.iter().filter(|x| x.is_finite()).fold(largest, |a, x| a.max(x.abs()));
        let weights: Vec<f64> = scores.iter().map(|x| (x - top).exp()).collect();
        let sum: f64 = weights.iter().sum();
        for (e, out) in row.iter_mut().enumerate() {
            let values = v.slice(s![batch, group, .., e]);
            *out = weights.iter().zip(values).map(|(w, v)| w * v.to_f64()).sum::<f64>() / sum;
        }
    }
    (out, largest)
}

type Form<T> = fn(Operands<T>, T, &Mask<T>, ArrayViewMut4<T>);

/// A mask of some kind over scores of this shape. Kinds 2 to 5 hide all keys from some query.
fn with_mask<T: Real>(numbers: &mut Numbers, shape: [usize; 4], kind: usize, test: impl FnOnce(&Mask<T>)) {
    let [b, _, t, keys] = shape;
    let blind = numbers.next() as usize % t;
    match kind {
        0 => test(&Mask::None),
        1 => test(&Mask::Causal),
        2 => {
            // One for all heads, with runs of hidden keys.
            let keep =
                Array4::from_shape_fn([1, 1, t, keys], |(_, _, i, j)| i != blind && (i * 5 + j) % 300 > 140);
            test(&Mask::Keep(keep.broadcast(shape).expect("one mask for all")));
        }
        3 => {
            // Padding: keys hidden from every query of a sequence, in the last one all.
            let keep = Array4::from_shape_fn([b, 1, 1, keys], |(batch, _, _, j)| batch + 1 < b && j % 3 != 1);
            test(&Mask::Keep(keep.broadcast(shape).expect("one row for all queries")));
        }
        4 => {
            let added = Array4::from_shape_fn(shape, |(_, _, i, j)| {
                if i == blind || (i + j) % 7 == 0 { T::NEG_INFINITY } else { T::from_f64(numbers.normal()) }
            });
            test(&Mask::Added(added.view()));
        }
        _ => {
            // Columns first in memory; nothing added to whole blocks, and others wholly hidden.
            let added = Array4::from_shape_fn([1, 1, keys, t], |(_, _, j, i)| {
                if i == blind || j / 150 % 2 == 1 { T::NEG_INFINITY } else { T::ZERO }
            });
            let added = added.permuted_axes([0, 1, 3, 2]);
            test(&Mask::Added(added.broadcast(shape).expect("one mask for all")));
        }
    }
}

/// Calls `test` with operands and masks of random shapes: operands, scale, mask, kind of mask.
fn cases<T: Real>(count: u64, test: impl Fn([ArrayView4<T>; 3], T, &Mask<T>, String)) {
    for seed in 0..count {
        let mut numbers = Numbers(seed);
        let (b, groups, share) = (numbers.one_of(&[1, 2]), numbers.one_of(&[1, 3]), numbers.one_of(&[1, 2]));
        let t = numbers.one_of(&[1, 2, 5, 16, 31, 32, 33, 70, 129, 300]);
        let keys = numbers.one_of(&[t, t, 1, 7, 8, 127, 130, 600, if t < 40 { 2500 } else { 260 }]);
        let d = numbers.one_of(&[1, 2, 3, 8, 16, 17, 64, 64, 65]);
        let e = numbers.one_of(&[d, d, 1, 9]);
        let layout = numbers.one_of(&[0, 1, 1, 2, 3]);
        let q = numbers.operand::<T>([b, groups * share, t, d], layout);
        let k = numbers.operand::<T>([b, groups, keys, d], layout);
        let v = numbers.operand::<T>([b, groups, keys, e], layout);
        let scale = T::from_f64(1.0 / (d as f64).sqrt());
        let kind = seed as usize % 6;
        with_mask(&mut numbers, [b, groups * share, t, keys], kind, |mask| {
            let shapes = format!("{:?} {:?} {:?}, layout {layout}, mask {kind}", q.dim(), k.dim(), v.dim());
            test([q.view(), k.view(), v.view()], scale, mask, shapes);
        });
    }
}

/// How far a form is from the formula, in units of the largest value times 1 + the largest score: a score's own
/// rounding is in proportion to it, and becomes the weight's relative error.
fn distance<T: Fused>(form: Form<T>, [q, k, v]: [ArrayView4<T>; 3], scale: T, mask: &Mask<T>) -> f64 {
    let (wanted, score) = formula([q, k, v], scale, mask);
    // The result lies in memory as a transposed query does, and held something else before.
    let (b, h, t, e) = wanted.dim();
    let mut out = Array4::from_elem((b, t, h, e), T::NAN).permuted_axes([0, 2, 1, 3]);
    form(Operands { q, k, v }, scale, mask, out.view_mut());
    let value = v.iter().map(|x| x.to_f64().abs()).fold(0.0, f64::max);
    let far = |(got, wanted): (&T, &f64)| match wanted.is_nan() {
        true => {
            if got.is_nan() {
                0.0
            } else {
                f64::INFINITY
            }
        }
        false if got.is_nan() => f64::INFINITY,
        false => (got.to_f64() - wanted).abs(),
    };
    out.iter().zip(&wanted).map(far).fold(0.0, f64::max) / (value * (1.0 + score))
}

#[test]
fn every_form_is_near_the_formula() {
    let forms: [(&str, Form<f32>); 2] = [("fast", attention::fast), ("streaming", attention::streaming)];
    cases::<f32>(120, |operands, scale, mask, shapes| {
        for (name, form) in forms {
            let far = distance(form, operands, scale, mask);
            assert!(far <= 2e-7, "{name}, {shapes}: {far:e}");
        }
    });
    let forms: [(&str, Form<f64>); 2] = [("fast", attention::fast), ("streaming", attention::streaming)];
    cases::<f64>(42, |operands, scale, mask, shapes| {
        for (name, form) in forms {
            let far = distance(form, operands, scale, mask);
            assert!(far <= 4e-16, "{name}, {shapes}: {far:e}");
        }
    });
}

#[test]
fn scores_of_any_size_are_borne() {
    let mut numbers = Numbers(7);
    let [mut q, k, v] = [40, 300, 300].map(|t| numbers.operand::<f32>([1, 2, t, 16], 1));
    for large in [0.0, 30.0, 1000.0, -1000.0, 1e30] {
        let scale = 0.25 * large;
        for form in [attention::fast::<f32> as Form<f32>, attention::streaming] {
            let far = distance(form, [q.view(), k.view(), v.view()], scale, &Mask::None);
            assert!(far <= 2e-7, "{large}: {far:e}");
        }
    }
    // nan reaches the rows that see it, and no other.
    q[[0, 1, 17, 3]] = f32::NAN;
    for form in [attention::fast::<f32> as Form<f32>, attention::streaming] {
        let mut out = Array4::zeros(q.dim());
        form(Operands { q: q.view(), k: k.view(), v: v.view() }, 0.25, &Mask::None, out.view_mut());
        for (at, row) in out.rows().into_iter().enumerate() {
            assert!(row.iter().all(|x| x.is_nan() == (at == 40 + 17)), "row {at}");
        }
    }
}

/// The bits of a result computed on so many threads. The count belongs to the process: whatever the other tests of
/// this file do meanwhile, they do with it too, which changes no bit.
fn bits(form: Form<f32>, threads: usize, [q, k, v]: [ArrayView4<f32>; 3], mask: &Mask<f32>) -> Vec<u32> {
    let mut out = Array4::zeros(q.dim());
    attn::kernel::threads::set_count(threads);
    let scale = 1.0 / (q.len_of(Axis(3)) as f32).sqrt();
    form(Operands { q, k, v }, scale, mask, out.view_mut());
    out.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn threads_change_no_bit() {
    for (t, keys, d, kind) in [(200, 200, 64, 1), (300, 130, 17, 0), (900, 900, 8, 1), (257, 300, 32, 4)] {
        let mut numbers = Numbers(t as u64);
        let [q, k, v] = [(4, t), (2, keys), (2, keys)].map(|(h, t)| numbers.operand([2, h, t, d], 1));
        let operands = [q.view(), k.view(), v.view()];
        with_mask(&mut numbers, [2, 4, t, keys], kind, |mask| {
            for form in [attention::fast::<f32> as Form<f32>, attention::streaming, attention::fused] {
                let alone = bits(form, 1, operands, mask);
                assert_eq!(alone, bits(form, 2, operands, mask));
                assert_eq!(alone, bits(form, 5, operands, mask));
            }
        });
    }
}

#[test]
fn the_width_of_vectors_changes_no_bit() {
    for (t, keys, d, kind) in [(200, 200, 64, 1), (113, 300, 17, 0), (49, 131, 8, 2), (97, 300, 32, 4)] {
        let mut numbers = Numbers(t as u64);
        let [q, k, v] = [(4, t), (2, keys), (2, keys)].map(|(h, t)| numbers.operand([1, h, t, d], 1));
        let operands = [q.view(), k.view(), v.view()];
        with_mask(&mut numbers, [1, 4, t, keys], kind, |mask| {
            let widest = bits(attention::fast, 2, operands, mask);
            attn::kernel::simd::limit_vectors(32);
            let narrow = bits(attention::fast, 2, operands, mask);
            attn::kernel::simd::limit_vectors(usize::MAX);
            assert_eq!(widest, narrow);
        });
    }
}

#[test]
fn the_size_alone_chooses_the_form() {
    let mut numbers = Numbers(1);
    for (heads, t, form) in [(12, 64, attention::streaming::<f32> as Form<f32>), (13, 600, attention::fast)] {
        let [q, k, v] = [0; 3].map(|_| numbers.operand([1, heads, t, 16], 1));
        let operands = [q.view(), k.view(), v.view()];
        let chosen = bits(attention::fused, 2, operands, &Mask::Causal);
        assert_eq!(chosen, bits(form, 2, operands, &Mask::Causal));
    }
}

#[test]
fn nothing_to_do_is_done() {
    for (t, keys, d, e) in [(0, 3, 2, 2), (3, 0, 2, 2), (3, 3, 0, 2), (3, 3, 2, 0)] {
        let (q, k, v) =
            (Array4::<f32>::ones((1, 2, t, d)), Array4::ones((1, 1, keys, d)), Array4::ones((1, 1, keys, e)));
        for form in [attention::fast::<f32> as Form<f32>, attention::streaming, attention::fused] {
            let mut out = Array4::from_elem((1, 2, t, e), f32::NAN);
            form(Operands { q: q.view(), k: k.view(), v: v.view() }, 1.0, &Mask::None, out.view_mut());
            let wanted = if keys == 0 { 0.0 } else { 1.0 };
            assert!(out.iter().all(|&x| x == wanted), "{t} {keys} {d} {e}: {out}");
        }
    }
}
