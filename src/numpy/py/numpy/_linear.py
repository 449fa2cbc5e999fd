"""Products of vectors and matrices."""

import numpy
from _numpy import _array, _axes, _op, _result, ndarray
from numpy import _methods
from numpy._create import asarray

_sum, _max = sum, max


def _text(shape):
    return f"({shape[0]},)" if len(shape) == 1 else "(" + ",".join(str(size) for size in shape) + ")"


def _pair(a, b):
    a, b = asarray(a), asarray(b)
    kind = numpy.promote_types(a.dtype, b.dtype)
    return a.astype(kind, copy=False), b.astype(kind, copy=False), kind


def _times(a, b, kind):
    """The product; of bools, whether any pair is true."""
    if kind.kind == "b":
        return _op("matmul", a.astype("int64"), b.astype("int64")).astype("bool")
    return _op("matmul", a, b)


def matmul(x1, x2, out=None):
    """Matrix products over the last two axes, broadcast over the others. (.., n, k) @ (.., k, m) -> (.., n, m)"""
    a, b, kind = _pair(x1, x2)
    for at, one in enumerate((a, b)):
        if one.ndim == 0:
            raise ValueError(
                f"matmul: Input operand {at} does not have enough dimensions (has 0, gufunc core with signature "
                "(n?,k),(k,m?)->(n?,m?) requires 1)"
            )
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {inner} is different from {a.shape[-1]})"
        )
    if a.ndim > 2 or b.ndim > 2:
        try:
            numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        except ValueError:
            raise ValueError(
                "operands could not be broadcast together with remapped shapes [original->remapped]: "
                f"{_text(a.shape)}->{_remapped(a, b)} {_text(b.shape)}->{_remapped(b, a)} "
            ) from None
    return _methods._into(out, _result(_times(a, b, kind)))


def _remapped(a, b):
    return "(" + ",".join([str(size) for size in a.shape[:-2]] + ["newaxis", "newaxis"]) + ")"


def dot(a, b, out=None):
    """The sum of products over the last axis of a and the last but one of b."""
    a, b, kind = _pair(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return _methods._into(out, numpy.multiply(a, b))
    inner = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != inner:
        raise ValueError(
            f"shapes {_text(a.shape)} and {_text(b.shape)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != {inner} "
            f"(dim {_max(b.ndim - 2, 0)})"
        )
    if b.ndim <= 2:
        return _methods._into(out, _result(_times(a, b, kind)))
    rows = a.reshape(-1, a.shape[-1])
    columns = numpy.moveaxis(b, -2, 0).reshape(b.shape[-2], -1)
    made = _times(rows, columns, kind).reshape(a.shape[:-1] + b.shape[:-2] + b.shape[-1:])
    return _methods._into(out, made)


def vdot(a, b):
    a, b, kind = _pair(a, b)
    if a.size != b.size:
        raise ValueError("cannot reshape array of size {} into shape {}".format(a.size, _text(b.reshape(-1).shape)))
    return _result(_times(a.reshape(-1), b.reshape(-1), kind))


def inner(a, b):
    a, b, kind = _pair(a, b)
    if a.ndim == 0 or b.ndim == 0:
        return numpy.multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(
            f"shapes {_text(a.shape)} and {_text(b.shape)} not aligned: {a.shape[-1]} (dim {a.ndim - 1}) != {b.shape[-1]} "
            f"(dim {b.ndim - 1})"
        )
    if a.ndim == 1 and b.ndim == 1:
        return _result(_times(a, b, kind))
    made = _times(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]).T, kind)
    return _result(made.reshape(a.shape[:-1] + b.shape[:-1]))


def outer(a, b, out=None):
    a, b = asarray(a).reshape(-1), asarray(b).reshape(-1)
    return numpy.multiply(a[:, None], b[None, :], out)


