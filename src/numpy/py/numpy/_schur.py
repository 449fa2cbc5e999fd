"""Eigenvalues and eigenvectors of matrices that need not be symmetric.

The steps and the signs are those of LAPACK's dgeev, on lists of Python floats: balancing (dgebal), Householder
reflections to Hessenberg form (dgehd2), double-shift QR steps to Schur form (dlahqr, dlanv2), vectors of the triangle
by substitution (dtrevc).
Source: Golub & Van Loan, Matrix Computations, 7.4 to 7.6; LAPACK Users' Guide.
"""

import math

import numpy

_EPS, _TINY = 2.0**-53, 2.0**-1022
_ULP = 2 * _EPS


def _sign(size, of):
    return math.copysign(abs(size), of)


def _balance(a, n):
    """Rows and columns that isolate an eigenvalue go to the edges; the others get norms of one size."""
    low, high, scale = 0, n - 1, [1.0] * n

    def swap(j, m):
        scale[m] = j
        if j != m:
            for i in range(high + 1):
                a[i][j], a[i][m] = a[i][m], a[i][j]
            for i in range(low, n):
                a[j][i], a[m][i] = a[m][i], a[j][i]

    searching = True
    while searching:
        searching = False
        for i in range(high, -1, -1):
            if all(i == j or a[i][j] == 0.0 for j in range(high + 1)):
                swap(i, high)
                if high == 0:
                    return 0, 0, scale
                high -= 1
                searching = True
                break
    searching = True
    while searching:
        searching = False
        for j in range(low, high + 1):
            if all(i == j or a[i][j] == 0.0 for i in range(low, high + 1)):
                swap(j, low)
                low += 1
                searching = True
                break
    for i in range(low, high + 1):
        scale[i] = 1.0
    small = _TINY / _ULP * 2.0
    large = 1.0 / small
    changing = True
    while changing:
        changing = False
        for i in range(low, high + 1):
            c = math.sqrt(sum(a[j][i] ** 2 for j in range(low, high + 1)))
            r = math.sqrt(sum(a[i][j] ** 2 for j in range(low, high + 1)))
            ca = max(abs(a[j][i]) for j in range(high + 1))
            ra = max(abs(a[i][j]) for j in range(low, n))
            if c == 0.0 or r == 0.0:
                continue
            g, f, s = r / 2.0, 1.0, c + r
            while c < g and max(f, c, ca) < large and min(r, g, ra) > small:
                f, c, ca, r, g, ra = f * 2.0, c * 2.0, ca * 2.0, r / 2.0, g / 2.0, ra / 2.0
            g = c / 2.0
            while g >= r and max(r, ra) < large and min(f, c, g, ca) > small:
                f, c, g, ca, r, ra = f / 2.0, c / 2.0, g / 2.0, ca / 2.0, r * 2.0, ra * 2.0
            if c + r >= 0.95 * s:
                continue
            scale[i] *= f
            changing = True
            for j in range(low, n):
                a[i][j] *= 1.0 / f
            for j in range(high + 1):
                a[j][i] *= f
    return low, high, scale


def _reflector(x):
    """beta, the vector without its first 1, and tau of the reflection that maps x onto its first axis."""
    norm = math.sqrt(sum(one * one for one in x[1:]))
    if norm == 0.0:
        return x[0], [0.0] * (len(x) - 1), 0.0
    beta = -_sign(math.hypot(x[0], norm), x[0])
    return beta, [one / (x[0] - beta) for one in x[1:]], (beta - x[0]) / beta


def _hessenberg(a, n, low, high):
    """Makes `a` zero below its first subdiagonal. Returns the orthogonal matrix that does so."""
    found = []
    for i in range(low, high):
        beta, v, tau = _reflector([a[j][i] for j in range(i + 1, high + 1)])
        v = [1.0, *v]
        for row in a[: high + 1]:
            total = tau * sum(row[i + 1 + k] * one for k, one in enumerate(v))
            for k, one in enumerate(v):
                row[i + 1 + k] -= total * one
        for j in range(i + 1, n):
            total = tau * sum(a[i + 1 + k][j] * one for k, one in enumerate(v))
            for k, one in enumerate(v):
                a[i + 1 + k][j] -= total * one
        a[i + 1][i] = beta
        for j in range(i + 2, high + 1):
            a[j][i] = 0.0
        found.append((i + 1, v, tau))
    q = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    for start, v, tau in reversed(found):
        for j in range(n):
            total = tau * sum(q[start + k][j] * one for k, one in enumerate(v))
            for k, one in enumerate(v):
                q[start + k][j] -= total * one
    return q


