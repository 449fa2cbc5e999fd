//! The kernel against PyTorch, bit for bit, and against plain loops in double precision.
//!
//! `golden/kernel.json` is what `golden/make_kernel.py` recorded on x86-64. Elements whose order of summation comes from
//! fused multiply-add need a processor that has it; without one those cases are compared within a few ULP.

use attn::kernel::Real;
use attn::kernel::attention::{self, Mask, Operands};
use attn::kernel::offset::WithOffset;
use attn::kernel::simd::limit_vectors;
use attn::kernel::{dot, gemm, loss, math, norm, reduce, softmax};
use ndarray::{
    Array1, Array2, Array3, Array4, ArrayD, ArrayView1, ArrayView2, ArrayViewD, Axis, Ix1, Ix2, Ix3, Ix4,
    Slice, s,
};
use serde_json::Value;

/// An operand as the recording stores it, and the view that the case is about.
struct Operand {
    stored: ArrayD<f32>,
    layout: String,
}

impl Operand {
    fn read(json: &Value) -> Operand {
        let mut shape: Vec<usize> = json["shape"].as_array().expect("a shape").iter().map(whole).collect();
        let layout = json["layout"].as_str().expect("a layout").to_owned();
        let last = shape.len() - 1;
        match layout.as_str() {
            "t" => shape.swap(last - 1, last),
            "s" => shape[last] += 3,
            _ => {}
        }
        Operand {
            stored: ArrayD::from_shape_vec(shape, bits(&json["bits"])).expect("as many numbers"),
            layout,
        }
    }

    fn view(&self) -> ArrayViewD<'_, f32> {
        let last = self.stored.ndim() - 1;
        match self.layout.as_str() {
            "t" => {
                let mut view = self.stored.view();
                view.swap_axes(last - 1, last);
                view
            }
            "s" => self.stored.slice_axis(Axis(last), Slice::new(1, Some(-2), 1)),
            _ => self.stored.view(),
        }
    }

    /// Elements of the storage before the view's first one.
    fn offset(&self) -> usize {
        usize::from(self.layout == "s")
    }
}

fn whole(json: &Value) -> usize {
    json.as_u64().expect("a whole number") as usize
}

fn bits(json: &Value) -> Vec<f32> {
    let digits = json.as_str().expect("hexadecimal digits");
    (0..digits.len())
        .step_by(8)
        .map(|i| f32::from_bits(u32::from_str_radix(&digits[i..i + 8], 16).expect("hexadecimal digits")))
        .collect()
}

fn two(x: &Operand) -> ArrayView2<'_, f32> {
    x.view().into_dimensionality::<Ix2>().expect("two axes")
}

fn matrix_of(x: &Operand) -> WithOffset<ArrayView2<'_, f32>> {
    WithOffset::new(two(x), x.offset())
}

fn vector_of(x: &Operand) -> WithOffset<ArrayView1<'_, f32>> {
    WithOffset::new(x.view().into_dimensionality::<Ix1>().expect("one axis"), x.offset())
}

