//! Eigenvalues and eigenvectors of symmetric matrices.
//!
//! The steps and the signs follow LAPACK's syevd for up to 25 rows: Householder reflections to three diagonals
//! (sytd2), then implicit QL or QR steps (steqr). Larger ones may have other signs there.
//! Source: Golub & Van Loan, Matrix Computations, 8.3; LAPACK Users' Guide.

use super::linalg::{Matrix, hypot, identity, reflect, reflector, signed};
use super::{Real, stop};

/// How a plane rotation is signed, and with it the eigenvectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rotation {
    /// As in LAPACK before 3.10: the cosine is positive where it belongs to the larger part. PyTorch has this one.
    Larger,
    /// As in LAPACK since 3.10: the cosine is never negative. NumPy has this one.
    Cosine,
}

/// Machine precision and the smallest normal number of a type, as LAPACK's lamch states them.
fn limits<T: Real>() -> (T, T) {
    if size_of::<T>() == 4 {
        (T::from_f64((0.5_f64).powi(24)), T::from_f64((0.5_f64).powi(126)))
    } else {
        (T::from_f64((0.5_f64).powi(53)), T::from_f64(f64::MIN_POSITIVE))
    }
}

/// A reflection: where it begins, the vector, tau.
type Reflection<T> = (usize, Vec<T>, T);

/// Three diagonals of a symmetric matrix.
struct Tridiagonal<T> {
    diagonal: Vec<T>,
    below: Vec<T>,
    reflections: Vec<Reflection<T>>,
}

/// Only the lower half is read (sytd2).
fn tridiagonal<T: Real>(a: &Matrix<T>) -> Tridiagonal<T> {
    let n = a.nrows();
    let mut a: Vec<T> = a.iter().copied().collect();
    let (mut diagonal, mut below, mut reflections) = (vec![T::ZERO; n], Vec::new(), Vec::new());
    for i in 0..n.saturating_sub(1) {
        let rest: Vec<T> = (i + 2..n).map(|j| a[j * n + i]).collect();
        let (beta, rest, tau) = reflector(a[(i + 1) * n + i], &rest);
        below.push(beta);
        if tau != T::ZERO {
            let v: Vec<T> = [T::ONE].into_iter().chain(rest).collect();
            let (size, first) = (v.len(), i + 1);
            let at = |row: usize, column: usize| (first + row.max(column)) * n + first + row.min(column);
            let mut w = Vec::with_capacity(size);
            for row in 0..size {
                stop::check();
                w.push(tau * (0..size).fold(T::ZERO, |sum, column| sum + a[at(row, column)] * v[column]));
            }
            let half = T::from_f64(-0.5) * tau * w.iter().zip(&v).fold(T::ZERO, |sum, (&w, &v)| sum + w * v);
            w.iter_mut().zip(&v).for_each(|(w, &v)| *w += half * v);
            for row in 0..size {
                for column in 0..=row {
                    a[at(row, column)] -= v[row] * w[column] + w[row] * v[column];
                }
            }
            reflections.push((first, v, tau));
        }
        diagonal[i] = a[i * n + i];
    }
    if let Some(last) = n.checked_sub(1) {
        diagonal[last] = a[last * n + last];
    }
    Tridiagonal { diagonal, below, reflections }
}

impl Rotation {
    /// c, s and r with c f + s g = r and c g - s f = 0 (lartg).
    fn of<T: Real>(self, f: T, g: T) -> (T, T, T) {
        if g == T::ZERO {
            return (T::ONE, T::ZERO, f);
        }
        let size = (f * f + g * g).sqrt();
        match self {
            Rotation::Larger if f == T::ZERO => (T::ZERO, T::ONE, g),
            Rotation::Larger => {
                let (c, s) = (f / size, g / size);
                if f.abs() > g.abs() && c < T::ZERO { (-c, -s, -size) } else { (c, s, size) }
            }
            Rotation::Cosine if f == T::ZERO => (T::ZERO, signed(T::ONE, g), g.abs()),
            Rotation::Cosine => {
                let r = signed(size, f);
                (f.abs() / size, g / r, r)
            }
        }
    }
}

