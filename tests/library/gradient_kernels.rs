//! The gradients of the kernel against central differences of its forward functions in double precision, and in single
//! precision against double.

use attn::kernel::attention::backward::{backward, backward_in};
use attn::kernel::attention::{AttentionGradients, Fused, GradientInputs, Mask, Operands, streaming};
use attn::kernel::backward::norm::WantedGradients;
use attn::kernel::backward::softmax::{self as gradients_of, Known};
use attn::kernel::backward::{activation, embedding, loss, norm as gradient};
use attn::kernel::loss::{ClassValues, NllOptions, nll_total};
use attn::kernel::random::Generator;
use attn::kernel::{Real, math, norm, softmax};
use ndarray::{Array4, ArrayD, Axis};

/// Numbers between -1 and 1.
fn numbers(count: usize, seed: u64) -> Vec<f64> {
    let mut generator = Generator::new(seed);
    (0..count).map(|_| f64::from(generator.random()) / f64::from(1u32 << 31) - 1.0).collect()
}

fn single(x: &[f64]) -> Vec<f32> {
    x.iter().map(|&x| x as f32).collect()
}

/// Checks a gradient against central differences of Σ `grad` f(x).
fn check(name: &str, x: &[f64], grad: &[f64], found: &[f64], f: impl Fn(&[f64]) -> Vec<f64>) {
    const STEP: f64 = 1e-5;
    let value = |x: &[f64]| f(x).iter().zip(grad).map(|(y, g)| y * g).sum::<f64>();
    for at in 0..x.len() {
        let mut moved = x.to_vec();
        moved[at] = x[at] + STEP;
        let above = value(&moved);
        moved[at] = x[at] - STEP;
        let slope = (above - value(&moved)) / (2.0 * STEP);
        assert!((slope - found[at]).abs() < 1e-7, "{name}, {at}: {} but differences give {slope}", found[at]);
    }
}

/// Checks that two results agree up to the rounding of single precision.
fn agree(name: &str, single: &[f32], double: &[f64]) {
    agree_within(4e-6, name, single, double);
}

fn agree_within(share: f64, name: &str, single: &[f32], double: &[f64]) {
    let largest = double.iter().fold(0.1f64, |largest, x| largest.max(x.abs()));
    for (at, (&a, &b)) in single.iter().zip(double).enumerate() {
        assert!((f64::from(a) - b).abs() < share * largest, "{name}, {at}: {a} but {b} in double precision");
    }
    assert_eq!(single.len(), double.len(), "{name}");
}

#[test]
fn softmax_and_log_softmax() {
    for (outer, length, inner) in [(3, 5, 1), (2, 17, 1), (2, 40, 1), (2, 7, 3), (1, 6, 19), (4, 1, 1)] {
        let (x, grad) = (numbers(outer * length * inner, 1), numbers(outer * length * inner, 2));
        // The last axis has an order of its own.
        let shape = if inner == 1 { vec![outer, length] } else { vec![outer, length, inner] };
        let shaped = |x: &[f64]| ArrayD::from_shape_vec(shape.clone(), x.to_vec()).expect("a shape");
        let (y, logs) = (softmax::softmax(shaped(&x).view(), 1), softmax::log_softmax(shaped(&x).view(), 1));
        let sizes = [length, inner];
        let found = gradients_of::softmax(Known::Result, &y, &grad, sizes, false);
        check("softmax", &x, &grad, &found, |x| softmax::softmax(shaped(x).view(), 1));
        let singles = gradients_of::softmax(Known::Result, &single(&y), &single(&grad), sizes, false);
        agree("softmax", &singles, &found);
        let again = gradients_of::softmax(Known::Input, &x, &grad, sizes, false);
        assert_eq!(again, found, "from x and from y");
        let found = gradients_of::softmax(Known::Result, &logs, &grad, sizes, true);
        assert_eq!(gradients_of::softmax(Known::Input, &x, &grad, sizes, true), found, "from x and from y");
        check("log_softmax", &x, &grad, &found, |x| softmax::log_softmax(shaped(x).view(), 1));
        let singles = gradients_of::softmax(Known::Result, &single(&logs), &single(&grad), sizes, true);
        agree("log_softmax", &singles, &found);
    }
}

