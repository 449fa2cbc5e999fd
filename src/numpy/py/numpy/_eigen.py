"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices; those of others are in `_schur`.

Those of real matrices are native. Of complex ones, Householder reflections make three real diagonals first (zhetd2).
Source: Golub & Van Loan, Matrix Computations, 8.3; LAPACK Users' Guide.
"""

import math

import numpy
from _numpy import _eigh


def reflector(x):
    """beta, the vector after its first 1, and tau of the reflection that maps x onto its first axis (zlarfg)."""
    norm = math.sqrt(sum(abs(one) ** 2 for one in x[1:]))
    alpha = complex(x[0])
    if norm == 0.0 and alpha.imag == 0.0:
        return alpha.real, [0.0] * (len(x) - 1), 0.0
    beta = -math.copysign(math.hypot(alpha.real, alpha.imag, norm), alpha.real)
    if isinstance(x[0], complex):
        tau = complex((beta - alpha.real) / beta, -alpha.imag / beta)
        scale = 1.0 / (alpha - beta)
    else:
        tau, scale = (beta - x[0]) / beta, 1.0 / (x[0] - beta)
    return beta, [one * scale for one in x[1:]], tau


def _conjugate(one):
    return one.conjugate()


def _tridiagonal(a, n):
    """Diagonal, subdiagonal and reflections of a matrix whose lower half counts."""
    d, e, found = [0.0] * n, [0.0] * max(n - 1, 0), []
    for i in range(n - 1):
        beta, rest, tau = reflector([a[j][i] for j in range(i + 1, n)])
        e[i] = beta
        if tau != 0:
            v, size = [1.0, *rest], n - i - 1

            def at(row, column):
                return a[i + 1 + row][i + 1 + column] if row >= column else _conjugate(a[i + 1 + column][i + 1 + row])

            w = [tau * sum(at(row, column) * v[column] for column in range(size)) for row in range(size)]
            alpha = -0.5 * tau * sum(_conjugate(one) * two for one, two in zip(w, v))
            w = [one + alpha * two for one, two in zip(w, v)]
            for row in range(size):
                for column in range(row + 1):
                    a[i + 1 + row][i + 1 + column] -= v[row] * _conjugate(w[column]) + w[row] * _conjugate(v[column])
                if isinstance(a[i + 1 + row][i + 1 + row], complex):
                    a[i + 1 + row][i + 1 + row] = complex(a[i + 1 + row][i + 1 + row].real, 0.0)
            found.append((i + 1, v, tau))
        d[i] = a[i][i].real
    d[n - 1] = a[n - 1][n - 1].real
    return d, e, found


def symmetric(a):
    """Ascending eigenvalues, and the vectors as columns."""
    if a.dtype.kind != "c":
        return _eigh(a)
    if a.ndim > 2:
        made = [symmetric(one) for one in a.reshape((-1,) + a.shape[-2:])]
        return (
            numpy.stack([one[0] for one in made]).reshape(a.shape[:-1]),
            numpy.stack([one[1] for one in made]).reshape(a.shape),
        )
    n, real = len(a), a.real.dtype
    if n == 0:
        return numpy.zeros(0, real), a.copy()
    rows = a.tolist()
    for i in range(n):
        rows[i][i] = complex(rows[i][i].real, 0.0)
    d, e, found = _tridiagonal(rows, n)
    # A real matrix of three diagonals is left: the lower half counts.
    three = numpy.zeros((n, n))
    for i in range(n):
        three[i, i] = d[i]
        if i + 1 < n:
            three[i + 1, i] = e[i]
    values, z = _eigh(three)
    z = z.tolist()
    for start, v, tau in reversed(found):
        for j in range(n):
            total = tau * sum(_conjugate(one) * z[start + k][j] for k, one in enumerate(v))
            for k, one in enumerate(v):
                z[start + k][j] -= total * one
    return values.astype(real), numpy.array(z, dtype=a.dtype).reshape(n, n)
