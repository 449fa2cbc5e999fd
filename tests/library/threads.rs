//! How many threads compute changes no bit; products agree with double precision. One test binary of its own, because the number of threads belongs to the process.

use attn::kernel::elementwise::{Strided, binary, gather_strided, in_pieces, ternary, unary};
use attn::kernel::random::{Family, Generator, normal};
use attn::kernel::{buffer_pool, gemm, math, norm, reduce, softmax, threads};
use ndarray::{ArrayView2, ArrayView3, ArrayViewD, ArrayViewMut2, ArrayViewMut3, IxDyn, s};

use crate::random::{dropout, rand};

fn numbers(seed: u64, n: usize) -> Vec<f32> {
    let mut out = vec![0.0; n];
    normal(&mut Generator::new(seed), &mut out, 0.0, 1.0);
    out
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// (m, k) @ (k, n), plain or from slices of wider rows, transposed or not.
fn product(m: usize, k: usize, n: usize, turned: [bool; 2], apart: usize, onto: bool) -> Vec<f32> {
    fn view(data: &[f32], rows: usize, columns: usize, turned: bool, apart: usize) -> ArrayView2<'_, f32> {
        let (outer, inner) = if turned { (columns, rows) } else { (rows, columns) };
        let wide = ArrayView2::from_shape((outer, inner + apart), data).expect("as many numbers as it takes");
        let part = wide.slice_move(s![.., apart..]);
        if turned { part.reversed_axes() } else { part }
    }
    let a = numbers(1, if turned[0] { k * (m + apart) } else { m * (k + apart) });
    let b = numbers(2, if turned[1] { n * (k + apart) } else { k * (n + apart) });
    let (a, b) = (view(&a, m, k, turned[0], apart), view(&b, k, n, turned[1], apart));
    let mut out = if onto { numbers(3, m * n) } else { vec![f32::NAN; m * n] };
    let view = ArrayViewMut2::from_shape((m, n), &mut out).expect("the result's own shape");
    if onto {
        gemm::addmm(a, b, view)
    } else {
        gemm::matmul(a, b, view)
    }
    let start = numbers(3, m * n);
    for (at, &x) in out.iter().enumerate() {
        let (i, j) = (at / n, at % n);
        let exact: f64 = (0..k).map(|t| f64::from(a[[i, t]]) * f64::from(b[[t, j]])).sum();
        let size: f64 = (0..k).map(|t| (f64::from(a[[i, t]]) * f64::from(b[[t, j]])).abs()).sum();
        let exact = exact + if onto { f64::from(start[at]) } else { 0.0 };
        // Sums of rounded products: an error of k half units of the sum of magnitudes at most.
        let bound = (size + 1.0) * (k as f64 + 2.0) * f64::from(f32::EPSILON);
        assert!(
            (f64::from(x) - exact).abs() <= bound,
            "({m},{k}) @ ({k},{n}) {turned:?} at {i},{j}: {x} {exact}"
        );
    }
    out
}