#[test]
fn layer_norm() {
    for (rows, width) in [(1, 2), (3, 7), (4, 16), (2, 33), (2, 70)] {
        let (x, grad) = (numbers(rows * width, 1), numbers(rows * width, 2));
        let (weight, bias) = (numbers(width, 3), numbers(width, 4));
        let all = WantedGradients { input: true, weight: true, bias: true };
        let scales = norm::layer_norm(&x, width, None, None, 1e-2).1;
        let found = gradient::layer_norm(&x, &grad, width, Some(&weight), &scales, all);
        let f = |x: &[f64], w: &[f64], b: &[f64]| norm::layer_norm(x, width, Some(w), Some(b), 1e-2).0;
        let [input, of_weight, of_bias] =
            [found.input, found.weight, found.bias].map(|x| x.expect("was wanted"));
        check("input", &x, &grad, &input, |x| f(x, &weight, &bias));
        check("weight", &weight, &grad, &of_weight, |weight| f(&x, weight, &bias));
        check("bias", &bias, &grad, &of_bias, |bias| f(&x, &weight, bias));
        let scales_in_single = norm::layer_norm(&single(&x), width, None, None, 1e-2).1;
        let (x_in_single, weight_in_single) = (single(&x), single(&weight));
        let in_single = gradient::layer_norm(
            &x_in_single,
            &single(&grad),
            width,
            Some(&weight_in_single),
            &scales_in_single,
            all,
        );
        agree("input", &in_single.input.expect("was wanted"), &input);
        agree("weight", &in_single.weight.expect("was wanted"), &of_weight);
        let plain = WantedGradients { weight: false, bias: false, ..all };
        let found = gradient::layer_norm(&x, &grad, width, None, &scales, plain);
        assert!(found.weight.is_none() && found.bias.is_none());
        let input = found.input.expect("was wanted");
        check("without weight", &x, &grad, &input, |x| norm::layer_norm(x, width, None, None, 1e-2).0);
    }
}

#[test]
fn rms_norm() {
    for (rows, width) in [(1, 2), (3, 7), (2, 33)] {
        let (x, grad, weight) = (numbers(rows * width, 1), numbers(rows * width, 2), numbers(width, 3));
        let f = |x: &[f64], weight: &[f64]| {
            let scaled = |row: &[f64]| {
                let mean = row.iter().map(|x| x * x).sum::<f64>() / width as f64;
                row.iter().zip(weight).map(|(x, w)| x / (mean + 1e-2).sqrt() * w).collect::<Vec<f64>>()
            };
            x.chunks(width).flat_map(scaled).collect()
        };
        let wanted = WantedGradients { input: true, weight: true, bias: false };
        let found = gradient::rms_norm(&x, &grad, width, Some(&weight), 1e-2, wanted);
        check("input", &x, &grad, &found.input.expect("was wanted"), |x| f(x, &weight));
        check("weight", &weight, &grad, &found.weight.expect("was wanted"), |weight| f(&x, weight));
    }
}

