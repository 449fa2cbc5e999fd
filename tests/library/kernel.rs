//! The kernel against PyTorch, bit for bit but for products, and against plain loops in double precision.
//!
//! `golden/kernel.json` is what `golden/make_kernel.py` recorded on x86-64. Elements whose order of summation comes from
//! fused multiply-add need a processor that has it; without one those cases are compared within a few ULP.

use attn::kernel::attention::{self, Fused, Mask, Operands};
use attn::kernel::simd::limit_vectors;
use attn::kernel::{gemm, loss, math, norm, reduce, softmax};
use ndarray::{
    Array2, Array3, Array4, ArrayD, ArrayView1, ArrayView2, ArrayViewD, ArrayViewMut2, Axis, Ix1, Ix2, Ix3,
    Ix4, Slice, s,
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

fn vector(x: &Operand) -> ArrayView1<'_, f32> {
    x.view().into_dimensionality::<Ix1>().expect("one axis")
}

fn product(a: ArrayView2<f32>, b: ArrayView2<f32>) -> Vec<f32> {
    let mut out = Array2::zeros((a.nrows(), b.ncols()));
    gemm::matmul(a, b, out.view_mut());
    out.into_raw_vec_and_offset().0
}

fn compute(op: &str, x: &[Operand], axes: &[usize], causal: bool, targets: &[i64]) -> Vec<f32> {
    let first = || x[0].view();
    let mut out = vec![0.0; first().len()];
    let straight: Vec<f32> = first().iter().copied().collect();
    match op {
        "matmul" => return product(two(&x[0]), two(&x[1])),
        "addmm" => {
            let mut out = two(&x[2]).to_owned();
            gemm::addmm(two(&x[0]), two(&x[1]), out.view_mut());
            return out.into_raw_vec_and_offset().0;
        }
        "bmm" => {
            let [a, b] = [0, 1].map(|i| x[i].view().into_dimensionality::<Ix3>().expect("three axes"));
            let mut out = Array3::zeros((a.dim().0, a.dim().1, b.dim().2));
            gemm::batched(1.0, a, b, 0.0, out.view_mut());
            return out.into_raw_vec_and_offset().0;
        }
        "mv" => return product(two(&x[0]), vector(&x[1]).insert_axis(Axis(1))),
        "dot" => return product(vector(&x[0]).insert_axis(Axis(0)), vector(&x[1]).insert_axis(Axis(1))),
        "softmax" => return softmax::softmax(first(), axes[0]),
        "log_softmax" => return softmax::log_softmax(first(), axes[0]),
        "sum" => return reduce::sum(first(), axes),
        "mean" => return reduce::mean(first(), axes),
        "var" => return reduce::var(first(), axes, 1.0, false),
        "std" => return reduce::var(first(), axes, 1.0, true),
        "amax" => {
            return reduce::extremes(first(), axes, reduce::End::Max).expect("something to choose from");
        }
        "norm" => return reduce::norm(first(), axes, 2.0),
        "prod" => return reduce::prod(first(), axes),
        "cumsum" => return reduce::cumsum(first(), axes[0]),
        "layer_norm" => {
            let [w, b] = [1, 2].map(|i| x[i].stored.as_slice().expect("one row"));
            return norm::layer_norm(&straight, w.len(), Some(w), Some(b), 1e-5).0;
        }
        "attention" => {
            let [q, k, v] = [0, 1, 2].map(|i| x[i].view().into_dimensionality::<Ix4>().expect("four axes"));
            let scale = 1.0 / (q.dim().3 as f32).sqrt();
            return streamed(Operands { q, k, v }, scale, &if causal { Mask::Causal } else { Mask::None });
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

/// Attention that keeps no scores, in PyTorch's blocks.
fn streamed<T: Fused>(x: Operands<T>, scale: T, mask: &Mask<T>) -> Vec<T> {
    let (b, h, t, _) = x.q.dim();
    let mut out = Array4::from_elem((b, h, t, x.v.dim().3), T::NAN);
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

/// Operations that contain products. The order of their sums differs between the processors that PyTorch runs on.
const WITH_PRODUCTS: [&str; 6] = ["matmul", "addmm", "bmm", "mv", "dot", "attention"];

/// Whether all numbers differ by at most a unit in the last place of the largest for each term of a sum.
fn near(got: &[f32], recorded: &[f32], terms: usize) -> bool {
    let largest = recorded.iter().fold(0.0, |largest: f32, x| largest.max(x.abs()));
    let bound = terms.max(8) as f32 * f32::EPSILON * largest;
    got.len() == recorded.len() && got.iter().zip(recorded).all(|(a, b)| (a - b).abs() <= bound)
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
fn results_are_those_that_pytorch_gives() {
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
            let got = compute(op, &operands, &axes, causal, &targets);
            let terms = operands[0].view().shape().last().copied().unwrap_or(1);
            let same = match WITH_PRODUCTS.contains(&op) {
                true => near(&got, &bits(out), terms),
                false => equal(&got, &bits(out)),
            };
            if !same {
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

#[test]
fn products_in_single_precision_are_near_those_in_double_precision_and_write_nothing_beside() {
    let single = |rows, columns, seed| matrix(rows, columns, seed).mapv(|x| x as f32);
    for (seed, &(m, k, n)) in [
        (4, 2, 12),
        (1, 300, 700),
        (16, 700, 1),
        (13, 200, 49),
        (25, 31, 64),
        (61, 385, 100),
        (5, 1000, 300),
        (270, 9, 35),
        (200, 290, 150),
        (195, 33, 800),
        (25, 3100, 513),
    ]
    .iter()
    .enumerate()
    {
        let seed = seed as u64 * 10;
        let lefts = [single(m, k + 3, seed + 1), single(k, m + 5, seed + 2), single(2 * m, 2 * k, seed + 4)];
        let rights = [single(k, n + 1, seed + 5), single(n, k + 2, seed + 6), single(2 * k, 2 * n, seed + 7)];
        let lefts = [
            lefts[0].slice(s![.., ..k]),
            lefts[1].slice(s![.., ..m]).reversed_axes(),
            lefts[2].slice(s![..;-2, ..;2]),
        ];
        let rights = [
            rights[0].slice(s![.., 1..]),
            rights[1].slice(s![.., ..k]).reversed_axes(),
            rights[2].slice(s![..;2, ..;2]),
        ];
        for (a, b) in lefts.iter().flat_map(|a| rights.iter().map(move |b| (a, b))) {
            let wanted = a.mapv(f64::from).dot(&b.mapv(f64::from));
            // Terms are at most a quarter, and each sum adds half a unit of its size.
            let bound = f64::from(f32::EPSILON) * k as f64 / 4.0;
            let mut wide = Array2::from_elem((m, n + 7), f32::NAN);
            let (mut out, beside) = wide.multi_slice_mut((s![.., 4..n + 4], s![.., n + 4]));
            let place = format!("({m}, {k}) @ ({k}, {n}), strides {:?}, {:?}", a.strides(), b.strides());
            let worst = |out: &ArrayViewMut2<f32>, times: f64| {
                let far = out.iter().zip(&wanted).map(|(&x, &wanted)| (f64::from(x) - times * wanted).abs());
                far.fold(0.0, f64::max)
            };
            gemm::matmul(*a, *b, out.view_mut());
            assert!(worst(&out, 1.0) <= bound, "{place}: {}", worst(&out, 1.0));
            gemm::addmm(*a, *b, out.view_mut());
            assert!(worst(&out, 2.0) <= 3.0 * bound, "{place}, added: {}", worst(&out, 2.0));
            assert!(beside.iter().all(|x| x.is_nan()), "{place}: what lies beside is not written");
        }
    }
}

#[test]
fn integer_products_are_exact_and_wrap() {
    let a = Array2::from_shape_fn((2, 3), |(i, j)| (i * 3 + j) as i64);
    let a = a.insert_axis(Axis(0));
    let mut out = Array3::from_elem((1, 2, 2), 7);
    gemm::batched_i64(1, a.view(), a.view().permuted_axes([0, 2, 1]), 0, out.view_mut());
    assert_eq!(out.as_slice(), Some(&[5, 14, 14, 50][..]));
    gemm::batched_i64(2, a.view(), a.view().permuted_axes([0, 2, 1]), -1, out.view_mut());
    assert_eq!(out.as_slice(), Some(&[5, 14, 14, 50][..]));
    let big = Array3::from_shape_vec((1, 1, 2), vec![i64::MAX, 1]).expect("two numbers");
    let mut out = Array3::from_elem((1, 1, 1), 7);
    gemm::batched_i64(1, big.view(), big.view().permuted_axes([0, 2, 1]), 0, out.view_mut());
    assert_eq!(out[[0, 0, 0]], 2);
}

#[test]
fn batches_do_not_depend_on_threads() {
    let a = Array3::from_shape_vec((6, 40, 70), numbers(6 * 40 * 70, 3)).expect("as many numbers");
    let b = Array3::from_shape_vec((1, 70, 30), numbers(70 * 30, 4)).expect("as many numbers");
    let b = b.broadcast((6, 70, 30)).expect("one matrix repeated");
    let mut side_by_side = Array3::zeros((6, 40, 30));
    gemm::batched(1.0, a.view(), b, 0.0, side_by_side.view_mut());
    let mut alone = Array3::zeros((6, 40, 30));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of one");
    pool.install(|| gemm::batched(1.0, a.view(), b, 0.0, alone.view_mut()));
    assert_eq!(side_by_side, alone);
}

#[test]
fn nothing_reduces_to_what_mathematics_says() {
    let none = ArrayD::<f32>::zeros(vec![0, 3]);
    assert_eq!(reduce::sum(none.view(), &[0]), [0.0; 3]);
    assert_eq!(reduce::prod(none.view(), &[0]), [1.0; 3]);
    assert!(reduce::mean(none.view(), &[0, 1])[0].is_nan());
    assert!(reduce::var(none.view(), &[0], 1.0, false)[0].is_nan());
    assert!(reduce::sum(none.view(), &[1]).is_empty());
    assert_eq!(reduce::extremes(none.view(), &[0], reduce::End::Max), None);
    assert_eq!(reduce::extremes(none.view(), &[1], reduce::End::Max), Some(vec![]));
    assert_eq!(reduce::logsumexp(none.view(), &[0]), [f32::NEG_INFINITY; 3]);
    assert!(softmax::softmax(none.view(), 1).is_empty());
    assert!(softmax::softmax(none.view(), 0).is_empty());
    assert!(reduce::cumsum(none.view(), 0).is_empty());
    assert!(norm::layer_norm::<f32>(&[], 3, None, None, 1e-5).0.is_empty());
    assert_eq!(product(ArrayView2::from(&[[]]), Array2::zeros((0, 1)).view()), [0.0]);
    let scalar = ArrayD::from_elem(vec![], 2.0_f64);
    assert_eq!((reduce::sum(scalar.view(), &[]), softmax::softmax(scalar.view(), 0)), (vec![2.0], vec![1.0]));
}

#[test]
fn nan_is_the_largest_and_the_smallest_and_the_first_of_equals_is_found() {
    let x = ndarray::arr2(&[[1.0, 3.0, 3.0], [2.0, f32::NAN, 5.0]]).into_dyn();
    let places = |end| reduce::extremes_and_places(x.view(), &[1], end).expect("three columns").1;
    assert_eq!(places(reduce::End::Max), vec![1, 1]);
    assert_eq!(places(reduce::End::Min), vec![0, 1]);
    assert!(reduce::extremes(x.view(), &[0, 1], reduce::End::Max).expect("six numbers")[0].is_nan());
    let (top, at) = reduce::extremes_and_places(x.view(), &[0], reduce::End::Max).expect("two rows");
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
        let got = streamed(Operands { q: q.view(), k: k.view(), v: v.view() }, scale, &mask);
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
fn addresses_change_no_bit() {
    let single = |n: usize, seed: u64| numbers(n, seed).into_iter().map(|x| x as f32).collect::<Vec<f32>>();
    // Where rows are aligned counts for up to three rows or eleven columns, as in PyTorch, but not beside a vector.
    for (m, k, n) in
        [(1, 37, 1), (5, 37, 1), (1, 37, 6), (4, 100, 12), (12, 301, 41), (1, 1001, 1), (9, 50, 12)]
    {
        let (a, b) = (single(m * k, 1), single(k * n, 2));
        for transposed in [false, true] {
            let product = |a: &[f32], b: &[f32]| {
                let a = ArrayView2::from_shape((m, k), a).expect("as many numbers");
                let b = match transposed {
                    true => ArrayView2::from_shape((n, k), b).expect("as many numbers").reversed_axes(),
                    false => ArrayView2::from_shape((k, n), b).expect("as many numbers"),
                };
                product(a, b).into_iter().map(f32::to_bits).collect::<Vec<u32>>()
            };
            let wanted = product(&a, &b);
            for ((a, shift), (b, _)) in shifted(&a).iter().zip(shifted(&b)) {
                assert_eq!(product(&a[*shift..], &b[*shift..]), wanted, "({m},{k}) @ ({k},{n})");
            }
        }
    }
}

#[test]
fn products_of_few_rows_have_the_same_bits_on_all_vectors() {
    for (rows, terms, columns) in [
        (1, 768, 70),
        (3, 300, 101),
        (16, 770, 33),
        (1, 5000, 3),
        (7, 90, 61),
        (23, 1024, 500),
        (64, 400, 37),
    ] {
        let single = |rows, columns, seed| matrix(rows, columns, seed).mapv(|x| x as f32);
        let a = single(rows, terms, 1);
        for weight in [single(columns, terms, 2).reversed_axes(), single(terms, columns, 3)] {
            let of = |bytes| {
                limit_vectors(bytes);
                product(a.view(), weight.view()).into_iter().map(f32::to_bits).collect::<Vec<u32>>()
            };
            let wanted = of(64);
            for bytes in [32, 0] {
                assert_eq!(of(bytes), wanted, "({rows},{terms}) @ ({terms},{columns}), {bytes} bytes");
            }
        }
    }
    limit_vectors(usize::MAX);
}