/// The eigenvalues of [[a, b], [b, c]] and the vector of the first (laev2).
fn pair<T: Real>(a: T, b: T, c: T) -> (T, T, T, T) {
    let (total, gap, twice, half) = (a + c, a - c, b + b, T::from_f64(0.5));
    let (wide, side) = (gap.abs(), twice.abs());
    let (most, least) = if a.abs() > c.abs() { (a, c) } else { (c, a) };
    let root = if wide > side {
        wide * (T::ONE + (side / wide) * (side / wide)).sqrt()
    } else if wide < side {
        side * (T::ONE + (wide / side) * (wide / side)).sqrt()
    } else {
        side * T::from_f64(std::f64::consts::SQRT_2)
    };
    let (one, two, is_first) = if total < T::ZERO {
        let one = half * (total - root);
        (one, (most / one) * least - (b / one) * b, false)
    } else if total > T::ZERO {
        let one = half * (total + root);
        (one, (most / one) * least - (b / one) * b, true)
    } else {
        (half * root, -half * root, true)
    };
    let (sum, is_second) = if gap >= T::ZERO { (gap + root, true) } else { (gap - root, false) };
    let (c, s) = if sum.abs() > side {
        let t = -twice / sum;
        let s = T::ONE / (T::ONE + t * t).sqrt();
        (t * s, s)
    } else if side == T::ZERO {
        (T::ONE, T::ZERO)
    } else {
        let t = -sum / twice;
        let c = T::ONE / (T::ONE + t * t).sqrt();
        (c, t * c)
    };
    if is_first == is_second { (one, two, -s, c) } else { (one, two, c, s) }
}

/// The work of steqr: the diagonals, and the vectors as columns.
struct Steps<T> {
    d: Vec<T>,
    e: Vec<T>,
    z: Matrix<T>,
    rotation: Rotation,
}

impl<T: Real> Steps<T> {
    fn turn(&mut self, j: usize, c: T, s: T) {
        for mut row in self.z.rows_mut() {
            let (x, y) = (row[j], row[j + 1]);
            (row[j + 1], row[j]) = (c * y - s * x, s * y + c * x);
        }
    }

    /// QL steps on rows `l` to `end`, or QR steps where `end` is before `l`, until what connects them is 0.
    /// Errors: they do not converge.
    fn block(&mut self, mut l: usize, end: usize) -> Result<(), ()> {
        let (eps, tiny) = limits::<T>();
        let down = end > l;
        let next = |m: usize| if down { m + 1 } else { m.wrapping_sub(1) };
        // The place in `e` of what connects row m and the next one on the way.
        let off = |m: usize| if down { m } else { m - 1 };
        let mut tries = 0;
        loop {
            stop::check();
            let mut m = l;
            while m != end {
                let size = self.e[off(m)].abs();
                if size * size <= (eps * eps * self.d[m].abs()) * self.d[next(m)].abs() + tiny {
                    self.e[off(m)] = T::ZERO;
                    break;
                }
                m = next(m);
            }
            let p = self.d[l];
            if m == l {
                if l == end {
                    return Ok(());
                }
                l = next(l);
                continue;
            }
            if m == next(l) {
                let low = l.min(m);
                let (one, two, c, s) = pair(self.d[low], self.e[low], self.d[low + 1]);
                self.turn(low, c, s);
                (self.d[low], self.d[low + 1], self.e[low]) = (one, two, T::ZERO);
                if m == end {
                    return Ok(());
                }
                l = next(m);
                continue;
            }
            tries += 1;
            if tries > 30 * self.d.len() {
                return Err(());
            }
            self.step(l, m, p, down);
        }
    }

