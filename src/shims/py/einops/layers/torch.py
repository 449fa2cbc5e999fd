"""`Rearrange` and `Reduce` for `nn.Sequential`."""

import torch

from einops import rearrange, reduce


class _Layer(torch.nn.Module):
    """A pattern that is applied in `forward`."""

    def __init__(self, pattern, reduction, axes_lengths):
        super().__init__()
        self.pattern, self._reduction, self.axes_lengths = pattern, reduction, axes_lengths

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
