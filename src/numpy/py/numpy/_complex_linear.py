"""numpy.linalg of complex matrices, on lists of Python's complex numbers.

The steps are those of LAPACK without its blocks: LU with partial pivoting (zgetf2), Cholesky, Householder reflections
(zgeqr2, zgebd2, zhetd2), and the QR algorithm (zlahqr) for eigenvalues.
Source: Golub & Van Loan, Matrix Computations, 3.4, 4.2, 5.2, 5.4 and 7.5; LAPACK Users' Guide.
"""

import math

import numpy
from numpy import _complex
from numpy._eigen import reflector, symmetric

_ULP, _TINY = 2.0**-52, 2.0**-1022


def _matrices(a, square=True):
    a = a if type(a) is _complex.ndarray else _complex.array(a)
    if a.ndim < 2:
        raise numpy.linalg.LinAlgError(f"{a.ndim}-dimensional array given. Array must be at least two-dimensional")
    if square and a.shape[-1] != a.shape[-2]:
        raise numpy.linalg.LinAlgError("Last 2 dimensions of the array must be square")
    return a


def _each(function, a, *others):
    """A function of each matrix of a stack: the results, stacked."""
    if a.ndim == 2:
        return function(a, *others)
    made = [function(one, *others) for one in a.reshape((-1,) + a.shape[-2:])]
    if not isinstance(made[0], tuple):
        return numpy.stack([numpy.asarray(one) for one in made]).reshape(a.shape[:-2] + numpy.shape(made[0]))
    return tuple(
        numpy.stack([numpy.asarray(one) for one in column]).reshape(a.shape[:-2] + numpy.shape(column[0]))
        for column in zip(*made)
    )


def _size(one):
    return abs(one.real) + abs(one.imag)


def _lu(rows):
    """Puts the factors in place. Returns the order of the rows, its sign, and whether the matrix is singular."""
    n, sign, order, singular = len(rows), 1, list(range(len(rows))), False
    for k in range(n):
        at = max(range(k, n), key=lambda i: (_size(rows[i][k]), -i))
        if rows[at][k] == 0:
            singular = True
            continue
        if at != k:
            rows[at], rows[k], order[at], order[k], sign = rows[k], rows[at], order[k], order[at], -sign
        scale = 1.0 / rows[k][k]
        for i in range(k + 1, n):
            rows[i][k] *= scale
            factor = rows[i][k]
            if factor != 0:
                for j in range(k + 1, n):
                    rows[i][j] -= factor * rows[k][j]
    return order, sign, singular


def solve(a, b):
    a = _matrices(a)
    b = numpy.asarray(b)
    if b.ndim == a.ndim - 1:
        return solve(a, b[..., None])[..., 0]
    if a.ndim > 2:
        shape = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = numpy.broadcast_to(a, shape + a.shape[-2:]), numpy.broadcast_to(b, shape + b.shape[-2:])
        pairs = zip(a.reshape((-1,) + a.shape[-2:]), b.reshape((-1,) + b.shape[-2:]))
        return numpy.stack([solve(*pair) for pair in pairs]).reshape(b.shape)
    if b.shape[0] != a.shape[0]:
        raise ValueError(
            "solve: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature (m,m),(m,n)->(m,n) "
            f"(size {b.shape[0]} is different from {a.shape[0]})"
        )
    rows, n = a.tolist(), len(a)
    order, _, singular = _lu(rows)
    if singular:
        raise numpy.linalg.LinAlgError("Singular matrix")
    given = b.tolist()
    x = [[complex(one) for one in given[at]] for at in order]
    for i in range(n):
        for k in range(i):
            if rows[i][k] != 0:
                x[i] = [one - rows[i][k] * two for one, two in zip(x[i], x[k])]
    for i in reversed(range(n)):
        for k in range(i + 1, n):
            if rows[i][k] != 0:
                x[i] = [one - rows[i][k] * two for one, two in zip(x[i], x[k])]
        x[i] = [one / rows[i][i] for one in x[i]]
    return numpy.array(x, dtype=a.dtype).reshape(n, b.shape[1])


def inv(a):
    a = _matrices(a)
    return _each(lambda one: solve(one, numpy.eye(len(one))), a)


def slogdet(a):
    def of(a):
        rows = a.tolist()
        _, sign, singular = _lu(rows)
        if singular:
            return _complex.scalar(0j, a.real.dtype), a.real.dtype.type(-math.inf)
        turn, size = complex(sign), 0.0
        for i, row in enumerate(rows):
            one = abs(row[i])
            turn *= row[i] / one
            size += math.log(one)
        return _complex.scalar(turn, a.real.dtype), a.real.dtype.type(size)

    return numpy.linalg.SlogdetResult(*_each(of, _matrices(a)))


