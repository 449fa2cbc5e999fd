"""Padding as modules: what is put around sequences and images."""

from torch.nn import functional as F

from .module import Module


class _Padding(Module):
    _mode = "constant"

    def __init__(self, padding):
        super().__init__()
        sides = 2 * int(type(self).__name__[-2])
        self.padding = (padding,) * sides if isinstance(padding, int) else tuple(padding)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _ConstantPad(_Padding):
    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """A value at both ends of a sequence."""


class ConstantPad2d(_ConstantPad):
    """A value around an image."""


class ZeroPad1d(_ConstantPad):
    """Zeros at both ends of a sequence."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad2d(ZeroPad1d):
    """Zeros around an image."""


class ReflectionPad1d(_Padding):
    """The sequence mirrored at its ends."""

    _mode = "reflect"


class ReflectionPad2d(ReflectionPad1d):
    """The image mirrored at its borders."""


class ReplicationPad1d(_Padding):
    """The ends of a sequence again and again."""

    _mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """The border of an image again and again."""
