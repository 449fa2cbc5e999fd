"""NumPy's own exceptions, and the errors of calls that do not fit."""


class AxisError(ValueError, IndexError):
    """An axis that an array does not have."""

    def __init__(self, axis, ndim=None, msg_prefix=None):
        self.axis = axis
        self.ndim = ndim
        text = axis if ndim is None else f"axis {axis} is out of bounds for array of dimension {ndim}"
        super().__init__(text if msg_prefix is None else f"{msg_prefix}: {text}")


class UFuncTypeError(TypeError):
    """A result that an array cannot take."""


def misfit(name, signature, /, *args, **words):
    """Raises what Python raises where arguments do not fit a signature."""
    scope = {}
    exec(f"def {name}({signature}): pass", scope)
    scope[name](*args, **words)


_MATMUL = "signature (n?,k),(k,m?)->(n?,m?)"
_REMAPPED = "operands could not be broadcast together with remapped shapes [original->remapped]: "


def matmul(*operands):
    """Raises NumPy's error for operands of a product of matrices."""
    import numpy

    shapes = [numpy.shape(one) for one in operands]
    for at, shape in enumerate(shapes):
        if not shape:
            raise ValueError(
                f"matmul: Input operand {at} does not have enough dimensions (has 0, gufunc core with {_MATMUL} requires 1)"
            )
    own, other = shapes[0][-1], shapes[1][max(len(shapes[1]) - 2, 0)]
    if own != other:
        raise ValueError(
            f"matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc {_MATMUL} "
            f"(size {other} is different from {own})"
        )
    remapped = [str((*shape[:-2], "newaxis", "newaxis")).replace("'", "") for shape in shapes]
    raise ValueError(_REMAPPED + "".join(f"{shape}->{new} " for shape, new in zip(shapes, remapped)).replace(", ", ","))


def einsum(text, *operands):
    """Raises NumPy's error for subscripts that do not fit their operands."""
    import numpy

    inputs, _, result = text.partition("->")
    parts, shapes = inputs.split(","), [numpy.shape(one) for one in operands]
    if len(parts) != len(shapes):
        which = "fewer" if len(parts) < len(shapes) else "more"
        raise ValueError(f"{which} operands provided to einstein sum function than specified in the subscripts string")
    for at, (part, shape) in enumerate(zip(parts, shapes)):
        count = len(part.replace("...", ""))
        if count > len(shape):
            raise ValueError(f"einstein sum subscripts string contains too many subscripts for operand {at}")
        if count < len(shape) and "..." not in part:
            raise ValueError(
                "operand has more dimensions than subscripts given in einstein sum, but no '...' ellipsis provided to broadcast "
                "the extra dimensions."
            )
    for letter in result.replace("...", ""):
        if letter not in inputs:
            raise ValueError(
                f"einstein sum subscripts string included output subscript '{letter}' which never appeared in an input"
            )
    raise ValueError(_REMAPPED + "".join(f"{shape}->{shape} " for shape in shapes).replace(", ", ","))