def det(a):
    sign, size = slogdet(a)
    return sign * numpy.exp(size)


def cholesky(a):
    def of(a):
        rows, n = a.tolist(), len(a)
        made = [[0j] * n for _ in range(n)]
        for j in range(n):
            left = rows[j][j].real - sum(abs(made[j][k]) ** 2 for k in range(j))
            if not left > 0:
                raise numpy.linalg.LinAlgError("Matrix is not positive definite")
            made[j][j] = complex(math.sqrt(left))
            for i in range(j + 1, n):
                total = rows[i][j] - sum(made[i][k] * made[j][k].conjugate() for k in range(j))
                made[i][j] = complex(total.real / made[j][j].real, total.imag / made[j][j].real)
        return numpy.array(made, dtype=a.dtype).reshape(n, n)

    return _each(of, _matrices(a))


def _reflect(rows, start, v, tau, columns):
    """(1 - tau v v^H) rows, from a row on."""
    for j in columns:
        total = tau * sum(one.conjugate() * rows[start + k][j] for k, one in enumerate(v))
        for k, one in enumerate(v):
            rows[start + k][j] -= total * one


def _reflected(found, n, count):
    """The first columns of the product of reflections."""
    q = [[1 + 0j if i == j else 0j for j in range(count)] for i in range(n)]
    for start, v, tau in reversed(found):
        _reflect(q, start, v, tau, range(count))
    return q


def _triangle(rows, m, n):
    """Householder reflections that leave a triangle in place of `rows`."""
    found = []
    for i in range(min(m, n)):
        beta, rest, tau = reflector([rows[j][i] for j in range(i, m)])
        v = [1 + 0j, *rest]
        _reflect(rows, i, v, complex(tau).conjugate(), range(i + 1, n))
        for j in range(i, m):
            rows[j][i] = complex(beta) if j == i else 0j
        found.append((i, v, complex(tau)))
    return found


def qr(a, mode="reduced"):
    if mode not in ("reduced", "complete", "r"):
        raise NotImplementedError(f"qr(mode={mode!r}) is not part of attn's numpy")

    def of(a):
        m, n = a.shape
        rows = a.tolist()
        found = _triangle(rows, m, n)
        count = m if mode == "complete" else min(m, n)
        q = numpy.array(_reflected(found, m, count), dtype=a.dtype).reshape(m, count)
        return q, numpy.array(rows[:count], dtype=a.dtype).reshape(count, n)

    q, r = _each(of, _matrices(a, False))
    return r if mode == "r" else numpy.linalg.QRResult(q, r)


def svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    def of(a):
        m, n = a.shape
        if m < n:
            u, s, vh = of(a.conj().T)
            return vh.conj().T, s, u.conj().T
        rows, first = a.tolist(), []
        count = m if full_matrices else n
        # Of a tall matrix the triangle is taken first.
        if m >= n * 17 // 9 and m > n:
            first, rows = _triangle(rows, m, n), rows[:n]
        high, left, right = len(rows), [], []
        d, e = [0.0] * n, [0.0] * max(n - 1, 0)
        for i in range(n):
            beta, rest, tau = reflector([complex(rows[j][i]) for j in range(i, high)])
            d[i], v = beta, [1 + 0j, *rest]
            _reflect(rows, i, v, complex(tau).conjugate(), range(i + 1, n))
            left.append((i, v, complex(tau)))
            if i < n - 1:
                beta, rest, tau = reflector([rows[i][j].conjugate() for j in range(i + 1, n)])
                e[i], w = beta, [1 + 0j, *rest]
                for row in rows[i + 1 :]:
                    total = tau * sum(row[i + 1 + k] * one for k, one in enumerate(w))
                    for k, one in enumerate(w):
                        row[i + 1 + k] -= total * one.conjugate()
                right.append((i + 1, w, complex(tau)))
        middle = numpy.zeros((n, n), a.real.dtype)
        for i in range(n):
            middle[i, i] = d[i]
            if i < n - 1:
                middle[i, i + 1] = e[i]
        u, s, vh = numpy.linalg.svd(middle)
        p = numpy.array(_reflected(right, n, n), dtype=a.dtype).reshape(n, n)
        if first:
            inner = numpy.array(_reflected(left, n, n), dtype=a.dtype).reshape(n, n) @ u
            outer = _complex.filled((m, count), 0, a.dtype, "C")
            outer[:n, :n] = inner
            for at in range(n, count):
                outer[at, at] = 1
            found = outer.tolist()
            for start, v, tau in reversed(first):
                _reflect(found, start, v, tau, range(count))
            made = numpy.array(found, dtype=a.dtype).reshape(m, count)
        else:
            q = numpy.array(_reflected(left, m, count), dtype=a.dtype).reshape(m, count)
            made = q.copy()
            made[:, :n] = q[:, :n] @ u
        return made, s, vh @ p.conj().T

    u, s, vh = _each(of, _matrices(a, False))
    return numpy.linalg.SVDResult(u, s, vh) if compute_uv else s


