//! The parts of the kernel one by one: strided loops, picking, sorting, selection, elementary functions, threads.

use std::cmp::Ordering;

use attn::kernel::backward::activation;
use attn::kernel::buffer_pool::Element;
use attn::kernel::elementwise::{Strided, binary, gather_strided, scatter_strided};
use attn::kernel::index::{ravel, strided_position, unravel};
use attn::kernel::linalg::{Matrix, factor, identity, qr, svd};
use attn::kernel::math::{self, Functions, exp2_down};
use attn::kernel::random::erfinv;
use attn::kernel::rank::{Equal, Rank, insertion_place, sorted_places, sorted_rows};
use attn::kernel::simd::limit_vectors;
use attn::kernel::{buffer_pool, grid, selection, threads};

#[test]
fn strided_operands_are_read_in_row_major_order() {
    let a = [1_i64, 2, 3, 4, 5, 6];
    let column = Strided { data: &a, strides: &[1, 3], offset: 0 };
    let row = Strided { data: &a, strides: &[0, 1], offset: 0 };
    assert_eq!(binary(&[3, 2], column, row, |x, y| x * 10 + y), [11, 42, 21, 52, 31, 62]);
    assert_eq!(gather_strided(&a, &[2, 2], &[3, 2], 0), [1, 3, 4, 6]);
    assert_eq!(gather_strided(&a, &[2, 0], &[3, 2], 0), [0; 0]);
    assert_eq!(gather_strided(&a, &[], &[], 4), [5]);
    let mut out = [0; 6];
    scatter_strided(&mut out, &[3, 2], &[1, 3], 0, &[1, 2, 3, 4, 5, 6]);
    assert_eq!(out, [1, 3, 5, 2, 4, 6]);
}

#[test]
fn matrices_are_transposed_whatever_their_sizes() {
    for (rows, columns, matrices) in
        [(1, 1, 1), (16, 16, 1), (17, 40, 3), (33, 129, 1), (700, 130, 1), (64, 70, 20)]
    {
        // Each matrix has its columns next to each other, in columns of `rows + 3`.
        let step = rows + 3;
        let data: Vec<i64> = (0..(matrices * columns * step + 5) as i64).collect();
        let copy = gather_strided(&data, &[matrices, rows, columns], &[columns * step, 1, step], 5);
        let place = |m: usize, i: usize, j: usize| (5 + m * columns * step + i + j * step) as i64;
        let all = (0..matrices)
            .flat_map(|m| (0..rows).flat_map(move |i| (0..columns).map(move |j| place(m, i, j))));
        assert!(copy.into_iter().eq(all), "{matrices} of ({rows}, {columns})");
    }
}

#[test]
fn a_grid_picks_rows_and_reverses_columns() {
    let data = [0_i64, 1, 2, 3, 4, 5];
    assert_eq!(grid::pick(&data, 0, &[vec![3, 0, 3], grid::whole(3, 1)]), [3, 4, 5, 0, 1, 2, 3, 4, 5]);
    assert_eq!(grid::pick(&data, 0, &[grid::whole(2, 3), vec![2, 1, 0]]), [2, 1, 0, 5, 4, 3]);
    assert_eq!(grid::pick(&data, 1, &[grid::whole(1, 3), grid::whole(2, 1)]), [1, 2]);
    assert_eq!(grid::pick(&data, 4, &[]), [4]);
    assert_eq!(grid::pick(&data, 0, &[vec![], grid::whole(3, 1)]), [0_i64; 0]);
    assert_eq!(grid::places(1, &[vec![3, 0], vec![0, 1]]), [4, 5, 1, 2]);
}

#[test]
fn nan_sorts_last_and_equal_elements_keep_their_order() {
    let row = [1.0, f32::NAN, 0.0, 1.0];
    assert_eq!(sorted_places(&row, false), [2, 0, 3, 1]);
    assert_eq!(sorted_places(&row, true), [1, 0, 3, 2]);
    assert_eq!(insertion_place(&[1, 3, 3, 5], 3, false), 1);
    assert_eq!(insertion_place(&[1, 3, 3, 5], 3, true), 3);
}

/// The order of sorting: nan is larger than all numbers.
fn order<T: PartialOrd>(a: T, b: T) -> Ordering {
    let is_nan = |x: &T| x.partial_cmp(x).is_none();
    a.partial_cmp(&b).unwrap_or_else(|| is_nan(&a).cmp(&is_nan(&b)))
}

