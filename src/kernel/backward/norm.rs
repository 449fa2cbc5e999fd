//! Gradients of layer and root-mean-square normalisation.
//! Source: `torch.nn.functional.layer_norm` (Ba, Kiros & Hinton 2016), `rms_norm`; the order of summation
//! is that of PyTorch's CPU kernels on one thread. Equal bits in single precision: 1 to 1,024 numbers, with and without
//! weight and bias.

use ndarray::{ArrayViewD, IxDyn};

use super::super::real::simd;
use super::super::{Real, buffer_pool, reduce, threads};
use super::{PARALLEL, PIECE, fold};

/// Gradients of a normalisation; `None` for operands that need none.
pub struct NormGrads<T> {
    pub input: Option<Vec<T>>,
    pub weight: Option<Vec<T>>,
    pub bias: Option<Vec<T>>,
}

/// Which operands of a normalisation need a gradient.
#[derive(Clone, Copy)]
pub struct WantedGradients {
    pub input: bool,
    pub weight: bool,
    pub bias: bool,
}

/// Some rows: x, the gradient of the result, and the mean and factor of each row.
type LayerRows<'a, T> = ((&'a [T], &'a [T]), &'a [[T; 2]]);
/// Some rows: x, the gradients of the result and of the input, and the products that the weight's gradient adds up.
type RmsRows<'a, T> = (((&'a [T], &'a [T]), &'a mut [T]), &'a mut [T]);

/// Gradients of [`layer_norm`](crate::kernel::norm::layer_norm): (rows, width) for the input, (width) for weight and bias. `scales` has the mean of
/// each row and its factor, as the forward pass found them.
pub fn layer_norm<T: Real>(
    x: &[T],
    grad: &[T],
    width: usize,
    weight: Option<&[T]>,
    scales: &[[T; 2]],
    wanted: WantedGradients,
) -> NormGrads<T> {
    let mut input = wanted.input.then(|| buffer_pool::take::<T>(x.len()));
    let count = x.len() / width.max(1);
    if count == 0 {
        let zeros = |wanted: bool| wanted.then(|| vec![T::ZERO; width]);
        return NormGrads { input, weight: zeros(wanted.weight), bias: zeros(wanted.bias) };
    }
    if let Some(input) = &mut input {
        let rows = (PIECE / width).max(1);
        let size = rows * width;
        let pieces = x.chunks(size).zip(grad.chunks(size)).zip(scales.chunks(rows));
        let pieces = pieces.zip(input.chunks_mut(size));
        threads::share_if(x.len() >= PARALLEL, pieces, |(((x, grad), scales), out): (LayerRows<T>, _)| {
            layer_norm_rows(x, grad, width, weight, scales, out);
        });
    }
    let (weight, bias) = over_rows(x, grad, width, scales, wanted);
    NormGrads { input, weight, bias }
}

simd! { wide:
    fn layer_norm_rows<'a, 'b, 'c, T>(
        x: &'a [T],
        grad: &'a [T],
        width: usize,
        weight: Option<&'b [T]>,
        scales: &'c [[T; 2]],
        out: &'c mut [T],
    ) -> () {
        let scale = T::ONE / T::from_f64(width as f64);
        let rows = x.chunks_exact(width).zip(grad.chunks_exact(width)).zip(out.chunks_exact_mut(width));
        for (((x, g), out), &[mean, a]) in rows.zip(scales) {
            let add = |a: T, b: T| a + b;
            let (along, all) = match weight {
                Some(w) => (
                    fold(T::LANES, [g, x, w], |[g, x, w]| g * x * w, |sum, [g, x, w]| (g * x).fma(w, sum), add),
                    fold(T::LANES, [g, w], |[g, w]| g * w, |sum, [g, w]| g.fma(w, sum), add),
                ),
                None => (
                    fold(T::LANES, [g, x], |[g, x]| g * x, |sum, [g, x]| g.fma(x, sum), add),
                    fold(T::LANES, [g], |[g]| g, |sum, [g]| sum + g, add),
                ),
            };
            let b = all.fma(mean, -along) * a * a * a * scale;
            let c = (-b).fma(mean, -(all * a * scale));
            match weight {
                Some(w) => {
                    for (((out, &g), &x), &w) in out.iter_mut().zip(g).zip(x).zip(w) {
                        *out = b.fma(x, a * g * w) + c;
                    }
                }
                None => {
                    for ((out, &g), &x) in out.iter_mut().zip(g).zip(x) {
                        *out = b.fma(x, a * g) + c;
                    }
                }
            }
        }
    }
}

/// Columns that are summed together, so that their sums stay in registers.
const COLUMNS: usize = 64;