def _standard(a, b, c, d):
    """The Schur form of a matrix of two rows, the imaginary part of its eigenvalues, and the rotation to it."""
    cs, sn = 1.0, 0.0
    if c == 0.0:
        pass
    elif b == 0.0:
        cs, sn, a, b, c, d = 0.0, 1.0, d, -c, 0.0, a
    elif a - d == 0.0 and math.copysign(1.0, b) != math.copysign(1.0, c):
        pass
    else:
        temp = a - d
        p = 0.5 * temp
        most, least = max(abs(b), abs(c)), min(abs(b), abs(c)) * math.copysign(1.0, b) * math.copysign(1.0, c)
        scale = max(abs(p), most)
        z = (p / scale) * p + (most / scale) * least
        if z >= 4.0 * _ULP:
            z = p + _sign(math.sqrt(scale) * math.sqrt(z), p)
            a, d = d + z, d - (most / z) * least
            tau = math.hypot(c, z)
            cs, sn, b, c = z / tau, c / tau, b - c, 0.0
        else:
            sigma = b + c
            tau = math.hypot(sigma, temp)
            cs = math.sqrt(0.5 * (1.0 + abs(sigma) / tau))
            sn = -(p / (tau * cs)) * math.copysign(1.0, sigma)
            aa, bb, cc, dd = a * cs + b * sn, -a * sn + b * cs, c * cs + d * sn, -c * sn + d * cs
            a, b, c, d = aa * cs + cc * sn, bb * cs + dd * sn, -aa * sn + cc * cs, -bb * sn + dd * cs
            temp = 0.5 * (a + d)
            a = d = temp
            if c != 0.0:
                if b == 0.0:
                    b, c, cs, sn = -c, 0.0, -sn, cs
                elif math.copysign(1.0, b) == math.copysign(1.0, c):
                    sab, sac = math.sqrt(abs(b)), math.sqrt(abs(c))
                    p, tau = _sign(sab * sac, c), 1.0 / math.sqrt(abs(b + c))
                    a, d, b, c = temp + p, temp - p, b - c, 0.0
                    cs, sn = cs * sab * tau - sn * sac * tau, cs * sac * tau + sn * sab * tau
    imaginary = 0.0 if c == 0.0 else math.sqrt(abs(b)) * math.sqrt(abs(c))
    return a, b, c, d, imaginary, cs, sn


def _shifts(h, i, l, tries):
    """The two shifts of a QR step, the eigenvalues of the last two rows: real parts and imaginary parts."""
    if tries % 20 == 0:
        s = abs(h[i][i - 1]) + abs(h[i - 1][i - 2])
        h11 = h22 = 0.75 * s + h[i][i]
        h12, h21 = -0.4375 * s, s
    elif tries % 10 == 0:
        s = abs(h[l + 1][l]) + abs(h[l + 2][l + 1])
        h11 = h22 = 0.75 * s + h[l][l]
        h12, h21 = -0.4375 * s, s
    else:
        h11, h21, h12, h22 = h[i - 1][i - 1], h[i][i - 1], h[i - 1][i], h[i][i]
    s = abs(h11) + abs(h12) + abs(h21) + abs(h22)
    if s == 0.0:
        return 0.0, 0.0, 0.0, 0.0
    h11, h21, h12, h22 = h11 / s, h21 / s, h12 / s, h22 / s
    middle = (h11 + h22) / 2.0
    det = (h11 - middle) * (h22 - middle) - h12 * h21
    root = math.sqrt(abs(det))
    if det >= 0.0:
        return middle * s, root * s, middle * s, -root * s
    one, other = middle + root, middle - root
    near = one if abs(one - h22) <= abs(other - h22) else other
    return near * s, 0.0, near * s, 0.0


