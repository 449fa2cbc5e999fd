"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices; those of others are in `_schur`.

The steps and the signs are those of LAPACK's dsyevd and zheevd for up to 25 rows: Householder reflections to three
diagonals (dsytd2, zhetd2), then implicit QL or QR steps (dsteqr). Larger ones may have other signs there.
Source: Golub & Van Loan, Matrix Computations, 8.3; LAPACK Users' Guide.
"""

import math

import numpy

_EPS, _TINY = 2.0**-53, 2.0**-1022


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


def _rotation(f, g):
    """c, s and r with c f + s g = r and c g - s f = 0 (dlartg)."""
    if g == 0.0:
        return 1.0, 0.0, f
    if f == 0.0:
        return 0.0, math.copysign(1.0, g), abs(g)
    d = math.sqrt(f * f + g * g)
    r = math.copysign(d, f)
    return abs(f) / d, g / r, r


def _pair(a, b, c):
    """The eigenvalues of [[a, b], [b, c]] and the vector of the first (dlaev2)."""
    total, gap, twice = a + c, a - c, b + b
    wide, side = abs(gap), abs(twice)
    most, least = (a, c) if abs(a) > abs(c) else (c, a)
    if wide > side:
        root = wide * math.sqrt(1.0 + (side / wide) ** 2)
    elif wide < side:
        root = side * math.sqrt(1.0 + (wide / side) ** 2)
    else:
        root = side * math.sqrt(2.0)
    first = 1
    if total < 0.0:
        one, first = 0.5 * (total - root), -1
        two = (most / one) * least - (b / one) * b
    elif total > 0.0:
        one = 0.5 * (total + root)
        two = (most / one) * least - (b / one) * b
    else:
        one, two = 0.5 * root, -0.5 * root
    cs, second = (gap + root, 1) if gap >= 0.0 else (gap - root, -1)
    if abs(cs) > side:
        t = -twice / cs
        sn = 1.0 / math.sqrt(1.0 + t * t)
        cs = t * sn
    elif side == 0.0:
        cs, sn = 1.0, 0.0
    else:
        t = -cs / twice
        cs = 1.0 / math.sqrt(1.0 + t * t)
        sn = t * cs
    if first == second:
        cs, sn = -sn, cs
    return one, two, cs, sn


def _turn(z, j, c, s):
    for row in z:
        x, y = row[j], row[j + 1]
        row[j + 1], row[j] = c * y - s * x, s * y + c * x


def _steps(d, e, z, l, end):
    """QL steps on rows l to end, or QR steps where end is before l, until all of e between is 0."""
    down = end > l
    way = 1 if down else -1

    def off(m):
        """The place in e of what connects row m and the next one on the way."""
        return m if down else m - 1

    tries = 0
    while (l <= end) if down else (l >= end):
        m = l
        while m != end:
            if abs(e[off(m)]) ** 2 <= (_EPS**2 * abs(d[m])) * abs(d[m + way]) + _TINY:
                break
            m += way
        if m != end:
            e[off(m)] = 0.0
        p = d[l]
        if m == l:
            l += way
            continue
        if m == l + way:
            low = min(l, m)
            one, two, c, s = _pair(d[low], e[low], d[low + 1])
            _turn(z, low, c, s)
            d[low], d[low + 1], e[low] = one, two, 0.0
            l += 2 * way
            continue
        tries += 1
        if tries > 30 * len(d):
            raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
        g = (d[l + way] - p) / (2.0 * e[off(l)])
        r = math.hypot(g, 1.0)
        g = d[m] - p + (e[off(l)] / (g + math.copysign(r, g)))
        s = c = 1.0
        p, turns = 0.0, []
        # From m back to l: i is the row that is left behind, i - way the next.
        for i in range(m, l, -way):
            next_ = i - way
            f, b = s * e[off(next_)], c * e[off(next_)]
            c, s, r = _rotation(g, f)
            if i != m:
                e[off(i)] = r
            g = d[i] - p
            r = (d[next_] - g) * s + 2.0 * c * b
            p = s * r
            d[i] = g + p
            g = c * r - b
            turns.append((min(i, next_), c, -s if down else s))
        for j, c_, s_ in turns:
            _turn(z, j, c_, s_)
        d[l] -= p
        e[off(l)] = g


def _ql(d, e, z):
    """Eigenvalues in place of d, and z turned with them: ascending (dsteqr)."""
    n, start = len(d), 0
    while start < n:
        if start > 0:
            e[start - 1] = 0.0
        m = start
        while m < n - 1:
            size = abs(e[m])
            if size == 0.0:
                break
            if size <= math.sqrt(abs(d[m])) * math.sqrt(abs(d[m + 1])) * _EPS:
                e[m] = 0.0
                break
            m += 1
        l, end, start_ = start, m, start
        start = m + 1
        if end == l:
            continue
        if abs(d[end]) < abs(d[l]):
            l, end = end, l
        _steps(d, e, z, l, end)
        # What is left of a block that was split begins anew.
        if any(e[k] != 0.0 for k in range(start_, m)):
            start = start_
    for i in range(n - 1):
        k = min(range(i, n), key=lambda j: (d[j], j))
        if d[k] != d[i]:
            d[i], d[k] = d[k], d[i]
            for row in z:
                row[i], row[k] = row[k], row[i]


def symmetric(a):
    """Ascending eigenvalues, and the vectors as columns."""
    real = a.real.dtype
    if a.ndim > 2:
        made = [symmetric(one) for one in a.reshape((-1,) + a.shape[-2:])]
        return (
            numpy.stack([one[0] for one in made]).reshape(a.shape[:-1]),
            numpy.stack([one[1] for one in made]).reshape(a.shape),
        )
    n = len(a)
    if n == 0:
        return numpy.zeros(0, real), a.copy()
    rows = a.tolist()
    for i in range(n):
        if isinstance(rows[i][i], complex):
            rows[i][i] = complex(rows[i][i].real, 0.0)
    d, e, found = _tridiagonal(rows, n)
    z = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    _ql(d, e, z)
    for start, v, tau in reversed(found):
        for j in range(n):
            total = tau * sum(_conjugate(one) * z[start + k][j] for k, one in enumerate(v))
            for k, one in enumerate(v):
                z[start + k][j] -= total * one
    return numpy.array(d, dtype=real), numpy.array(z, dtype=a.dtype).reshape(n, n)