def eigh(a, UPLO="L"):
    a = _matrices(a)
    if UPLO.upper() not in ("L", "U"):
        raise ValueError("UPLO argument must be 'L' or 'U'")
    if UPLO.upper() == "U":
        a = numpy.swapaxes(a, -1, -2).conj()
    return numpy.linalg.EighResult(*symmetric(a))


def eigvalsh(a, UPLO="L"):
    return eigh(a, UPLO)[0]


def _hessenberg(rows, n):
    found = []
    for i in range(n - 1):
        beta, rest, tau = reflector([rows[j][i] for j in range(i + 1, n)])
        v, tau = [1 + 0j, *rest], complex(tau)
        for row in rows:
            total = tau * sum(row[i + 1 + k] * one for k, one in enumerate(v))
            for k, one in enumerate(v):
                row[i + 1 + k] -= total * one.conjugate()
        _reflect(rows, i + 1, v, tau.conjugate(), range(i + 1, n))
        for j in range(i + 1, n):
            rows[j][i] = complex(beta) if j == i + 1 else 0j
        found.append((i + 1, v, tau))
    return _reflected(found, n, n)


def _schur(h, z, n):
    """Makes a Hessenberg matrix with a real subdiagonal triangular, and turns z with it (zlahqr)."""

    def scale_row(i, start, by):
        for j in range(start, n):
            h[i][j] *= by

    def scale_column(j, end, by):
        for i in range(end):
            h[i][j] *= by
        for row in z:
            row[j] *= by

    i = n - 1
    while i >= 0:
        l = 0
        for tries in range(30 * max(10, n) + 1):
            for k in range(i, l, -1):
                size = _size(h[k - 1][k - 1]) + _size(h[k][k])
                if _size(h[k][k - 1]) <= _TINY * (n / _ULP):
                    l = k
                    break
                if size == 0.0:
                    size += abs(h[k - 1][k - 2].real) if k > 1 else 0.0
                    size += abs(h[k + 1][k].real) if k < n - 1 else 0.0
                if abs(h[k][k - 1].real) <= _ULP * size:
                    ab, ba = sorted((_size(h[k][k - 1]), _size(h[k - 1][k])), reverse=True)
                    aa, bb = sorted((_size(h[k][k]), _size(h[k - 1][k - 1] - h[k][k])), reverse=True)
                    if ba * (ab / (aa + ab)) <= max(_TINY, _ULP * (bb * (aa / (aa + ab)))):
                        l = k
                        break
            if l > 0:
                h[l][l - 1] = 0j
            if l >= i:
                break
            if tries % 20 == 10:
                t = 0.75 * abs(h[l + 1][l].real) + h[l][l]
            elif tries % 20 == 0 and tries:
                t = 0.75 * abs(h[i][i - 1].real) + h[i][i]
            else:
                t = h[i][i]
                u = _root(h[i - 1][i]) * _root(h[i][i - 1])
                if u != 0:
                    x = 0.5 * (h[i - 1][i - 1] - t)
                    size = max(_size(u), _size(x))
                    x_, u_ = x / size, u / size
                    y = size * _root(x_ * x_ + u_ * u_)
                    if _size(x) > 0 and x.real * y.real + x.imag * y.imag < 0:
                        y = -y
                    t -= u * (u / (x + y))
            for m in range(i - 1, l - 1, -1):
                gap, below = h[m][m] - t, h[m + 1][m].real
                size = _size(gap) + abs(below)
                gap, below = gap / size, below / size
                if m > l and abs(h[m][m - 1].real) * abs(below) <= _ULP * (
                    _size(gap) * (_size(h[m][m]) + _size(h[m + 1][m + 1]))
                ):
                    break
                if m == l:
                    break
            v = [complex(gap), complex(below)]
            for k in range(m, i):
                if k > m:
                    v = [h[k][k - 1], h[k + 1][k - 1]]
                beta, (second,), tau = reflector(v)
                tau = complex(tau)
                if k > m:
                    h[k][k - 1], h[k + 1][k - 1] = complex(beta), 0j
                weight = (tau * second).real
                for j in range(k, n):
                    total = tau.conjugate() * h[k][j] + weight * h[k + 1][j]
                    h[k][j] -= total
                    h[k + 1][j] -= total * second
                for row in [*h[: min(k + 2, i) + 1], *z]:
                    total = tau * row[k] + weight * row[k + 1]
                    row[k] -= total
                    row[k + 1] -= total * complex(second).conjugate()
                if k == m and m > l:
                    turn = 1.0 - tau
                    turn /= abs(turn)
                    h[m + 1][m] *= turn.conjugate()
                    if m + 2 <= i:
                        h[m + 2][m + 1] *= turn
                    for j in range(m, i + 1):
                        if j != m + 1:
                            scale_row(j, j + 1, turn)
                            scale_column(j, j, turn.conjugate())
            turn = h[i][i - 1]
            if turn.imag != 0:
                h[i][i - 1] = complex(abs(turn))
                turn /= abs(turn)
                scale_row(i, i + 1, turn.conjugate())
                scale_column(i, i, turn)
        else:
            raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
        i = l - 1


