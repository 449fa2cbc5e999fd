"""Eigenvalues and eigenvectors of symmetric matrices; those of others are in `_schur`.
Source: Golub & Van Loan, Matrix Computations, 8.5: Jacobi rotations for symmetric matrices."""

import math

import numpy


def symmetric(a):
    """Ascending eigenvalues, and the vectors as columns."""
    if a.ndim > 2:
        made = [symmetric(one) for one in a.reshape((-1,) + a.shape[-2:])]
        return (
            numpy.stack([one[0] for one in made]).reshape(a.shape[:-1]),
            numpy.stack([one[1] for one in made]).reshape(a.shape),
        )
    n = len(a)
    rows = a.tolist()
    for i in range(n):
        for j in range(i):
            rows[j][i] = rows[i][j]
    vectors = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
    for _ in range(100):
        off = sum(rows[i][j] ** 2 for i in range(n) for j in range(i))
        if off <= 1e-300 or off <= 1e-34 * sum(rows[i][i] ** 2 for i in range(n)):
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if rows[p][q] == 0.0:
                    continue
                theta = (rows[q][q] - rows[p][p]) / (2.0 * rows[p][q])
                t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1.0))
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for k in range(n):
                    x, y = rows[k][p], rows[k][q]
                    rows[k][p], rows[k][q] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = rows[p][k], rows[q][k]
                    rows[p][k], rows[q][k] = c * x - s * y, s * x + c * y
                for k in range(n):
                    x, y = vectors[k][p], vectors[k][q]
                    vectors[k][p], vectors[k][q] = c * x - s * y, s * x + c * y
    order = sorted(range(n), key=lambda i: rows[i][i])
    values = numpy.array([rows[i][i] for i in order], dtype=a.dtype)
    made = numpy.array([[row[i] for i in order] for row in vectors], dtype=a.dtype).reshape(n, n)
    # Of the two signs of a vector, the one whose last element is positive, as LAPACK's usually is.
    for column in range(n):
        if n and made[-1, column] < 0:
            made[:, column] = -made[:, column]
    return values, made
