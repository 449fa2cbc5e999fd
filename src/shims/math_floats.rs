//! Arithmetic of Python's `math` on floats: sums, roots and logarithms that it rounds more carefully than one operation
//! would, neighbours of a number, and closeness.
//! Numbers in, numbers out.

/// The root of the sum of squares, scaled so that neither overflows, with the squares' rounding errors added.
pub(super) fn hypotenuse(values: Vec<f64>) -> f64 {
    let most = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    if values.iter().any(|value| value.is_infinite()) {
        return f64::INFINITY;
    }
    if values.iter().any(|value| value.is_nan()) {
        return f64::NAN;
    }
    if most == 0.0 {
        return 0.0;
    }
    let (_, exponent) = libm::frexp(most);
    let (mut sum, mut rest) = (0.0_f64, 0.0_f64);
    let add = |sum: &mut f64, rest: &mut f64, value: f64| {
        let total = *sum + value;
        *rest += if sum.abs() >= value.abs() { (*sum - total) + value } else { (value - total) + *sum };
        *sum = total;
    };
    for value in values {
        let scaled = libm::ldexp(value, -exponent);
        let square = scaled * scaled;
        add(&mut sum, &mut rest, square);
        rest += scaled.mul_add(scaled, -square);
    }
    let root = (sum + rest).sqrt();
    // One Newton step with the remainder computed exactly rounds the root correctly.
    let square = root * root;
    add(&mut sum, &mut rest, -square);
    rest -= root.mul_add(root, -square);
    libm::ldexp(root + (sum + rest) / (2.0 * root), exponent)
}

/// The correctly rounded sum (Shewchuk 1997); `None` if a partial sum of finite numbers overflows.
pub(super) fn exact_sum(values: Vec<f64>) -> Option<f64> {
    let mut partials: Vec<f64> = Vec::new();
    let mut special = 0.0;
    for value in values {
        if !value.is_finite() {
            special += value;
            continue;
        }
        let mut x = value;
        let mut kept = 0;
        for index in 0..partials.len() {
            let mut y = partials[index];
            if x.abs() < y.abs() {
                std::mem::swap(&mut x, &mut y);
            }
            let high = x + y;
            let low = y - (high - x);
            if low != 0.0 {
                partials[kept] = low;
                kept += 1;
            }
            x = high;
        }
        if !x.is_finite() {
            return None;
        }
        partials.truncate(kept);
        partials.push(x);
    }
    if special != 0.0 || special.is_nan() {
        return Some(special);
    }
    let mut high = partials.pop().unwrap_or(0.0);
    let mut low = 0.0;
    while let Some(y) = partials.pop() {
        let x = high;
        high = x + y;
        low = y - (high - x);
        if low != 0.0 {
            break;
        }
    }
    // A half-way case rounds to even unless the remainder decides it.
    if let Some(&next) = partials.last()
        && (low < 0.0 && next < 0.0 || low > 0.0 && next > 0.0)
    {
        let y = low * 2.0;
        let x = high + y;
        if y == x - high {
            high = x;
        }
    }
    Some(high)
}

/// The logarithm of |Γ(x)| by Lanczos' approximation, with the constants that CPython uses.
pub(super) fn log_gamma(x: f64) -> f64 {
    const G: f64 = 6.02468004077673;
    const ABOVE: [f64; 13] = [
        23531376880.41076,
        42919803642.6491,
        35711959237.35567,
        17921034426.03721,
        6039542586.352028,
        1439720407.3117218,
        248874557.86205417,
        31426415.585400194,
        2876370.6289353725,
        186056.2653952235,
        8071.672002365816,
        210.82427775157936,
        2.5066282746310002,
    ];
    const BELOW: [f64; 13] = [
        0.0,
        39916800.0,
        120543840.0,
        150917976.0,
        105258076.0,
        45995730.0,
        13339535.0,
        2637558.0,
        357423.0,
        32670.0,
        1925.0,
        66.0,
        1.0,
    ];
    if !x.is_finite() {
        return x.abs();
    }
    if x == x.floor() && x <= 2.0 {
        return 0.0;
    }
    let size = x.abs();
    if size < 1e-20 {
        return -size.ln();
    }
    let (mut above, mut below) = (0.0, 0.0);
    if size < 5.0 {
        for index in (0..13).rev() {
            above = above * size + ABOVE[index];
            below = below * size + BELOW[index];
        }
    } else {
        for index in 0..13 {
            above = above / size + ABOVE[index];
            below = below / size + BELOW[index];
        }
    }
    let mut result = (above / below).ln() - G;
    result += (size - 0.5) * ((size + G - 0.5).ln() - 1.0);
    if x < 0.0 {
        // Reflection: Γ(x) Γ(-x) = -π / (x sin πx).
        let sine = (std::f64::consts::PI * (size % 2.0)).sin().abs();
        result = std::f64::consts::PI.ln() - sine.ln() - size.ln() - result;
    }
    result
}

/// Whether two numbers differ by at most this share of the larger one, or by at most this much.
pub(super) fn is_close(a: f64, b: f64, relative: f64, absolute: f64) -> bool {
    if a == b {
        return true;
    }
    if a.is_infinite() || b.is_infinite() {
        return false;
    }
    let apart = (a - b).abs();
    apart <= (relative * b).abs() || apart <= (relative * a).abs() || apart <= absolute
}

/// The float so many steps from `x` towards `y`.
pub(super) fn next_after(mut x: f64, y: f64, steps: usize) -> f64 {
    for _ in 0..steps {
        if x == y {
            break;
        }
        x = libm::nextafter(x, y);
    }
    x
}

/// The value of the last place of a positive number; infinity and nan as they are.
pub(super) fn last_place(x: f64) -> f64 {
    if !x.is_finite() {
        return x;
    }
    match libm::nextafter(x, f64::INFINITY) {
        next if next.is_infinite() => x - libm::nextafter(x, f64::NEG_INFINITY),
        next => next - x,
    }
}