def _deflation(h, i, low, high):
    """The row above which the subdiagonal is nothing beside its neighbours."""
    for k in range(i, low, -1):
        below = abs(h[k][k - 1])
        if below <= _TINY * ((high - low + 1) / _ULP):
            return k
        size = abs(h[k - 1][k - 1]) + abs(h[k][k])
        if size == 0.0:
            size += abs(h[k - 1][k - 2]) if k - 2 >= low else 0.0
            size += abs(h[k + 1][k]) if k + 1 <= high else 0.0
        if below <= _ULP * size:
            ab, ba = max(below, abs(h[k - 1][k])), min(below, abs(h[k - 1][k]))
            gap = abs(h[k - 1][k - 1] - h[k][k])
            aa, bb = max(abs(h[k][k]), gap), min(abs(h[k][k]), gap)
            s = aa + ab
            if ba * (ab / s) <= max(_TINY * ((high - low + 1) / _ULP), _ULP * (bb * (aa / s))):
                return k
    return low


def _schur(h, z, n, low, high):
    """Makes the Hessenberg matrix `h` triangular, and turns `z` with it. Returns the imaginary parts."""
    imaginary = [0.0] * n
    i, limit = high, 30 * max(10, high - low + 1)
    while i >= low:
        l, tries = low, 0
        for _ in range(limit + 1):
            l = _deflation(h, i, l, high)
            if l > low:
                h[l][l - 1] = 0.0
            if l >= i - 1:
                break
            tries += 1
            r1, i1, r2, i2 = _shifts(h, i, l, tries)
            for m in range(i - 2, l - 1, -1):
                s = abs(h[m][m] - r2) + abs(i2) + abs(h[m + 1][m])
                h21 = h[m + 1][m] / s
                v = [
                    h21 * h[m][m + 1] + (h[m][m] - r1) * ((h[m][m] - r2) / s) - i1 * (i2 / s),
                    h21 * (h[m][m] + h[m + 1][m + 1] - r1 - r2),
                    h21 * h[m + 2][m + 1],
                ]
                s = abs(v[0]) + abs(v[1]) + abs(v[2])
                v = [one / s for one in v]
                if m == l:
                    break
                around = abs(h[m - 1][m - 1]) + abs(h[m][m]) + abs(h[m + 1][m + 1])
                if abs(h[m][m - 1]) * (abs(v[1]) + abs(v[2])) <= _ULP * abs(v[0]) * around:
                    break
            for k in range(m, i):
                count = min(3, i - k + 1)
                if k > m:
                    v = [h[k + at][k - 1] for at in range(count)]
                beta, rest, tau = _reflector(v[:count])
                if k > m:
                    h[k][k - 1] = beta
                    for at in range(1, count):
                        h[k + at][k - 1] = 0.0
                elif m > l:
                    h[k][k - 1] *= 1.0 - tau
                w = [1.0, *rest]
                for j in range(k, n):
                    total = sum(one * h[k + at][j] for at, one in enumerate(w))
                    for at, one in enumerate(w):
                        h[k + at][j] -= total * (tau * one)
                for rows, last in ((h, min(k + 3, i)), (z, n - 1)):
                    for row in rows[: last + 1]:
                        total = sum(one * row[k + at] for at, one in enumerate(w))
                        for at, one in enumerate(w):
                            row[k + at] -= total * (tau * one)
        else:
            raise numpy.linalg.LinAlgError("Eigenvalues did not converge")
        if l == i - 1:
            a, b, c, d, size, cs, sn = _standard(h[i - 1][i - 1], h[i - 1][i], h[i][i - 1], h[i][i])
            h[i - 1][i - 1], h[i - 1][i], h[i][i - 1], h[i][i] = a, b, c, d
            imaginary[i - 1], imaginary[i] = size, -size
            for j in range(i + 1, n):
                x, y = h[i - 1][j], h[i][j]
                h[i - 1][j], h[i][j] = cs * x + sn * y, cs * y - sn * x
            for rows in (h[: i - 1], z):
                for row in rows:
                    x, y = row[i - 1], row[i]
                    row[i - 1], row[i] = cs * x + sn * y, cs * y - sn * x
        i = l - 1
    return imaginary