/// Σ over rows of grad times the normalised x and of grad: the gradients of weight and bias. Row after row; threads divide columns.
fn over_rows<T: Real>(
    x: &[T],
    grad: &[T],
    width: usize,
    scales: &[[T; 2]],
    wanted: WantedGradients,
) -> (Option<Vec<T>>, Option<Vec<T>>) {
    if !wanted.weight && !wanted.bias {
        return (None, None);
    }
    let (mut of_weight, mut of_bias) = (vec![T::ZERO; width], vec![T::ZERO; width]);
    let columns = of_weight.chunks_mut(COLUMNS).zip(of_bias.chunks_mut(COLUMNS)).enumerate();
    let each = |(at, (weight, bias)): (usize, (&mut [T], &mut [T]))| {
        sum_columns(x, grad, width, at * COLUMNS, scales, weight, bias);
    };
    threads::share_if(x.len() >= PARALLEL, columns, each);
    (wanted.weight.then_some(of_weight), wanted.bias.then_some(of_bias))
}

simd! { wide:
    fn sum_columns<'a, 'b, T>(
        x: &'a [T],
        grad: &'a [T],
        width: usize,
        first: usize,
        scales: &'a [[T; 2]],
        of_weight: &'b mut [T],
        of_bias: &'b mut [T],
    ) -> () {
        let n = of_weight.len();
        let (mut weight, mut bias) = ([T::ZERO; COLUMNS], [T::ZERO; COLUMNS]);
        let rows = x.chunks_exact(width).zip(grad.chunks_exact(width));
        if n == COLUMNS {
            for ((x, g), &[mean, a]) in rows.zip(scales) {
                let b = -a * mean;
                let (x, g) = (&x[first..first + COLUMNS], &g[first..first + COLUMNS]);
                for i in 0..COLUMNS {
                    weight[i] = g[i].fma(a.fma(x[i], b), weight[i]);
                    bias[i] += g[i];
                }
            }
        } else {
            for ((x, g), &[mean, a]) in rows.zip(scales) {
                let b = -a * mean;
                let (x, g) = (&x[first..first + n], &g[first..first + n]);
                for i in 0..n {
                    weight[i] = g[i].fma(a.fma(x[i], b), weight[i]);
                    bias[i] += g[i];
                }
            }
        }
        of_weight.copy_from_slice(&weight[..n]);
        of_bias.copy_from_slice(&bias[..n]);
    }
}

/// Gradients of x / √(mean x² + eps) times `weight`: (rows, width) for the input, (width) for the weight.
pub fn rms_norm<T: Real>(
    x: &[T],
    grad: &[T],
    width: usize,
    weight: Option<&[T]>,
    eps: f64,
    wanted: WantedGradients,
) -> NormGrads<T> {
    let mut input = buffer_pool::take::<T>(x.len());
    let products = if wanted.weight { x.len() } else { 0 };
    let mut of_weight = buffer_pool::take::<T>(products);
    if let Some(rows) = PIECE.checked_div(width) {
        let size = rows.max(1) * width;
        let pieces = x.chunks(size).zip(grad.chunks(size)).zip(input.chunks_mut(size));
        let mut parts = of_weight.chunks_mut(size);
        let pieces: Vec<_> = pieces.map(|piece| (piece, parts.next().unwrap_or_default())).collect();
        let each = |(((x, grad), input), products): RmsRows<T>| {
            rms_norm_rows(x, grad, width, weight, T::from_f64(eps), input, products);
        };
        threads::share_if(x.len() >= PARALLEL, pieces.into_iter(), each);
    }
    let of_weight = wanted.weight.then(|| {
        let rows = ArrayViewD::from_shape(IxDyn(&[x.len() / width.max(1), width]), &of_weight[..]);
        reduce::sum(rows.expect("a product for each number"), &[0])
    });
    NormGrads { input: wanted.input.then_some(input), weight: of_weight, bias: None }
}

simd! { wide:
    fn rms_norm_rows<'a, 'b, 'c, T>(
        x: &'a [T],
        grad: &'a [T],
        width: usize,
        weight: Option<&'b [T]>,
        eps: T,
        input: &'c mut [T],
        products: &'c mut [T],
    ) -> () {
        let count = T::from_f64(width as f64);
        let (mut between, mut products) = (vec![T::ZERO; width], products.chunks_exact_mut(width));
        for ((x, grad), out) in x.chunks_exact(width).zip(grad.chunks_exact(width)).zip(input.chunks_exact_mut(width)) {
            for (between, &x) in between.iter_mut().zip(x) {
                *between = x * x;
            }
            let scale = T::ONE / (reduce::sum_slice(&between) / count + eps).sqrt();
            match weight {
                Some(weight) => {
                    for ((out, &g), &w) in out.iter_mut().zip(grad).zip(weight) {
                        *out = g * w;
                    }
                }
                None => out.copy_from_slice(grad),
            }
            for ((between, &x), &g) in between.iter_mut().zip(x).zip(&*out) {
                *between = g * x;
            }
            let along = reduce::sum_slice(&between);
            let slope = T::from_f64(-0.5) * along * (scale * scale * scale) / count;
            for (out, &x) in out.iter_mut().zip(x) {
                *out = *out * scale + slope * (x + x);
            }
            if let Some(products) = products.next() {
                for ((product, &x), &g) in products.iter_mut().zip(x).zip(grad) {
                    *product = g * (x * scale);
                }
            }
        }
    }
}
