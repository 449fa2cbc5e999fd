"""The classes of scalars. `float64` is a Python float; a scalar has the methods of an array without dimensions."""

from _numpy import _float64, _scalar, _register, _item
import _numpy
from numpy._kinds import dtype

__all__ = (
    "generic number integer signedinteger unsignedinteger inexact floating complexfloating bool_ "
    "bool8 complex64 complex128 csingle singlecomplex complex_ cfloat cdouble "
    "int8 int16 int32 int64 uint8 float16 float32 float64 byte ubyte short intc int_ intp longlong half single "
    "double float_"
).split()


class generic:
    """A scalar of any dtype."""

    __slots__ = ()

    dtype = property(lambda self: _numpy.result_type(self))

    def item(self, *at):
        return _item(self)

    tolist = item

    def __array__(self, dtype=None):
        return _numpy._routines["array"](self, dtype)

    def __getitem__(self, key):
        try:
            return self.__array__()[key]
        except IndexError:
            raise IndexError("invalid index to scalar variable.") from None

    def __round__(self, digits=None):
        return round(_item(self)) if digits is None else self.round(digits)

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
            return _numpy._result(method)

        def call(*args, **words):
            return _numpy._result(method(*args, **words))

        return call


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

bool_ = _class("bool_", _scalar, generic)
int8, int16, int32, int64 = [_class(name, _scalar, signedinteger) for name in ("int8", "int16", "int32", "int64")]
uint8 = _class("uint8", _scalar, unsignedinteger)
float16, float32 = _class("float16", _scalar, floating), _class("float32", _scalar, floating)
float64 = _class("float64", _float64, floating)


def _short(self):
    """The text of a complex number in single precision."""
    real, imag = str(float32(self.real)).removesuffix(".0"), str(float32(self.imag)).removesuffix(".0")
    return f"{imag}j" if self.real == 0 else f"({real}{'' if imag[0] == '-' else '+'}{imag}j)"


def _complex_class(name, **methods):
    """A class of complex scalars, which compute as Python's numbers do."""

    def missing(self, name):
        raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}' in attn")

    def refused(self, dtype=None):
        raise NotImplementedError("complex numbers as real ones are not part of attn's numpy: .real is")

    return _class(
        name, complex, complexfloating, dtype=property(lambda self: dtype(name)), conj=complex.conjugate, __array__=refused,
        item=lambda self: complex(self.real, self.imag), __getattr__=missing, **methods,
    )


complex64, complex128 = _complex_class("complex64", __repr__=_short, __str__=_short), _complex_class("complex128")

for _made in (bool_, int8, int16, int32, int64, uint8, float16, float32, float64):
    _register(_made.__name__.rstrip("_"), _made, dtype(_made))

bool8 = bool_
byte = int8
ubyte = uint8
short = int16
intc = int32
int_ = intp = longlong = int64
half = float16
single = float32
double = float_ = float64
csingle = singlecomplex = complex64
complex_ = cfloat = cdouble = complex128