def tensordot(a, b, axes=2):
    a, b, kind = _pair(a, b)
    if isinstance(axes, int):
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        left, right = axes
        left = [left] if isinstance(left, int) else list(left)
        right = [right] if isinstance(right, int) else list(right)
    left, right = _axes(tuple(left), a.ndim), _axes(tuple(right), b.ndim)
    if len(left) != len(right) or any(a.shape[i] != b.shape[j] for i, j in zip(left, right)):
        raise ValueError("shape-mismatch for sum")
    rows = [at for at in range(a.ndim) if at not in left]
    columns = [at for at in range(b.ndim) if at not in right]
    count = 1
    for at in left:
        count *= a.shape[at]
    first = _op("permute", a, tuple(rows) + left).reshape(-1, count) if a.size else a.reshape(-1, count)
    second = _op("permute", b, right + tuple(columns)).reshape(count, -1)
    made = _times(first, second, kind)
    return _result(made.reshape(tuple(a.shape[at] for at in rows) + tuple(b.shape[at] for at in columns)))


def einsum(subscripts, *operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """Products and sums by letters: `einsum('ij,jk->ik', a, b)`."""
    if not isinstance(subscripts, str):
        subscripts, operands = _letters(subscripts, operands)
    arrays = [asarray(one) for one in operands]
    kind = numpy.result_type(*[one.dtype for one in arrays]) if dtype is None else numpy.dtype(dtype)
    arrays = [one.astype(kind, copy=False) for one in arrays]
    text = subscripts.replace(" ", "")
    inputs, arrow, result = text.partition("->")
    parts = inputs.split(",")
    if len(parts) != len(arrays):
        if len(parts) < len(arrays):
            raise ValueError("more operands provided to einstein sum function than specified in the subscripts string")
        raise ValueError("fewer operands provided to einstein sum function than specified in the subscripts string")
    for part, one in zip(parts, arrays):
        letters = part.replace("...", "")
        if "..." not in part and len(letters) != one.ndim or len(letters) > one.ndim:
            raise ValueError(
                "einstein sum subscripts string contains too many subscripts for operand "
                f"{parts.index(part)}"
                if len(letters) > one.ndim
                else "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to "
                "broadcast the extra dimensions."
            )
    sizes = {}
    for number, (part, one) in enumerate(zip(parts, arrays)):
        letters = part.partition("...")
        dims = list(zip(letters[0], one.shape)) + list(zip(reversed(letters[2]), reversed(one.shape)))
        for letter, size in dims:
            known = sizes.setdefault(letter, size)
            if known == 1:
                sizes[letter] = size
            elif size not in (1, known):
                raise ValueError(
                    "operands could not be broadcast together with remapped shapes [original->remapped]: "
                    + " ".join(f"{_text(a.shape)}->{_text(a.shape)}" for a in arrays) + " "
                )
    if arrow:
        for letter in result.replace("...", ""):
            if letter not in sizes:
                raise ValueError(
                    f"einstein sum subscripts string included output subscript '{letter}' which never appeared in an input"
                )
    if kind.kind == "b":
        made = _op("einsum", text, *[one.astype("int64") for one in arrays]).astype("bool")
    else:
        made = _op("einsum", text, *arrays)
    return _methods._into(out, _result(made.astype(kind, copy=False)))


def _letters(first, rest):
    """The form `einsum(op, [0, 1], op, [1, 2], [0, 2])` as text."""
    items = [first, *rest]
    operands, lists = items[0:len(items) - len(items) % 2:2], items[1::2]

    def text(one):
        return "".join("..." if at is Ellipsis else chr(97 + int(at)) for at in one)

    subscripts = ",".join(text(one) for one in lists)
    if len(items) % 2:
        subscripts += "->" + text(items[-1])
    return subscripts, operands


def kron(a, b):
    a, b = asarray(a), asarray(b)
    dims = _max(a.ndim, b.ndim)
    a, b = a.reshape((1,) * (dims - a.ndim) + a.shape), b.reshape((1,) * (dims - b.ndim) + b.shape)
    first = a.reshape([size for one in a.shape for size in (one, 1)])
    second = b.reshape([size for one in b.shape for size in (1, one)])
    return numpy.asarray(first * second).reshape([x * y for x, y in zip(a.shape, b.shape)])
