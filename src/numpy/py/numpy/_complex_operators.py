"""The operators of complex arrays and scalars: each is an elementwise function."""

import numpy
from _numpy import ndarray as _native
from numpy._methods import _module


def compute(name, *operands, **words):
    """An elementwise function of operands among which there are complex numbers."""
    # The module of elementwise functions imports that of complex arrays, which imports this one.
    return _module("_foreign").call(name, *operands, **words)


def _fits(other):
    """Whether an operator takes this as its other operand."""
    return isinstance(other, (int, float, complex, list, tuple, _native, numpy.generic))


def _operator(name, is_reflected=False):
    def operate(self, other):
        if not _fits(other):
            return NotImplemented
        return compute(name, *((other, self) if is_reflected else (self, other)))

    return operate


def _unary(name):
    def operate(self):
        return compute(name, self)

    return operate


class Operators:
    """The operators of complex arrays and scalars."""

    __slots__ = ()
    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", True)
    __truediv__, __rtruediv__ = _operator("divide"), _operator("divide", True)
    __floordiv__, __rfloordiv__ = _operator("floor_divide"), _operator("floor_divide", True)
    __mod__, __rmod__ = _operator("remainder"), _operator("remainder", True)
    __pow__, __rpow__ = _operator("power"), _operator("power", True)
    __eq__, __ne__ = _operator("equal"), _operator("not_equal")
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __neg__, __pos__, __abs__ = _unary("negative"), _unary("positive"), _unary("absolute")
    __invert__ = _unary("invert")