/// Everything that is shared among threads, as bits.
fn everything() -> Vec<(String, Vec<u32>)> {
    let mut all = Vec::new();
    let mut keep = |name: String, values: Vec<f32>| {
        all.push((name, bits(&values)));
        buffer_pool::recycle(values);
    };
    let shapes = [
        (1, 300, 40),
        (5, 7, 3),
        (17, 193, 33),
        (130, 400, 64),
        (257, 100, 48),
        (1000, 70, 16),
        (64, 130, 700),
    ];
    for (m, k, n) in shapes {
        for turned in [[false, false], [false, true], [true, false]] {
            for (apart, onto) in [(0, false), (3, true)] {
                let name = format!("({m},{k}) @ ({k},{n}) {turned:?} {apart}");
                keep(name, product(m, k, n, turned, apart, onto));
            }
        }
    }
    let x = numbers(4, 4 * 600 * 600);
    for (count, m, k, n) in [(4, 600, 64, 600), (4, 600, 300, 64), (1, 600, 600, 64), (3, 2, 500, 500)] {
        let mut out = vec![0.0; count * m * n];
        let a = ArrayView3::from_shape((count, m, k), &x[..count * m * k]).expect("enough numbers");
        let b = ArrayView3::from_shape((count, n, k), &x[..count * k * n]).expect("enough numbers");
        let view = ArrayViewMut3::from_shape((count, m, n), &mut out).expect("the result's own shape");
        gemm::batched(1.0, a, b.permuted_axes([0, 2, 1]), 0.0, view);
        keep(format!("batched {count} ({m},{k}) @ ({k},{n})"), out);
    }
    let view = ArrayViewD::from_shape(IxDyn(&[4, 600, 600]), &x).expect("its own shape");
    for axis in 0..3 {
        keep(format!("softmax {axis}"), softmax::softmax(view.view(), axis));
        keep(format!("log_softmax {axis}"), softmax::log_softmax(view.view(), axis));
        keep(format!("sum {axis}"), reduce::sum(view.view(), &[axis]));
        keep(format!("var {axis}"), reduce::var(view.view(), &[axis], 1.0, false));
        let found = reduce::extremes_and_places(view.view(), &[axis], reduce::End::Max);
        let (values, places) = found.expect("there is something");
        keep(format!("amax {axis}"), values);
        keep(format!("argmax {axis}"), places.into_iter().map(|at| at as f32).collect());
    }
    keep("sum".into(), reduce::sum(view.view(), &[0, 1, 2]));
    keep(
        "amin".into(),
        reduce::extremes(view.view(), &[0, 1, 2], reduce::End::Min).expect("there is something"),
    );
    keep("layer_norm".into(), norm::layer_norm(&x, 600, Some(&x[..600]), Some(&x[600..1200]), 1e-5).0);
    for (name, f) in [
        ("gelu", math::gelu::<f32> as fn(&[f32], &mut [f32])),
        ("gelu_tanh", math::gelu_tanh::<f32>),
        ("sigmoid", math::sigmoid::<f32>),
        ("tanh", math::tanh),
        ("exp", math::exp::<f32>),
    ] {
        let mut out = vec![0.0; x.len() - 5];
        in_pieces(&x[..x.len() - 5], &mut out, f);
        keep(name.into(), out);
    }
    let shape = [4, 600, 600];
    let (straight, row, turned) = ([360_000, 600, 1], [0, 0, 1], [360_000, 1, 600]);
    let (a, b) = (
        Strided { data: &x, strides: &straight, offset: 0 },
        Strided { data: &x, strides: &turned, offset: 0 },
    );
    let c = Strided { data: &x, strides: &row, offset: 7 };
    keep("unary".into(), unary(&shape, b, |x: f32| x.abs()));
    keep("binary".into(), binary(&shape, a, c, |x: f32, y: f32| x / y));
    keep("ternary".into(), ternary(&shape, a, b, c, |x: f32, y: f32, z: f32| if x > y { z } else { x }));
    keep("gather".into(), gather_strided(&x, &shape, &turned, 0));
    keep("dropout".into(), dropout(&mut Generator::new(5), Family::Book, 0.1, 100_001));
    keep("rand".into(), rand(&mut Generator::new(6), 100_001));
    keep("randn".into(), numbers(7, 100_001));
    all
}

#[test]
fn results_are_the_same_for_one_two_and_three_threads() {
    threads::set_count(1);
    let alone = everything();
    for count in [2, 3] {
        threads::set_count(count);
        assert_eq!(threads::count(), count);
        // Twice, so that the second time every result lies where another one lay before.
        for _ in 0..2 {
            for ((name, one), (_, many)) in alone.iter().zip(everything()) {
                assert!(*one == many, "{name} with {count} threads");
            }
        }
    }
}

#[test]
fn many_draws_at_once_are_the_draws_one_by_one() {
    let (mut many, mut one) = (Generator::new(3), Generator::new(3));
    for n in [1, 5, 311, 312, 313, 1500] {
        let (mut singles, mut doubles) = (vec![0.0; n], vec![0.0; n]);
        many.units_f32(&mut singles);
        many.units(&mut doubles);
        assert!(singles.iter().all(|&x| x == one.unit_f32()));
        assert!(doubles.iter().all(|&x| x == one.unit()));
        assert_eq!(many, one);
    }
}