fn compute(op: &str, x: &[Operand], axes: &[usize], causal: bool, targets: &[i64]) -> Vec<f32> {
    let first = || x[0].view();
    let mut out = vec![0.0; first().len()];
    let straight: Vec<f32> = first().iter().copied().collect();
    match op {
        "matmul" => {
            let mut out = Array2::zeros((two(&x[0]).nrows(), two(&x[1]).ncols()));
            gemm::matmul(matrix_of(&x[0]), matrix_of(&x[1]), out.view_mut());
            return out.into_raw_vec_and_offset().0;
        }
        "addmm" => {
            let mut out = two(&x[2]).to_owned();
            gemm::addmm(matrix_of(&x[0]), matrix_of(&x[1]), out.view_mut());
            return out.into_raw_vec_and_offset().0;
        }
        "bmm" => {
            let [a, b] = [0, 1].map(|i| {
                WithOffset::new(x[i].view().into_dimensionality::<Ix3>().expect("three axes"), x[i].offset())
            });
            let mut out = Array3::zeros((a.view.dim().0, a.view.dim().1, b.view.dim().2));
            gemm::batched(a, b, out.view_mut());
            return out.into_raw_vec_and_offset().0;
        }
        "mv" => {
            let mut out = vec![0.0; two(&x[0]).nrows()];
            dot::matvec(matrix_of(&x[0]), vector_of(&x[1]), &mut out);
            return out;
        }
        "dot" => {
            return vec![dot::dot(vector_of(&x[0]), vector_of(&x[1]))];
        }
        "softmax" => return softmax::softmax(first(), axes[0]),
        "log_softmax" => return softmax::log_softmax(first(), axes[0]),
        "sum" => return reduce::sum(first(), axes),
        "mean" => return reduce::mean(first(), axes),
        "var" => return reduce::var(first(), axes, 1.0),
        "std" => return reduce::std(first(), axes, 1.0),
        "amax" => return reduce::amax(first(), axes).expect("something to choose from"),
        "norm" => return reduce::norm(first(), axes, 2.0),
        "prod" => return reduce::prod(first(), axes),
        "cumsum" => return reduce::cumsum(first(), axes[0]),
        "layer_norm" => {
            let [w, b] = [1, 2].map(|i| x[i].stored.as_slice().expect("one row"));
            return norm::layer_norm(&straight, w.len(), Some(w), Some(b), 1e-5).0;
        }
        "attention" => {
            let [q, k, v] = [0, 1, 2].map(|i| {
                WithOffset::new(x[i].view().into_dimensionality::<Ix4>().expect("four axes"), x[i].offset())
            });
            let scale = 1.0 / (q.view.dim().3 as f32).sqrt();
            return exact(Operands { q, k, v }, scale, &if causal { Mask::Causal } else { Mask::None });
        }
        "nll" => {
            let values = loss::ClassValues::new(&straight, first().shape());
            let options = loss::NllOptions { weight: None, ignored: -100 };
            return vec![loss::nll_total(&values, targets, &options).expect("targets are classes").0];
        }
        "sigmoid" => math::sigmoid(&straight, &mut out),
        "silu" => math::silu(&straight, &mut out),
        other => panic!("no such operation: {other}"),
    }
    out
}

/// Fused attention in the form that gives PyTorch's bits.
fn exact<T: Real>(x: Operands<T>, scale: T, mask: &Mask<T>) -> Vec<T> {
    let (b, h, t, _) = x.q.view.dim();
    let mut out = Array4::from_elem((b, h, t, x.v.view.dim().3), T::NAN);
    attention::streaming(x, scale, mask, out.view_mut());
    out.into_raw_vec_and_offset().0
}

/// Whether single roundings of a product and a sum come from the processor, as they did where the figures were made.
fn fused() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    cfg!(target_arch = "aarch64")
}

fn equal(got: &[f32], recorded: &[f32]) -> bool {
    let exact = fused();
    got.len() == recorded.len()
        && got.iter().zip(recorded).all(|(a, b)| {
            a.to_bits() == b.to_bits()
                || (a.is_nan() && b.is_nan())
                || (!exact && (a - b).abs() <= 1e-5 * b.abs().max(1.0))
        })
}

#[test]
fn bits_are_those_that_pytorch_gives() {
    let recorded: Value =
        serde_json::from_str(include_str!("../golden/kernel.json")).expect("the recording is JSON");
    let mut wrong = Vec::new();
    let cases = recorded["cases"].as_array().expect("cases");
    for (index, case) in cases.iter().enumerate() {
        let operands: Vec<Operand> =
            case["in"].as_array().expect("operands").iter().map(Operand::read).collect();
        let axes: Vec<usize> = case["axes"].as_array().into_iter().flatten().map(whole).collect();
        let causal = case["causal"].as_bool().unwrap_or(false);
        let targets: Vec<i64> =
            case["targets"].as_array().into_iter().flatten().filter_map(Value::as_i64).collect();
        let outs: Vec<(&str, &Value)> = match case["out"].as_object() {
            Some(outs) => outs.iter().map(|(op, out)| (op.as_str(), out)).collect(),
            None => vec![(case["op"].as_str().expect("an operation"), &case["out"])],
        };
        for (op, out) in outs {
            if !equal(&compute(op, &operands, &axes, causal, &targets), &bits(out)) {
                let shapes: Vec<_> =
                    operands.iter().map(|x| (x.view().shape().to_vec(), x.layout.clone())).collect();
                wrong.push(format!("case {index}: {op} of {shapes:?} over {axes:?}"));
            }
        }
    }
    assert!(cases.len() > 150 && wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

/// Numbers without a pattern that arithmetic could use: a linear congruence.
fn numbers(n: usize, seed: u64) -> Vec<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    (0..n).map(|_| next()).collect()
}

fn matrix(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns), numbers(rows * columns, seed)).expect("as many numbers")
}

fn plain_product(a: ArrayView2<f64>, b: ArrayView2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((a.nrows(), b.ncols()), |(i, j)| {
        (0..a.ncols()).map(|k| a[[i, k]] * b[[k, j]]).sum()
    })
}