/// Checks rows of `length` elements against a stable sort by comparisons.
fn rows_are_sorted<T: Rank + Element + PartialOrd + std::fmt::Debug>(data: &[T], length: usize) {
    for descending in [false, true] {
        let (sorted, places) = sorted_rows(data, length, descending, Equal::Stable);
        for (at, row) in data.chunks_exact(length).enumerate() {
            let mut wanted: Vec<usize> = (0..length).collect();
            wanted.sort_by(|&a, &b| {
                let order = order(row[a], row[b]);
                if descending { order.reverse() } else { order }
            });
            assert_eq!(sorted_places(row, descending), wanted, "{length}, row {at}, {descending}");
            let found = &places[at * length..][..length];
            assert!(found.iter().zip(&wanted).all(|(&a, &b)| a == b as i64), "{length}, row {at}");
            let values = &sorted[at * length..][..length];
            let same = |(value, &place): (&T, &usize)| order(*value, row[place]).is_eq();
            assert!(values.iter().zip(&wanted).all(same), "{length}, row {at}");
        }
    }
}

#[test]
fn rows_of_all_types_and_lengths_are_sorted_as_by_comparisons() {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 16
    };
    let special = [f32::NAN, -f32::NAN, 0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, 1e-42, -1e-42, 3.0, 3.0];
    for (length, rows) in [(1, 5), (2, 9), (33, 7), (191, 3), (192, 3), (1000, 40), (70_000, 1)] {
        let single: Vec<f32> = (0..length * rows)
            .map(|_| match next() {
                bits if bits % 3 == 0 => special[(bits / 3) as usize % special.len()],
                bits if bits % 3 == 1 => f32::from_bits(bits as u32),
                bits => (bits % 2000) as f32 - 1000.0,
            })
            .collect();
        rows_are_sorted(&single, length);
        rows_are_sorted(&single.iter().map(|&x| f64::from(x)).collect::<Vec<f64>>(), length);
        rows_are_sorted(&single.iter().map(|&x| x as i64).collect::<Vec<i64>>(), length);
        rows_are_sorted(&single.iter().map(|&x| x > 0.0).collect::<Vec<bool>>(), length);
        rows_are_sorted(&vec![2.5_f32; length * rows], length);
    }
    assert_eq!(sorted_rows::<f32>(&[], 0, true, Equal::Unstable), (vec![], vec![]));
}

#[test]
fn the_selected_elements_are_the_first_of_a_full_sort() {
    for len in [1usize, 2, 3, 7, 40, 300] {
        for k in [1, 2, len / 2 + 1, len].into_iter().filter(|&k| k <= len) {
            let mut row: Vec<u32> = (0..len as u32).map(|i| i.wrapping_mul(2_654_435_761) % 97).collect();
            let mut all = row.clone();
            all.sort_unstable();
            selection::top(&mut row, k, true, |a, b| a < b);
            assert_eq!(row[..k], all[..k], "{len} {k}");
        }
    }
    // torch.topk(torch.arange(4.), 3, sorted=False).indices
    let mut row = [0, 1, 2, 3];
    selection::top(&mut row, 3, false, |a, b| a > b);
    assert_eq!(row[..3], [2, 3, 1]);
}

#[test]
fn recycled_vectors_are_reused_where_they_fit() {
    let large: Vec<f32> = buffer_pool::take(1 << 16);
    let address = large.as_ptr();
    buffer_pool::recycle(large);
    let small: Vec<f32> = buffer_pool::take(1 << 10);
    assert_eq!(small, vec![0.0; 1 << 10]);
    let shorter: Vec<f32> = buffer_pool::take((1 << 16) - 5);
    assert_eq!((shorter.as_ptr(), shorter.len()), (address, (1 << 16) - 5));
    buffer_pool::recycle(shorter);
    let larger: Vec<f32> = buffer_pool::take(1 << 20);
    assert_ne!(larger.as_ptr(), address);
    let last: Vec<f32> = buffer_pool::take(1 << 16);
    assert_eq!(last.as_ptr(), address);
}

#[test]
fn every_task_runs_once_and_shared_work_is_not_shared_again() {
    let mut out = vec![0; 1000];
    threads::share(out.chunks_mut(7).enumerate(), |(at, out)| {
        assert!(threads::count() == 1 || !threads::shares());
        threads::share(out.iter_mut(), |x| *x += at + 1);
    });
    assert!(out.iter().enumerate().all(|(at, &x)| x == at / 7 + 1));
}

