"""The classes of scalars. `float64` is a Python float; a scalar has the methods of an array without dimensions."""

from _numpy import _float64, _scalar, _register, _item
import _numpy

__all__ = (
    "generic number integer signedinteger unsignedinteger inexact floating complexfloating flexible character bool_ "
    "bool8 int8 int16 int32 int64 uint8 float16 float32 float64 byte ubyte short intc int_ intp longlong half single "
    "double float_"
).split()


class generic:
    """A scalar of any dtype."""

    __slots__ = ()

    shape = ()
    ndim = 0
    size = 1
    strides = ()

    @property
    def dtype(self):
        return _numpy._dtype_of(self)

    @property
    def itemsize(self):
        return self.dtype.itemsize

    nbytes = itemsize

    @property
    def T(self):
        return self

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return type(self)(0)

    def item(self, *at):
        return _item(self)

    tolist = item

    def __array__(self, dtype=None):
        return _numpy._array(self, dtype, True)

    def __getitem__(self, key):
        if key is Ellipsis or key == (Ellipsis,):
            return _numpy._array(self, None, True)
        if key == ():
            return self
        if key is None:
            return _numpy._array(self, None, True)[None]
        raise IndexError("invalid index to scalar variable.")

    def __round__(self, digits=None):
        return round(_item(self)) if digits is None else self.round(digits)

    def __reduce__(self):
        return (type(self), (_item(self),))

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'")
        array = _numpy._array(self, None, True)
        try:
            method = getattr(array, name)
        except AttributeError:
            raise AttributeError(f"'numpy.{type(self).__name__}' object has no attribute '{name}'") from None
        if not callable(method):
            return method

        def call(*args, **words):
            return _numpy._result(method(*args, **words))

        return call


class number(generic):
    __slots__ = ()


class integer(number):
    __slots__ = ()


class signedinteger(integer):
    __slots__ = ()


class unsignedinteger(integer):
    __slots__ = ()


class inexact(number):
    __slots__ = ()


class floating(inexact):
    __slots__ = ()

    def is_integer(self):
        return float(self).is_integer()


class complexfloating(inexact):
    __slots__ = ()


class flexible(generic):
    __slots__ = ()


class character(flexible):
    __slots__ = ()


class bool_(_scalar, generic):
    __slots__ = ()


class int8(_scalar, signedinteger):
    __slots__ = ()


class int16(_scalar, signedinteger):
    __slots__ = ()


class int32(_scalar, signedinteger):
    __slots__ = ()


class int64(_scalar, signedinteger):
    __slots__ = ()


class uint8(_scalar, unsignedinteger):
    __slots__ = ()


class float16(_scalar, floating):
    __slots__ = ()


class float32(_scalar, floating):
    __slots__ = ()


class float64(_float64, floating):
    __slots__ = ()


for _class in (bool_, int8, int16, int32, int64, uint8, float16, float32, float64):
    _class.__module__ = "numpy"
    _class.__qualname__ = _class.__name__
    _register(_class.__name__.rstrip("_"), _class)
for _class in (generic, number, integer, signedinteger, unsignedinteger, inexact, floating):
    _class.__module__ = "numpy"

bool8 = bool_
byte = int8
ubyte = uint8
short = int16
intc = int32
int_ = intp = longlong = int64
half = float16
single = float32
double = float_ = float64