def _vectors(h, z, n, imaginary):
    """The eigenvectors, a list for each column of the triangle, by substitution; of a pair the first, as complex."""
    found, k = [], 0
    while k < n:
        last = k + 1 if imaginary[k] else k
        value = h[k][k] + (1j * imaginary[k] if imaginary[k] else 0.0)
        least = max(_ULP * (abs(h[k][k]) + abs(imaginary[k])), _TINY * (n / _ULP))
        if last == k:
            x = [-h[j][k] for j in range(k)] + [1.0]
        else:
            above, below = h[k][last], h[last][k]
            if abs(above) >= abs(below):
                first, second = 1.0, 1j * (imaginary[k] / above)
            else:
                first, second = -imaginary[k] / below, 1j
            x = [-first * h[j][k] - second * h[j][last] for j in range(k)] + [first, second]
        j = k - 1
        while j >= 0:
            if imaginary[j]:
                one, two = h[j - 1][j - 1] - value, h[j][j] - value
                off, back = h[j - 1][j], h[j][j - 1]
                det = one * two - off * back
                det = det if abs(det) >= least * least else least * least
                x[j - 1], x[j] = (x[j - 1] * two - off * x[j]) / det, (one * x[j] - back * x[j - 1]) / det
                for i in range(j - 1):
                    x[i] -= x[j - 1] * h[i][j - 1] + x[j] * h[i][j]
                j -= 2
                continue
            gap = h[j][j] - value
            x[j] /= gap if abs(gap) >= least else least
            for i in range(j):
                x[i] -= x[j] * h[i][j]
            j -= 1
        if last == k:
            found.append([sum(row[j] * x[j] for j in range(k)) + row[k] for row in z])
        else:
            found.append([sum(row[j] * x[j] for j in range(last + 1)) for row in z])
        k = last + 1
    return found


def _turned(column):
    """A complex vector whose largest element is real."""
    sizes = [one.real**2 + one.imag**2 for one in column]
    largest = sizes.index(max(sizes))
    f, g = column[largest].real, column[largest].imag
    if g == 0.0:
        turn = 1.0
    elif f == 0.0:
        turn = complex(0.0, -math.copysign(1.0, g))
    else:
        size = math.copysign(math.sqrt(f * f + g * g), f)
        turn = complex(abs(f) / abs(size), -g / size)
    made = [complex(one.real * turn.real - one.imag * turn.imag, one.imag * turn.real + one.real * turn.imag) for one in column]
    made[largest] = complex(made[largest].real, 0.0)
    return made


def general(a):
    """Eigenvalues in LAPACK's order, and the vectors as columns: complex where an eigenvalue is."""
    if a.ndim > 2:
        made = [general(one) for one in a.reshape((-1,) + a.shape[-2:])]
        return (
            numpy.stack([one[0] for one in made]).reshape(a.shape[:-1]),
            numpy.stack([one[1] for one in made]).reshape(a.shape),
        )
    n = len(a)
    if n == 0:
        return numpy.zeros(0, a.dtype), numpy.zeros((0, 0), a.dtype)
    if not numpy.isfinite(a).all():
        raise numpy.linalg.LinAlgError("Array must not contain infs or NaNs")
    h = [[float(one) for one in row] for row in a.tolist()]
    low, high, scale = _balance(h, n)
    z = _hessenberg(h, n, low, high)
    imaginary = _schur(h, z, n, low, high)
    columns = _vectors(h, z, n, imaginary)
    for column in columns:
        for i in range(low, high + 1) if low < high else ():
            column[i] *= scale[i]
        for i in [*range(low - 1, -1, -1), *range(high + 1, n)]:
            other = int(scale[i])
            column[i], column[other] = column[other], column[i]
        size = 1.0 / math.sqrt(sum(abs(one) ** 2 for one in column))
        column[:] = [one * size for one in column]
    if any(imaginary):
        from numpy import _complex

        kind = _complex.COMPLEX[a.dtype.name]
        values = numpy.array([complex(h[i][i], imaginary[i]) for i in range(n)], dtype=kind)
        made = []
        for column in columns:
            if isinstance(column[0], complex):
                column = _turned(column)
                made += [column, [one.conjugate() for one in column]]
            else:
                made.append(column)
        return values, numpy.array(made, dtype=kind).T.copy()
    values = numpy.array([h[i][i] for i in range(n)], dtype=a.dtype)
    return values, numpy.array(columns, dtype=a.dtype).T.copy()