/// The largest error of `f` against `exact` in units in the last place, over every 2,003rd single and the neighbours of
/// some edges. Where the result leaves the range of normal numbers it may be 0 or infinite.
fn worst(f: fn(f32) -> f32, exact: fn(f64) -> f64) -> f64 {
    const LARGE: f64 = 2.3e38;
    const SMALL: f64 = 1.7e-38;
    let edges =
        [0.0f32, -0.0, 1.0, -1.0, 88.0, 88.8, -87.4, -103.9, 127.5, -126.0, -126.5, f32::MAX, f32::MIN];
    let near = edges.iter().flat_map(|x| (0..64u32).map(|by| x.to_bits().wrapping_add(by).wrapping_sub(32)));
    let mut worst = 0.0f64;
    for x in (0..=u32::MAX).step_by(2003).chain(near).map(f32::from_bits) {
        let (got, wanted) = (f64::from(f(x)), exact(f64::from(x)));
        if x.is_nan() {
            assert!(got.is_nan(), "nan stays nan");
        } else if wanted > LARGE {
            assert!(got > 0.99 * LARGE, "{x}: {got}");
        } else if wanted < SMALL {
            assert!((0.0..=1.001 * SMALL).contains(&got), "{x}: {got}");
        } else {
            let unit = wanted.log2().floor().exp2() * f64::from(f32::EPSILON);
            worst = worst.max((got - wanted).abs() / unit);
        }
    }
    worst
}

#[test]
fn exponentials_keep_their_error_bounds() {
    let [vector, fast]: [fn(f32) -> f32; 2] = [Functions::exp_vector, Functions::exp_fast];
    let errors = [
        worst(vector, f64::exp),
        worst(|x| exp2_down(if x > 128.0 { 128.0 } else { x }), f64::exp2),
        worst(fast, f64::exp),
    ];
    assert!(errors[0] < 1.0 && errors[1] < 1.0 && errors[2] < 20.0, "{errors:?}");
    assert_eq!([vector, fast, exp2_down].map(|f| f(f32::NEG_INFINITY)), [0.0; 3]);
    assert_eq!(vector(f32::INFINITY), f32::INFINITY);
    assert_eq!([0.0, -3.0, -126.0].map(exp2_down), [1.0, 0.125, f32::MIN_POSITIVE]);
}

#[test]
fn logarithms_and_waves_are_within_their_error_bounds() {
    let log = |x| of_slice(math::log, x);
    let (sin, cos) = (|x| of_slice(math::sin, x), |x| of_slice(math::cos, x));
    let ulps = |got: f32, wanted: f64| {
        (f64::from(got) - wanted).abs() / (wanted.abs().log2().floor().exp2() * f64::from(f32::EPSILON))
    };
    let mut x = 1e-12_f32;
    while x < 9e3 {
        let wide = f64::from(x);
        assert!(ulps(log(x), wide.ln()) < 0.88, "ln {x} = {}", log(x));
        assert!(ulps(sin(-x), -wide.sin()) < 0.61, "sin {x} = {}", sin(x));
        assert!(ulps(cos(x), wide.cos()) < 0.61, "cos {x} = {}", cos(x));
        x *= 1.0003;
    }
    assert_eq!([1.0, 0.0, f32::INFINITY].map(log), [0.0, f32::NEG_INFINITY, f32::INFINITY]);
    assert!(
        ulps(log(1e-40), f64::from(1e-40_f32).ln()) < 0.88
            && ulps(log(f32::MAX), f64::from(f32::MAX).ln()) < 0.88
    );
    assert!([log(-1.0), log(f32::NAN), sin(f32::INFINITY), cos(f32::NAN)].iter().all(|x| x.is_nan()));
    assert!(sin(-0.0).is_sign_negative() && sin(-0.0) == 0.0 && cos(-0.0) == 1.0);
    assert_eq!((sin(2e4), cos(2e4)), (2e4_f64.sin() as f32, 2e4_f64.cos() as f32));
}

/// What a function of slices makes of one number.
fn of_slice(f: fn(&[f32], &mut [f32]), x: f32) -> f32 {
    let mut out = [0.0];
    f(&[x], &mut out);
    out[0]
}