    /// One implicit step from `m` back to `l`.
    fn step(&mut self, l: usize, m: usize, p: T, down: bool) {
        let off = |m: usize| if down { m } else { m - 1 };
        let after = if down { l + 1 } else { l - 1 };
        let first = self.e[off(l)];
        let mut g = (self.d[after] - p) / (first + first);
        let r = hypot(g, T::ONE);
        g = self.d[m] - p + first / (g + signed(r, g));
        let (mut s, mut c, mut p) = (T::ONE, T::ONE, T::ZERO);
        let mut turns = Vec::new();
        let mut i = m;
        while i != l {
            let next = if down { i - 1 } else { i + 1 };
            let connects = self.e[off(next)];
            let (f, b) = (s * connects, c * connects);
            let (cos, sin, r) = self.rotation.of(g, f);
            (c, s) = (cos, sin);
            if i != m {
                self.e[off(i)] = r;
            }
            g = self.d[i] - p;
            let r = (self.d[next] - g) * s + (c + c) * b;
            p = s * r;
            self.d[i] = g + p;
            g = c * r - b;
            turns.push((i.min(next), c, if down { -s } else { s }));
            i = next;
        }
        for (j, c, s) in turns {
            self.turn(j, c, s);
        }
        self.d[l] -= p;
        self.e[off(l)] = g;
    }

    /// All blocks, one after the other.
    fn run(&mut self) -> Result<(), ()> {
        let (eps, _) = limits::<T>();
        let (n, mut start) = (self.d.len(), 0);
        while start < n {
            if start > 0 {
                self.e[start - 1] = T::ZERO;
            }
            let mut m = start;
            while m + 1 < n {
                let size = self.e[m].abs();
                if size == T::ZERO {
                    break;
                }
                if size <= self.d[m].abs().sqrt() * self.d[m + 1].abs().sqrt() * eps {
                    self.e[m] = T::ZERO;
                    break;
                }
                m += 1;
            }
            let first = start;
            start = m + 1;
            if m == first {
                continue;
            }
            if self.d[m].abs() < self.d[first].abs() {
                self.block(m, first)?;
            } else {
                self.block(first, m)?;
            }
            // What is left of a block that was split begins anew.
            if self.e[first..m].iter().any(|&e| e != T::ZERO) {
                start = first;
            }
        }
        self.sort();
        Ok(())
    }

    /// Ascending eigenvalues, each exchange with its column.
    fn sort(&mut self) {
        let n = self.d.len();
        for i in 0..n.saturating_sub(1) {
            let least = (i..n).fold(i, |least, j| if self.d[j] < self.d[least] { j } else { least });
            if self.d[least] != self.d[i] {
                self.d.swap(i, least);
                (0..n).for_each(|row| self.z.swap([row, i], [row, least]));
            }
        }
    }
}

/// Ascending eigenvalues of a symmetric matrix (n, n), of which the lower half counts, and its eigenvectors as columns
/// (n, n). NaN where a number is not finite. `None` if the steps do not converge. As LAPACK's syevd.
pub(crate) fn symmetric<T: Real>(a: &Matrix<T>, rotation: Rotation) -> Option<(Vec<T>, Matrix<T>)> {
    let n = a.nrows();
    let mut lower = (0..n).flat_map(|i| (0..=i).map(move |j| [i, j]));
    if lower.any(|at| !a[at].to_f64().is_finite()) {
        return Some((vec![T::NAN; n], Matrix::from_elem((n, n), T::NAN)));
    }
    let Tridiagonal { diagonal, below, reflections } = tridiagonal(a);
    let mut steps = Steps { d: diagonal, e: below, z: identity(n), rotation };
    steps.run().ok()?;
    let mut z = steps.z;
    for (start, v, tau) in reflections.into_iter().rev() {
        reflect(&mut z, start, &v, tau);
    }
    Some((steps.d, z))
}