#[test]
fn products_agree_with_a_plain_loop_for_every_layout() {
    for (seed, &(m, k, n)) in [
        (0, 3, 2),
        (3, 0, 2),
        (3, 2, 0),
        (1, 1, 1),
        (1, 7, 5),
        (5, 7, 1),
        (3, 3, 3),
        (6, 50, 9),
        (20, 30, 40),
        (65, 33, 17),
        (40, 450, 30),
    ]
    .iter()
    .enumerate()
    {
        let seed = seed as u64 + 1;
        let (wide_a, wide_b) = (matrix(2 * m, k + 3, seed), matrix(k + 3, 2 * n, seed + 50));
        let (row, column) = (matrix(1, k, seed + 70), matrix(k, 1, seed + 90));
        let (turned_a, turned_b) = (matrix(k, m, seed + 110), matrix(n, k, seed + 130));
        let lefts = [
            wide_a.slice(s![..;2, 1..k + 1]),
            turned_a.t(),
            row.broadcast((m, k)).expect("one row repeated"),
        ];
        let rights = [
            wide_b.slice(s![2..k + 2, ..;2]),
            turned_b.t(),
            column.broadcast((k, n)).expect("one column repeated"),
        ];
        for a in lefts {
            for b in rights {
                let wanted = plain_product(a, b);
                let mut got = Array2::from_elem((m, n), f64::NAN);
                gemm::matmul(a, b, got.view_mut());
                let worst = got.iter().zip(&wanted).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                // Each term carries an error of at most 2^-53 of its size, which is below a quarter.
                assert!(worst <= 1e-15 * (k as f64 + 1.0), "({m}, {k}) @ ({k}, {n}): {worst}");
                assert!(got.iter().all(|x| x.is_finite()));
                gemm::addmm(a, b, got.view_mut());
                gemm::gemm(-2.0, a, b, 1.0, got.view_mut());
                let left = got.iter().fold(0.0, |worst: f64, x| worst.max(x.abs()));
                assert!(left <= 4e-15 * (k as f64 + 1.0), "twice the product less twice the product: {left}");
            }
        }
    }
}

/// Σ a_k b_k as the blocked kernel adds it: chains of at most 192 multiply-adds, which are added one by one.
fn chain_sum(start: Option<f32>, a: ArrayView1<f32>, b: ArrayView1<f32>) -> f32 {
    let (k, mut sum, mut from) = (a.len(), start, 0);
    while from < k {
        let to = k.min(from + if k > 192 && k / 2 < 192 { k / 2 } else { 192 });
        let chain = (from..to).fold(0.0, |sum: f32, at| a[at].mul_add(b[at], sum));
        (sum, from) = (Some(sum.map_or(chain, |sum| sum + chain)), to);
    }
    sum.unwrap_or(0.0)
}

/// Products for each way to compute them: with few columns, many columns, and so many terms that they are packed in parts.
const SIZES: [(usize, usize, usize); 11] = [
    (4, 2, 12),
    (8, 64, 48),
    (13, 200, 49),
    (24, 70, 530),
    (25, 31, 64),
    (61, 385, 100),
    (270, 9, 35),
    (200, 290, 150),
    (27, 200, 530),
    (195, 33, 800),
    (25, 3100, 513),
];

#[test]
fn large_products_are_chains_of_multiply_adds_on_all_vectors_and_in_all_layouts() {
    if !fused() {
        return;
    }
    let of = |rows, columns, seed| matrix(rows, columns, seed).mapv(|x| x as f32);
    for (seed, &(m, k, n)) in SIZES.iter().enumerate() {
        let seed = seed as u64 * 10;
        let lefts = [
            of(m, k + 3, seed + 1),
            of(k, m + 5, seed + 2),
            of(k, m + 600, seed + 3),
            of(2 * m, 2 * k, seed + 4),
        ];
        let rights = [of(k, n + 1, seed + 5), of(n, k + 2, seed + 6), of(2 * k, 2 * n, seed + 7)];
        let lefts = [
            lefts[0].slice(s![.., ..k]),
            lefts[1].slice(s![.., ..m]).reversed_axes(),
            lefts[2].slice(s![.., 3..m + 3]).reversed_axes(),
            lefts[3].slice(s![..;-2, ..;2]),
        ];
        let rights = [
            rights[0].slice(s![.., 1..]),
            rights[1].slice(s![.., ..k]).reversed_axes(),
            rights[2].slice(s![..;2, ..;2]),
        ];
        let layouts = lefts.iter().flat_map(|a| rights.iter().map(move |b| (*a, *b)));
        for (a, b) in layouts.take(if k < 1000 { usize::MAX } else { 1 }) {
            let once = Array2::from_shape_fn((m, n), |(i, j)| chain_sum(None, a.row(i), b.column(j)));
            let twice =
                Array2::from_shape_fn((m, n), |(i, j)| chain_sum(Some(once[[i, j]]), a.row(i), b.column(j)));
            for bytes in [64, 32] {
                limit_vectors(bytes);
                let mut wide = Array2::from_elem((m, n + 7), f32::NAN);
                let (mut out, beside) = wide.multi_slice_mut((s![.., 4..n + 4], s![.., n + 4]));
                gemm::matmul(a, b, out.view_mut());
                let bits = |x: &f32| x.to_bits();
                let place = format!("({m}, {k}) @ ({k}, {n}), strides {:?}, {:?}", a.strides(), b.strides());
                assert!(out.iter().map(bits).eq(once.iter().map(bits)), "{place}");
                gemm::addmm(a, b, out.view_mut());
                assert!(out.iter().map(bits).eq(twice.iter().map(bits)), "{place}, added");
                assert!(beside.iter().all(|x| x.is_nan()), "{place}: what lies beside is not written");
            }
        }
    }
    limit_vectors(usize::MAX);
}

