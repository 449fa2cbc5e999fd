"""NumPy's own exceptions, and Python's for calls of native functions."""


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