#[test]
fn exp_and_tanh_of_slices_are_within_a_little_more_than_half_a_unit() {
    let exp = |x| of_slice(math::exp::<f32>, x);
    let tanh = |x| of_slice(math::tanh, x);
    let errors = [worst(exp, f64::exp), worst(|x| of_slice(math::exp::<f32>, -x), |x| (-x).exp())];
    assert!(errors.iter().all(|&error| error < 0.55), "{errors:?}");
    let (mut count, mut different) = (0, [0, 0]);
    let mut x = 1e-12_f32;
    while x < 80.0 {
        let wide = f64::from(x);
        count += 1;
        different[0] += usize::from(exp(-x) != (-wide).exp() as f32);
        different[1] += usize::from(tanh(x) != wide.tanh() as f32);
        let unit = f64::from(tanh(x)).log2().floor().exp2() * f64::from(f32::EPSILON);
        assert!((f64::from(tanh(x)) - wide.tanh()).abs() < 0.54 * unit, "tanh({x}) = {}", tanh(x));
        x *= 1.0003;
    }
    assert!(different.iter().all(|found| found * 100 < count), "{different:?} of {count}");
    assert_eq!([0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY].map(exp), [1.0, 1.0, f32::INFINITY, 0.0]);
    assert_eq!([0.0, f32::INFINITY, f32::NEG_INFINITY].map(tanh), [0.0, 1.0, -1.0]);
    assert!(tanh(-0.0).is_sign_negative() && exp(f32::NAN).is_nan() && tanh(f32::NAN).is_nan());
    // The smallest subnormal numbers are whole multiples of the smallest.
    for x in [-88.0_f32, -95.5, -100.25, -103.2, -103.9, -104.0] {
        let wanted = f64::from(x).exp() as f32;
        assert!(exp(x).to_bits().abs_diff(wanted.to_bits()) <= 1, "{x}: {} {wanted}", exp(x));
    }
}

#[test]
fn functions_with_tables_give_the_same_bits_on_all_vectors_and_at_all_places() {
    let x: Vec<f32> = (0..u32::MAX).step_by(100_003).map(f32::from_bits).collect();
    let near: Vec<f32> = (0..20_000).map(|at| (at as f32 - 10_000.0) * 1.1e-3).collect();
    let grad: Vec<f32> = near.iter().map(|x| 1.0 - x).collect();
    let all = |bytes, shift: usize| {
        limit_vectors(bytes);
        let mut found = Vec::new();
        for x in [&x, &near] {
            for f in [math::exp::<f32>, math::tanh, math::gelu, math::gelu_tanh] {
                let mut out = vec![0.0; x.len()];
                let (first, rest) = out.split_at_mut(shift);
                f(&x[..shift], first);
                f(&x[shift..], rest);
                found.push(out);
            }
        }
        for f in [activation::gelu::<f32>, activation::gelu_tanh] {
            let mut out = vec![0.0; near.len()];
            let (first, rest) = out.split_at_mut(shift);
            f(&near[..shift], &grad[..shift], first);
            f(&near[shift..], &grad[shift..], rest);
            found.push(out);
        }
        let bits = |x: f32| if x.is_nan() { u32::MAX } else { x.to_bits() };
        found.concat().into_iter().map(bits).collect::<Vec<u32>>()
    };
    let one_by_one = all(0, 0);
    for (bytes, shift) in [(32, 0), (32, 3), (64, 0), (64, 13)] {
        assert!(all(bytes, shift) == one_by_one, "vectors of {bytes} bytes, from place {shift}");
    }
    limit_vectors(usize::MAX);
}

