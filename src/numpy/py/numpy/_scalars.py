"""The classes of scalars. `float64` is a Python float; a scalar has the methods of an array without dimensions."""

import _numpy
from _numpy import _float64, _register, _scalar
from numpy._kinds import _ROWS, _PYTHONS, dtype


class generic:
    """A scalar of any dtype."""

    __slots__ = ()

    dtype = property(lambda self: _numpy.result_type(self))

    def item(self, *at):
        return self._number

    tolist = item

    def __array__(self, dtype=None):
        return _numpy._routines["array"](self, dtype)

    def __getitem__(self, key):
        try:
            return self.__array__()[key]
        except IndexError:
            raise IndexError("invalid index to scalar variable.") from None

    def __round__(self, digits=None):
        return round(self._number) if digits is None else self.round(digits)

    def __reduce__(self):
        return (type(self), (self.item(),))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        array = self.__array__()
        try:
            method = getattr(array, name)
        except AttributeError:
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'") from None
        if not callable(method):
            return _number(method)

        def call(*args, **words):
            return _number(method(*args, **words))

        return call


def _number(value):
    """The scalar of an array without dimensions; anything else as it is."""
    return value[()] if isinstance(value, _numpy.ndarray) else value


def _class(name, *parents, **methods):
    """A class of scalars over others."""
    return type(name, parents, {"__module__": "numpy", "__slots__": (), **methods})


generic.__module__ = "numpy"
number = _class("number", generic)
integer = _class("integer", number)
signedinteger, unsignedinteger = _class("signedinteger", integer), _class("unsignedinteger", integer)
inexact = _class("inexact", number)
floating = _class("floating", inexact, is_integer=lambda self: float(self).is_integer())
complexfloating = _class("complexfloating", inexact)


def _short(self):
    """The text of a complex number in single precision."""
    real, imag = str(float32(self.real)).removesuffix(".0"), str(float32(self.imag)).removesuffix(".0")
    return f"{imag}j" if self.real == 0 else f"({real}{'' if imag[0] == '-' else '+'}{imag}j)"


def _complex_class(name):
    """A class of complex scalars, which compute as Python's numbers do."""

    def refused(self, dtype=None):
        raise NotImplementedError("complex numbers as real ones are not part of attn's numpy: .real is")

    methods = {"__repr__": _short, "__str__": _short} if name == "complex64" else {}
    return _class(
        name, complex, complexfloating, dtype=property(lambda self: dtype(name)), conj=complex.conjugate, __array__=refused,
        item=lambda self: complex(self.real, self.imag), __getattr__=object.__getattribute__, **methods,
    )


_PARENTS = {"b": generic, "i": signedinteger, "u": unsignedinteger, "f": floating}

for _names, _kind, *_ in _ROWS:
    _name, *_others = _names.split()
    if _kind == "c":
        _made = _complex_class(_name)
    else:
        _made = _class("bool_" if _kind == "b" else _name, _float64 if _name == "float64" else _scalar, _PARENTS[_kind])
        _register(_name, _made, dtype(_name))
    globals().update({name: _made for name in [_name, *_others] if len(name) > 1 and name not in _PYTHONS})
