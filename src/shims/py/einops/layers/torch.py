"""`Rearrange` and `Reduce` for `nn.Sequential`."""

import torch

from einops import EinopsError, rearrange, reduce
from einops._transform import Plan

_MOST_DIMENSIONS = 8


class _Layer(torch.nn.Module):
    """A pattern that is applied in `forward`; a wrong one is refused when the layer is made."""

    def __init__(self, pattern, reduction, axes_lengths):
        super().__init__()
        self.pattern, self._reduction, self.axes_lengths = pattern, reduction, axes_lengths
        try:
            if not any(self._fits(ndim) for ndim in range(_MOST_DIMENSIONS)):
                Plan(pattern, reduction, tuple(axes_lengths), 0)
        except EinopsError as error:
            raise EinopsError(f" Error while preparing {self!r}\n {error}") from None

    def _fits(self, ndim):
        try:
            Plan(self.pattern, self._reduction, tuple(self.axes_lengths), ndim)
        except EinopsError:
            return False
        return True

    def __repr__(self):
        words = [repr(self.pattern)] + ([] if self._reduction == "rearrange" else [repr(self._reduction)])
        words += [f"{axis}={length}" for axis, length in self.axes_lengths.items()]
        return f"{type(self).__name__}({', '.join(words)})"


class Rearrange(_Layer):
    """`rearrange` as a layer."""

    def __init__(self, pattern, **axes_lengths):
        super().__init__(pattern, "rearrange", axes_lengths)

    def forward(self, input):
        return rearrange(input, self.pattern, **self.axes_lengths)


class Reduce(_Layer):
    """`reduce` as a layer."""

    def __init__(self, pattern, reduction, **axes_lengths):
        super().__init__(pattern, reduction, axes_lengths)
        self.reduction = reduction

    def forward(self, input):
        return reduce(input, self.pattern, self.reduction, **self.axes_lengths)
