"""The classes of scalars. `float64` is a Python float; a scalar has the methods of an array without dimensions."""

from _numpy import _complex, _float64, _scalar, _register, _item
import _numpy

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
        return (type(self), (_item(self),))

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



def _new(cls, value=0):
    if isinstance(value, (list, tuple)) or getattr(value, "ndim", 0):
        return _numpy._routines["array"](value, cls)
    part = float64 if cls is complex128 else float32
    number = complex(value)
    return complex.__new__(cls, complex(part(number.real), part(number.imag)))


def _complex_class(name, part):
    return _class(
        name, _complex, complexfloating, __new__=_new,
        __hash__=lambda self: hash(_item(self)), __complex__=lambda self: _item(self),
        real=property(lambda self: part(_item(self).real)), imag=property(lambda self: part(_item(self).imag)),
        conjugate=lambda self: _numpy._functions["conjugate"](self),
    )


complex64, complex128 = _complex_class("complex64", float32), _complex_class("complex128", float64)

for _made in (complex64, complex128, bool_, int8, int16, int32, int64, uint8, float16, float32, float64):
    _register(_made.__name__.rstrip("_"), _made)

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
