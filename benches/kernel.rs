//! The kernel's parts at GPT-2's size: `cargo bench --bench kernel`.
//! Products say how many multiply-adds they do, the rest how many bytes they move, so that criterion's
//! throughput can be compared with what the processor and its memory can do.

use std::hint::black_box;

use ndarray::{Array2, Array3, Array4, ArrayD};

use attn::kernel::attention::backward::backward;
use attn::kernel::attention::{AttentionGradients, GradientInputs, Mask, Operands, fused};
use attn::kernel::backward::{
    loss as gradient_of_loss, norm as gradient_of_norm, softmax as gradients_of_softmax, softmax::Known,
};
use attn::kernel::{gemm, math, norm, random::Generator, simd, softmax};

mod timing;

use timing::{Group, Throughput};

const WIDTH: usize = 768;
const HEADS: usize = 12;
const HEAD: usize = WIDTH / HEADS;

/// Numbers between -2 and 2 that are the same each time.
fn numbers(count: usize) -> Vec<f32> {
    let mut state = 1u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 22) as f32 - 2.0
    };
    (0..count).map(|_| next()).collect()
}

fn matrix(rows: usize, columns: usize) -> Array2<f32> {
    Array2::from_shape_vec((rows, columns), numbers(rows * columns))
        .expect("as many numbers as the shape has")
}

/// (1, heads, tokens, width of a head), as the chapter's class has them: heads side by side in each token.
fn heads(tokens: usize) -> Array4<f32> {
    let all = Array4::from_shape_vec((1, tokens, HEADS, HEAD), numbers(tokens * WIDTH));
    all.expect("as many numbers as the shape has").permuted_axes([0, 2, 1, 3])
}

fn products() {
    let mut group = Group::new("product");
    for (m, k, n) in [(1024, WIDTH, WIDTH), (1024, WIDTH, 4 * WIDTH), (1024, HEAD, 1024), (1024, 1024, HEAD)]
    {
        let (a, b) = (matrix(m, k), matrix(k, n));
        let mut out = Array2::zeros((m, n));
        group.throughput(Throughput::Elements((m * k * n) as u64));
        group.bench_function(format_args!("{m}x{k}x{n}"), |bench| {
            bench.iter(|| gemm::matmul(a.view(), b.view(), black_box(&mut out).view_mut()));
        });
    }
    // A layer of a small transformer and its two gradients, with transposed operands as strides.
    for (name, m, k, n) in [("layer", 2048, 128, 512), ("weight", 128, 2048, 512), ("input", 2048, 512, 128)]
    {
        let a = if name == "weight" { matrix(k, m).reversed_axes() } else { matrix(m, k) };
        let b = if name == "input" { matrix(n, k).reversed_axes() } else { matrix(k, n) };
        let mut out = Array2::zeros((m, n));
        group.throughput(Throughput::Elements((m * k * n) as u64));
        group.bench_function(format_args!("{name}/{m}x{k}x{n}"), |bench| {
            bench.iter(|| gemm::matmul(a.view(), b.view(), black_box(&mut out).view_mut()));
        });
    }
    let (a, b) = (numbers(HEADS * 1024 * HEAD), numbers(HEADS * 1024 * HEAD));
    let a = Array3::from_shape_vec((HEADS, 1024, HEAD), a).expect("as many numbers as the shape has");
    let b = Array3::from_shape_vec((HEADS, HEAD, 1024), b).expect("as many numbers as the shape has");
    let mut out = Array3::zeros((HEADS, 1024, 1024));
    group.throughput(Throughput::Elements((HEADS * 1024 * 1024 * HEAD) as u64));
    group.bench_function("scores of all heads", |bench| {
        bench.iter(|| gemm::batched(1.0, a.view(), b.view(), 0.0, black_box(&mut out).view_mut()));
    });
}

fn pointwise() {
    let mut group = Group::new("pointwise");
    let x = numbers(1024 * 4 * WIDTH);
    let mut out = vec![0.0; x.len()];
    group.throughput(Throughput::Bytes(8 * x.len() as u64));
    group.bench_function("exp", |bench| bench.iter(|| math::exp(&x, black_box(&mut out))));
    group.bench_function("gelu", |bench| bench.iter(|| math::gelu(&x, black_box(&mut out))));
    group.bench_function("gelu, tanh", |bench| bench.iter(|| math::gelu_tanh(&x, black_box(&mut out))));
}