#[test]
fn activations() {
    let x: Vec<f64> = numbers(200, 1).into_iter().map(|x| 6.0 * x + 0.001).collect();
    let grad = numbers(200, 2);
    type OfOne = (&'static str, fn(f64) -> f64, fn(f64, f64) -> f64, fn(f32, f32) -> f32);
    fn slices(f: fn(&[f64], &mut [f64]), x: f64) -> f64 {
        let mut out = [0.0];
        f(&[x], &mut out);
        out[0]
    }
    fn slope<T: Real>(f: fn(&[T], &[T], &mut [T]), x: T, grad: T) -> T {
        let mut out = [T::ZERO];
        f(&[x], &[grad], &mut out);
        out[0]
    }
    let all: [OfOne; 7] = [
        ("relu", |x| x.max(0.0), activation::relu, activation::relu),
        (
            "leaky_relu",
            |x| if x > 0.0 { x } else { 0.1 * x },
            |x, g| activation::leaky_relu(x, g, 0.1),
            |x, g| activation::leaky_relu(x, g, 0.1),
        ),
        (
            "elu",
            |x| if x > 0.0 { x } else { 0.7 * x.exp_m1() },
            |x, g| activation::elu(x, g, 0.7),
            |x, g| activation::elu(x, g, 0.7),
        ),
        ("silu", |x| slices(math::silu, x), activation::silu, activation::silu),
        (
            "gelu",
            |x| slices(math::gelu, x),
            |x, g| slope(activation::gelu, x, g),
            |x, g| slope(activation::gelu, x, g),
        ),
        (
            "gelu_tanh",
            |x| slices(math::gelu_tanh, x),
            |x, g| slope(activation::gelu_tanh, x, g),
            |x, g| slope(activation::gelu_tanh, x, g),
        ),
        (
            "softplus",
            |x| if 2.0 * x > 8.0 { x } else { (2.0 * x).exp().ln_1p() / 2.0 },
            |x, g| if 2.0 * x > 8.0 { g } else { activation::softplus(x, g, 2.0, 8.0) },
            |x, g| if 2.0 * x > 8.0 { g } else { activation::softplus(x, g, 2.0, 8.0) },
        ),
    ];
    for (name, f, slope, in_single) in all {
        let found: Vec<f64> = x.iter().zip(&grad).map(|(&x, &g)| slope(x, g)).collect();
        check(name, &x, &grad, &found, |x| x.iter().map(|&x| f(x)).collect());
        let pairs = x.iter().zip(&grad).map(|(&x, &g)| in_single(x as f32, g as f32));
        agree(name, &pairs.collect::<Vec<f32>>(), &found);
    }
    let found: Vec<f64> = x.iter().zip(&grad).map(|(&x, &g)| activation::tanh(x.tanh(), g)).collect();
    check("tanh", &x, &grad, &found, |x| x.iter().map(|x| x.tanh()).collect());
    let logistic = |x: f64| 1.0 / (1.0 + (-x).exp());
    let found: Vec<f64> = x.iter().zip(&grad).map(|(&x, &g)| activation::sigmoid(logistic(x), g)).collect();
    check("sigmoid", &x, &grad, &found, |x| x.iter().map(|&x| logistic(x)).collect());
}

#[test]
fn losses_and_embedding() {
    let (rows, classes) = (6, 9);
    let x = numbers(rows * classes, 1);
    let targets = [3, 0, -100, 8, 3, 1];
    let of = |x: &[f64]| {
        let x = ArrayD::from_shape_vec(vec![rows, classes], x.to_vec()).expect("a shape");
        let logs = softmax::log_softmax(x.view(), 1);
        let values = ClassValues::new(&logs, &[rows, classes]);
        let options = NllOptions { weight: None, ignored: -100 };
        vec![nll_total(&values, &targets, &options).expect("targets are classes").0 / 5.0]
    };
    let slopes: Vec<f64> = targets.iter().map(|&target| if target == -100 { 0.0 } else { -0.2 }).collect();
    let totals = softmax::log_totals(&x, classes);
    let found = loss::cross_entropy(&x, &totals, &targets, &slopes, classes);
    check("cross_entropy", &x, &[1.0], &found, of);
    assert!(found[2 * classes..3 * classes].iter().all(|&x| x == 0.0), "an ignored row has no gradient");
    agree(
        "cross_entropy",
        &loss::cross_entropy(
            &single(&x),
            &softmax::log_totals(&single(&x), classes),
            &targets,
            &single(&slopes),
            classes,
        ),
        &found,
    );
    let spread = loss::nll(&[1, 0, 1, 1], &[1.0, 2.0, 3.0, 0.0], 2, 2);
    assert_eq!(spread, [0.0, 2.0, 1.0, 0.0, 0.0, 0.0, 3.0, 0.0]);
    let rows =
        embedding::embedding(&[2, 0, 2, 1], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [3, 2], Some(1));
    assert_eq!(rows, [3.0, 4.0, 0.0, 0.0, 6.0, 8.0]);
    let (tokens, grad) = ((0..3000).map(|at| at * 7919 % 50).collect::<Vec<i64>>(), numbers(3000 * 16, 3));
    let mut plain = vec![0.0; 50 * 16];
    for (token, grad) in tokens.iter().zip(grad.chunks(16)) {
        (0..16).for_each(|at| plain[*token as usize * 16 + at] += grad[at]);
    }
    assert_eq!(
        embedding::embedding(&tokens, &grad, [50, 16], None),
        plain,
        "token after token, on any thread"
    );
}

/// Sizes of an attention: batch, heads, groups, queries, keys, width of a head and of a value.
type Sizes = [usize; 7];

fn four<T: Real>(shape: [usize; 4], seed: u64) -> Array4<T> {
    let count = shape.iter().product();
    let numbers = numbers(count, seed).into_iter().map(|x| T::from_f64(f64::from(2.0 * x as f32)));
    Array4::from_shape_vec(shape, numbers.collect()).expect("as many numbers as the shape has")
}

/// The gradients of queries, keys and values; operands lie in memory with heads side by side.
fn attended<T: Fused>(sizes: Sizes, masked: usize, large: Option<bool>) -> [Vec<T>; 3] {
    let [b, h, g, t, s, d, e] = sizes;
    let laid = |shape: [usize; 4], seed| {
        four::<T>([shape[0], shape[2], shape[1], shape[3]], seed).permuted_axes([0, 2, 1, 3])
    };
    let (q, k, v) = (laid([b, h, t, d], 1), laid([b, g, s, d], 2), laid([b, g, s, e], 3));
    let grad = laid([b, h, t, e], 4);
    let mut added = four::<T>([b, h, t, s], 5);
    let mut keep = added.mapv(|x| x > T::ZERO);
    // A query that attends to no key.
    keep.slice_mut(ndarray::s![0, 0, 1, ..]).fill(false);
    added.slice_mut(ndarray::s![0, 0, .., 2..]).fill(T::NEG_INFINITY);
    let noise = keep.mapv(|keep| if keep { T::from_f64(1.25) } else { T::ZERO });
    let mask = match masked {
        1 => Mask::Causal,
        2 => Mask::Keep(keep.view()),
        3 => Mask::Added(added.view()),
        _ => Mask::None,
    };
    let x = Operands { q: q.view(), k: k.view(), v: v.view() };
    let noise = (masked == 4).then(|| noise.view());
    let given = GradientInputs { x, grad: grad.view(), noise, scale: T::from_f64(0.3), mask };
    let mut out = [q.clone(), k.clone(), v.clone()];
    let [of_q, of_k, of_v] = &mut out;
    let to = AttentionGradients { q: of_q.view_mut(), k: of_k.view_mut(), v: of_v.view_mut(), mask: None };
    match large {
        Some(large) => backward_in(&given, to, large),
        None => backward(&given, to),
    }
    out.map(|x| x.iter().copied().collect())
}

#[test]
fn attention_by_differences() {
    let sizes @ [b, h, g, t, s, d, e] = [2, 4, 2, 5, 7, 3, 6];
    for masked in 0..4 {
        let laid = |shape: [usize; 4], seed| {
            four::<f64>([shape[0], shape[2], shape[1], shape[3]], seed).permuted_axes([0, 2, 1, 3])
        };
        let x = [laid([b, h, t, d], 1), laid([b, g, s, d], 2), laid([b, g, s, e], 3)];
        let grad: Vec<f64> = laid([b, h, t, e], 4).iter().copied().collect();
        let mut added = four::<f64>([b, h, t, s], 5);
        let mut keep = added.mapv(|x| x > 0.0);
        keep.slice_mut(ndarray::s![0, 0, 1, ..]).fill(false);
        added.slice_mut(ndarray::s![0, 0, .., 2..]).fill(f64::NEG_INFINITY);
        let found = attended::<f64>(sizes, masked, None);
        for operand in 0..3 {
            let numbers: Vec<f64> = x[operand].iter().copied().collect();
            check("attention", &numbers, &grad, &found[operand], |moved| {
                let mut x = x.clone();
                x[operand].iter_mut().zip(moved).for_each(|(x, &moved)| *x = moved);
                let mut out = Array4::zeros([b, h, t, e]);
                let mask = match masked {
                    1 => Mask::Causal,
                    2 => Mask::Keep(keep.view()),
                    3 => Mask::Added(added.view()),
                    _ => Mask::None,
                };
                streaming(
                    Operands { q: x[0].view(), k: x[1].view(), v: x[2].view() },
                    0.3,
                    &mask,
                    out.view_mut(),
                );
                out.iter().copied().collect()
            });
        }
    }
}

#[test]
fn attention_in_both_forms() {
    let all: [Sizes; 7] = [
        [1, 1, 1, 1, 1, 1, 1],
        [1, 2, 1, 5, 3, 4, 4],
        [2, 3, 3, 17, 17, 16, 16],
        [1, 4, 2, 33, 50, 20, 36],
        [1, 2, 2, 70, 600, 40, 24],
        [1, 2, 2, 300, 300, 64, 64],
        [1, 1, 1, 600, 129, 8, 65],
    ];
    for sizes in all {
        for masked in 0..5 {
            if sizes[3] < 2 || sizes[4] < 3 {
                continue;
            }
            let double = attended::<f64>(sizes, masked, None);
            for large in [false, true] {
                let found = attended::<f32>(sizes, masked, Some(large));
                for (at, (found, double)) in found.iter().zip(&double).enumerate() {
                    // PyTorch computes the scores a second time, from keys times the scale, which rounds them otherwise than
                    // those whose logarithm of a sum it has kept: of large scores the weights lose three more bits.
                    let name = format!("{sizes:?}, mask {masked}, large {large}, operand {at}");
                    agree_within(8e-6, &name, found, double);
                }
            }
        }
    }
}

#[test]
fn the_gradient_of_an_added_mask() {
    let shape = [1, 2, 5, 6];
    let (q, k, v) =
        (four::<f64>([1, 2, 5, 3], 1), four::<f64>([1, 1, 6, 3], 2), four::<f64>([1, 1, 6, 4], 3));
    let (grad, added) = (four::<f64>([1, 2, 5, 4], 4), four::<f64>(shape, 5));
    let x = Operands { q: q.view(), k: k.view(), v: v.view() };
    let given =
        GradientInputs { x, grad: grad.view(), noise: None, scale: 0.5, mask: Mask::Added(added.view()) };
    let mut of_mask = Array4::zeros(shape);
    let (mut of_q, mut of_k, mut of_v) = (q.clone(), k.clone(), v.clone());
    let to = AttentionGradients {
        q: of_q.view_mut(),
        k: of_k.view_mut(),
        v: of_v.view_mut(),
        mask: Some(of_mask.view_mut()),
    };
    backward(&given, to);
    let numbers = |x: &Array4<f64>| x.iter().copied().collect::<Vec<f64>>();
    check("mask", &numbers(&added), &numbers(&grad), &numbers(&of_mask), |moved| {
        let added = Array4::from_shape_vec(shape, moved.to_vec()).expect("the same shape");
        let mut out = Array4::zeros([1, 2, 5, 4]);
        streaming(x, 0.5, &Mask::Added(added.view()), out.view_mut());
        numbers(&out)
    });
    assert_eq!(of_mask.sum_axis(Axis(3)).iter().filter(|x| x.abs() > 1e-12).count(), 0, "rows add up to 0");
}