def _root(one):
    import cmath

    return cmath.sqrt(one)


def eig(a):
    def of(a):
        n = len(a)
        if not numpy.isfinite(a).all():
            raise numpy.linalg.LinAlgError("Array must not contain infs or NaNs")
        h = a.tolist()
        z = _hessenberg(h, n)
        _schur(h, z, n)
        columns = []
        for k in range(n):
            least = max(_ULP * _size(h[k][k]), _TINY * (n / _ULP))
            x = [-h[j][k] for j in range(k)] + [1 + 0j]
            for j in range(k - 1, -1, -1):
                gap = h[j][j] - h[k][k]
                x[j] /= gap if _size(gap) >= least else least
                for i in range(j):
                    x[i] -= x[j] * h[i][j]
            column = [sum(row[j] * x[j] for j in range(k + 1)) for row in z]
            size = math.sqrt(sum(abs(one) ** 2 for one in column))
            column = [one / size for one in column]
            sizes = [one.real**2 + one.imag**2 for one in column]
            at = sizes.index(max(sizes))
            turn = column[at].conjugate() / math.sqrt(sizes[at])
            column = [one * turn for one in column]
            column[at] = complex(column[at].real, 0.0)
            columns.append(column)
        values = numpy.array([h[k][k] for k in range(n)], dtype=a.dtype).reshape(n)
        return values, numpy.array(columns, dtype=a.dtype).reshape(n, n).T.copy()

    return numpy.linalg.EigResult(*_each(of, _matrices(a)))


def eigvals(a):
    return eig(a)[0]


def norm(x, ord=None, axis=None, keepdims=False):
    return numpy.linalg.norm(abs(x), ord, axis, keepdims) if _by_size(x, ord, axis) else _by_values(x, ord, axis, keepdims)


def _by_size(x, ord, axis):
    """Whether the norm is that of the elements' sizes."""
    ndim = numpy.ndim(x)
    count = ndim if axis is None else len(axis) if hasattr(axis, "__len__") else 1
    return count != 2 or ord not in (2, -2, "nuc")


def _by_values(x, ord, axis, keepdims):
    if axis is not None or keepdims:
        raise NotImplementedError("norm(axis=) of singular values of complex matrices is not part of attn's numpy")
    values = svd(x, compute_uv=False)
    return values.max(-1) if ord == 2 else values.min(-1) if ord == -2 else values.sum(-1)


def pinv(a, rcond=1e-15, hermitian=False):
    u, s, vh = svd(_matrices(a, False), False)
    good = s > numpy.asarray(rcond)[..., None] * s.max(-1, keepdims=True)
    inverse = numpy.where(good, 1 / numpy.where(good, s, 1), 0)
    return numpy.swapaxes(vh, -1, -2).conj() @ (inverse[..., None] * numpy.swapaxes(u, -1, -2).conj())


def matrix_rank(A, tol=None, hermitian=False):
    A = _matrices(A, False)
    s = svd(A, compute_uv=False)
    tol = s.max(-1, keepdims=True) * max(A.shape[-2:]) * numpy.finfo(s.dtype).eps if tol is None else tol
    return (s > tol).sum(-1)


def cond(x, p=None):
    if p in (None, 2, -2):
        s = svd(x, compute_uv=False)
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return norm(x, p) * norm(inv(x), p)


_OWN = {
    name: globals()[name]
    for name in "solve inv slogdet det cholesky qr svd eigh eigvalsh eig eigvals norm pinv matrix_rank cond".split()
}


def call(name, plain, args, words):
    """A function of numpy.linalg of complex arguments."""
    if name in _OWN:
        return _OWN[name](*args, **words)
    if name in ("matrix_power", "multi_dot", "tensorinv", "tensorsolve"):
        return plain(*args, **words)
    raise NotImplementedError(f"linalg.{name}() of complex numbers is not part of attn's numpy")