fn rows() {
    let mut group = Group::new("rows");
    let scores = ArrayD::from_shape_vec(vec![HEADS, 1024, 1024], numbers(HEADS << 20));
    let scores = scores.expect("as many numbers as the shape has");
    group.throughput(Throughput::Bytes(8 * scores.len() as u64));
    group.bench_function("softmax", |bench| bench.iter(|| softmax::softmax(black_box(scores.view()), 2)));
    let (x, weight) = (numbers(1024 * WIDTH), vec![1.0; WIDTH]);
    group.throughput(Throughput::Bytes(8 * x.len() as u64));
    group.bench_function("layer norm", |bench| {
        bench.iter(|| norm::layer_norm(black_box(&x), WIDTH, Some(&weight), Some(&weight), 1e-5).0);
    });
}

/// Gradients at the sizes of a small transformer (32 sequences of 64 tokens, 128 wide, 4 heads), and of attention at
/// GPT-2's.
fn gradients() {
    let mut group = Group::new("gradients");
    let (x, grad, weight) = (numbers(32 * 64 * 128), numbers(32 * 64 * 128), vec![1.0; 128]);
    group.throughput(Throughput::Bytes(12 * x.len() as u64));
    let wanted = gradient_of_norm::WantedGradients { input: true, weight: true, bias: true };
    let scales = norm::layer_norm(&x, 128, None, None, 1e-5).1;
    group.bench_function("layer norm", |bench| {
        bench.iter(|| {
            gradient_of_norm::layer_norm(black_box(&x), &grad, 128, Some(&weight), &scales, wanted).input
        });
    });
    let (y, grad) = (numbers(32 * 4 * 64 * 64), numbers(32 * 4 * 64 * 64));
    group.throughput(Throughput::Bytes(12 * y.len() as u64));
    group.bench_function("softmax", |bench| {
        bench.iter(|| gradients_of_softmax::softmax(Known::Result, black_box(&y), &grad, [64, 1], false));
    });
    let (x, targets, slopes) = (numbers(2048 * 1000), vec![7; 2048], vec![-0.1; 2048]);
    let totals = softmax::log_totals(&x, 1000);
    group.throughput(Throughput::Bytes(8 * x.len() as u64));
    group.bench_function("cross-entropy", |bench| {
        bench.iter(|| gradient_of_loss::cross_entropy(black_box(&x), &totals, &targets, &slopes, 1000));
    });
    let x = heads(1024);
    group.throughput(Throughput::Elements((5 * HEADS * 1024 * 1024 * HEAD) as u64));
    for (name, causal) in [("attention", false), ("attention, causal", true)] {
        group.bench_function(name, |bench| {
            let (mut q, mut k, mut v) = (heads(1024), heads(1024), heads(1024));
            bench.iter(|| {
                let given = GradientInputs {
                    x: Operands { q: x.view(), k: x.view(), v: black_box(x.view()) },
                    grad: x.view(),
                    noise: None,
                    scale: 1.0 / (HEAD as f32).sqrt(),
                    mask: if causal { Mask::Causal } else { Mask::None },
                };
                let to = AttentionGradients { q: q.view_mut(), k: k.view_mut(), v: v.view_mut(), mask: None };
                backward(&given, to);
            });
        });
    }
}

fn attention() {
    let mut group = Group::new("attention");
    for tokens in [256, 1024] {
        let x = heads(tokens);
        let scale = 1.0 / (HEAD as f32).sqrt();
        group.throughput(Throughput::Elements((2 * HEADS * tokens * tokens * HEAD) as u64));
        let (wide, narrow) = (usize::MAX, 32);
        for (name, mask, vectors) in [
            ("fused", Mask::None, wide),
            ("fused, causal", Mask::Causal, wide),
            ("fused, 32-byte vectors", Mask::None, narrow),
        ] {
            simd::limit_vectors(vectors);
            group.bench_function(format_args!("{name}/{tokens}"), |bench| {
                let mut out = heads(tokens);
                bench.iter(|| {
                    let operands = Operands { q: x.view(), k: x.view(), v: black_box(x.view()) };
                    fused(operands, scale, &mask, out.view_mut());
                });
            });
        }
        simd::limit_vectors(usize::MAX);
    }
}

fn streams() {
    let mut group = Group::new("random numbers");
    let mut generator = Generator::new(123);
    group.throughput(Throughput::Elements(1 << 16));
    group.bench_function("32 bits each", |bench| {
        bench.iter(|| (0..1 << 16).fold(0u32, |all, _| all ^ black_box(generator.random())));
    });
}

fn main() {
    for benches in [products, pointwise, rows, attention, gradients, streams] {
        benches();
    }
}