#[test]
fn integer_products_are_exact_and_wrap() {
    let a = Array2::from_shape_fn((2, 3), |(i, j)| (i * 3 + j) as i64);
    let mut out = Array2::from_elem((2, 2), 7);
    gemm::matmul_i64(a.view(), a.t().slice(s![.., ..]), out.view_mut());
    assert_eq!(out.into_raw_vec_and_offset().0, [5, 14, 14, 50]);
    let big = Array1::from(vec![i64::MAX, 1]);
    assert_eq!(dot::dot_i64(big.view(), big.view()), 2);
}

#[test]
fn batches_do_not_depend_on_threads() {
    let a = Array3::from_shape_vec((6, 40, 70), numbers(6 * 40 * 70, 3)).expect("as many numbers");
    let b = Array3::from_shape_vec((1, 70, 30), numbers(70 * 30, 4)).expect("as many numbers");
    let b = b.broadcast((6, 70, 30)).expect("one matrix repeated");
    let mut side_by_side = Array3::zeros((6, 40, 30));
    gemm::batched(a.view(), b, side_by_side.view_mut());
    let mut alone = Array3::zeros((6, 40, 30));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one");
    pool.install(|| gemm::batched(a.view(), b, alone.view_mut()));
    assert_eq!(side_by_side, alone);
}

#[test]
fn nothing_reduces_to_what_mathematics_says() {
    let none = ArrayD::<f32>::zeros(vec![0, 3]);
    assert_eq!(reduce::sum(none.view(), &[0]), [0.0; 3]);
    assert_eq!(reduce::prod(none.view(), &[0]), [1.0; 3]);
    assert!(reduce::mean(none.view(), &[0, 1])[0].is_nan());
    assert!(reduce::var(none.view(), &[0], 1.0)[0].is_nan());
    assert!(reduce::sum(none.view(), &[1]).is_empty());
    assert_eq!(reduce::amax(none.view(), &[0]), None);
    assert_eq!(reduce::amax(none.view(), &[1]), Some(vec![]));
    assert_eq!(reduce::logsumexp(none.view(), &[0]), [f32::NEG_INFINITY; 3]);
    assert!(softmax::softmax(none.view(), 1).is_empty());
    assert!(softmax::softmax(none.view(), 0).is_empty());
    assert!(reduce::cumsum(none.view(), 0).is_empty());
    assert!(norm::layer_norm::<f32>(&[], 3, None, None, 1e-5).0.is_empty());
    assert_eq!(dot::dot::<f32>(ndarray::aview1(&[]), ndarray::aview1(&[])), 0.0);
    let scalar = ArrayD::from_elem(vec![], 2.0_f64);
    assert_eq!((reduce::sum(scalar.view(), &[]), softmax::softmax(scalar.view(), 0)), (vec![2.0], vec![1.0]));
}

#[test]
fn nan_is_the_largest_and_the_smallest_and_the_first_of_equals_is_found() {
    let x = ndarray::arr2(&[[1.0, 3.0, 3.0], [2.0, f32::NAN, 5.0]]).into_dyn();
    assert_eq!(reduce::argmax(x.view(), &[1]), Some(vec![1, 1]));
    assert_eq!(reduce::argmin(x.view(), &[1]), Some(vec![0, 1]));
    assert!(reduce::amax(x.view(), &[0, 1]).expect("six numbers")[0].is_nan());
    let (top, at) = reduce::max_along(x.view(), 0).expect("two rows");
    assert_eq!((top[0], top[2], at), (2.0, 5.0, vec![1, 1, 1]));
}