#[test]
fn roots_of_the_library_are_the_nearest_numbers_or_their_neighbours() {
    let root = |x| of_slice(math::library_roots::<f32>, x);
    let x: Vec<f32> = (0..f32::INFINITY.to_bits()).step_by(90_001).map(f32::from_bits).collect();
    let mut roots = vec![0.0; x.len()];
    math::library_roots(&x, &mut roots);
    for (&x, found) in x.iter().zip(roots) {
        let unit = f64::from(x.sqrt().next_up()) - f64::from(x.sqrt());
        assert!((f64::from(found) - f64::from(x).sqrt()).abs() < 0.75 * unit, "sqrt({x}) = {found}");
        assert_eq!(found.to_bits(), root(x).to_bits(), "{x} alone");
    }
    assert_eq!([0.0, 1.0, 1e-40, f32::INFINITY].map(root), [0.0, 1.0, 1e-40_f32.sqrt(), f32::INFINITY]);
    assert!(root(-0.0).is_sign_negative() && root(-1.0).is_nan() && root(f32::NAN).is_nan());
    // What `torch.sqrt` of PyTorch 2.6 makes of these bits on a processor of AMD's: the last four are the nearest numbers.
    let recorded = [
        (0x4010_2be7, 0x3fc0_1d43),
        (0x3fb1_4848, 0x3f96_a39c),
        (0x3f25_42c1, 0x3f4d_afa2),
        (0x3f33_7288, 0x3f56_552f),
        (0x4059_24a8, 0x3feb_c5c1),
        (0x4047_1dbd, 0x3fe1_c60d),
        (0x3eb2_11fd, 0x3f16_f936),
        (0x3f9d_348d, 0x3f8d_da5e),
        (0x4013_90ec, 0x3fc2_5ce4),
        (0x3f00_8d5f, 0x3f35_68cf),
        (0x3f5e_66e6, 0x3f6e_9c40),
        (0x3fd9_65da, 0x3fa6_d065),
    ];
    let found = recorded.map(|(x, _)| root(f32::from_bits(x)).to_bits());
    let nearest = recorded.map(|(x, _)| f32::from_bits(x).sqrt().to_bits());
    assert!(found == recorded.map(|it| it.1) || found == nearest, "{found:x?}");
}

#[test]
fn erfinv_is_the_inverse_of_erf() {
    for i in -5000..=5000 {
        let y = f64::from(i) / 5001.0;
        let back = libm::erf(erfinv(y));
        assert!((back - y).abs() <= 4e-15, "erf(erfinv({y})) = {back}");
    }
    assert_eq!(erfinv(1.0), f64::INFINITY);
    assert!(erfinv(1.5).is_nan());
}

#[test]
fn factors_of_a_matrix_solve_systems_and_multiply_back() {
    let a = ndarray::arr2(&[[0.0, 2.0, 1.0], [4.0, 1.0, 3.0], [2.0, 2.0, 5.0f64]]);
    let factors = factor(a.clone());
    assert!((factors.determinant() - -22.0).abs() < 1e-12);
    let product = |x: &Matrix<f64>, y: &Matrix<f64>, i: usize, j: usize| -> f64 {
        (0..3).map(|k| x[[i, k]] * y[[k, j]]).sum()
    };
    let x = factors.solve(&identity(3));
    for i in 0..3 {
        for j in 0..3 {
            assert!((product(&a, &x, i, j) - f64::from(u8::from(i == j))).abs() < 1e-12);
        }
    }
    let (q, r) = qr(&a, 3);
    let (_, s, _) = svd(&a);
    assert!((s.iter().product::<f64>() - 22.0).abs() < 1e-9);
    assert!((product(&q, &r, 1, 0) - 4.0).abs() < 1e-12);
    // Of equal rows one singular value is not 0; the vectors for the others are orthogonal all the same.
    let (u, s, _) = svd(&Matrix::<f64>::from_elem((4, 3), 1.0));
    assert_eq!(s[1..], [0.0, 0.0]);
    let ones = u.t().dot(&u) - identity::<f64>(3);
    assert!(ones.iter().all(|x| x.abs() < 1e-12), "{u}");
}

#[test]
fn a_flat_position_and_an_index_are_the_same_element() {
    let shape = [2, 3, 4];
    for flat in 0..24 {
        assert_eq!(ravel(&unravel(flat, &shape), &shape), flat);
    }
    assert_eq!(unravel(17, &shape), [1, 1, 1]);
    assert_eq!(unravel(0, &[]), [0; 0]);
    assert_eq!(strided_position(5, &[2, 3], &[1, 2], 7), 7 + 1 + 4);
}

#[test]
#[cfg(all(target_arch = "x86_64", target_env = "gnu"))]
fn exponentials_in_double_precision_are_those_of_the_c_library() {
    let step = |at: i32, size: f64| f64::from(at) / 20_000.0 * size;
    let mut x: Vec<f64> =
        (-20_000..20_000).flat_map(|at| [1e-18, 1e-3, 3.0, 720.0].map(|size| step(at, size))).collect();
    x.extend([f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -0.0, 1e300, -1e300, 512.0, -745.2]);
    let mut out = vec![0.0; x.len()];
    math::exp_double(&x, &mut out);
    for (x, out) in x.iter().zip(&out) {
        assert_eq!(out.to_bits(), x.exp().to_bits(), "e^{x}");
    }
}