#[test]
fn softmax_of_a_row_that_may_see_nothing_is_nan() {
    let x = ArrayD::from_elem(vec![2, 3], f32::NEG_INFINITY);
    assert!(softmax::softmax(x.view(), 1).iter().all(|x| x.is_nan()));
    assert!(softmax::softmax(x.view(), 0).iter().all(|x| x.is_nan()));
}

/// The contract of `attention.json`: 1e-5 relative and 1e-6 absolute of the double-precision reference.
#[test]
fn attention_is_near_the_double_precision_reference() {
    let text = include_str!("../golden/attention.json");
    let document: Value = serde_json::from_str(text).expect("the golden file is JSON");
    for case in document["cases"].as_array().expect("the golden file has cases") {
        let shape: Vec<usize> =
            case["shape"].as_array().expect("a case has a shape").iter().map(whole).collect();
        let dim = (shape[0], shape[1], shape[2], shape[3]);
        let operand = |name: &str| {
            let words = case[name].as_array().expect("an operand is a list of bit patterns");
            let values = words.iter().map(|word| {
                let digits = word.as_str().expect("a bit pattern is text");
                f32::from_bits(u32::from_str_radix(digits, 16).expect("hexadecimal digits"))
            });
            Array4::from_shape_vec(dim, values.collect()).expect("an operand has its shape's elements")
        };
        let (q, k, v) = (operand("q"), operand("k"), operand("v"));
        let mask = if case["causal"] == true { Mask::Causal } else { Mask::None };
        let scale = 1.0 / (shape[3] as f32).sqrt();
        let wanted: Vec<f64> = case["out_f64"]
            .as_array()
            .expect("a case has its reference")
            .iter()
            .map(|x| x.as_f64().expect("the reference is numbers"))
            .collect();
        let got =
            exact(Operands { q: q.view().into(), k: k.view().into(), v: v.view().into() }, scale, &mask);
        assert_eq!(got.len(), wanted.len());
        for (at, (&got, &wanted)) in got.iter().zip(&wanted).enumerate() {
            let far = (f64::from(got) - wanted).abs();
            assert!(far <= 1e-5 * wanted.abs() + 1e-6, "{shape:?} element {at}: {got} is not {wanted}");
        }
    }
}

/// The same values at every distance from a 64-byte boundary, as copies in larger allocations.
fn shifted(values: &[f32]) -> Vec<(Vec<f32>, usize)> {
    (0..16)
        .map(|shift| {
            let mut copy = vec![0.0; shift];
            copy.extend(values);
            (copy, shift)
        })
        .collect()
}

#[test]
fn addresses_change_no_bit_and_offsets_may() {
    let single = |n: usize, seed: u64| numbers(n, seed).into_iter().map(|x| x as f32).collect::<Vec<f32>>();
    let mut offsets_matter = false;
    for (m, k, n) in [(1, 37, 1), (3, 50, 9), (2, 41, 11), (5, 37, 1), (1, 37, 6), (4, 100, 12)] {
        let (a, b) = (single(m * k, 1), single(k * n, 2));
        for transposed in [false, true] {
            let product = |a: &[f32], b: &[f32], offset: usize| {
                let a = ArrayView2::from_shape((m, k), a).expect("as many numbers");
                let b = match transposed {
                    true => ArrayView2::from_shape((n, k), b).expect("as many numbers").reversed_axes(),
                    false => ArrayView2::from_shape((k, n), b).expect("as many numbers"),
                };
                let mut out = Array2::<f32>::zeros((m, n));
                gemm::matmul(WithOffset::new(a, offset), WithOffset::new(b, offset), out.view_mut());
                let (x, y) = (WithOffset::new(a.row(0), offset), WithOffset::new(b.column(0), offset));
                let dot = dot::dot(x, y);
                out.iter().chain([&dot]).map(|x| x.to_bits()).collect::<Vec<u32>>()
            };
            for offset in 0..5 {
                let wanted = product(&a, &b, offset);
                for ((a, shift), (b, _)) in shifted(&a).iter().zip(shifted(&b)) {
                    assert_eq!(product(&a[*shift..], &b[*shift..], offset), wanted, "({m},{k}) @ ({k},{n})");
                }
                offsets_matter |= wanted != product(&a, &b, 0);
            }
        }
    }
    assert!(offsets_matter, "BLAS adds the elements before a boundary on their own");
}
