"""Views of complex tensors: those of the pairs, whose last dimension stays where it is."""

import torch
from torch._arguments import checked_dim


def _view(name, at=0, count=1, defaults=()):
    """The view of the pairs that has the same dimensions; `at` is the place of the first of them."""

    def method(self, *args, dim=None):
        args = [*args] if dim is None else [*args, dim]
        args += defaults[len(args) - at :]
        args[at : at + count] = [self._dim(dim) for dim in args[at : at + count]]
        made = getattr(self._pairs, name)(*args)
        return tuple(type(self)(part) for part in made) if isinstance(made, tuple) else type(self)(made)

    return method


class Views:
    """The views of a complex tensor. `_pairs` is the real tensor of its parts."""

    def _dim(self, dim):
        return checked_dim(dim, self.ndim)

    def _checked(self, shape):
        """The sizes, if as many elements have them."""
        sizes, count = sizes_of(shape), 1
        for size in sizes:
            count *= size if size != -1 else 1
        if count != self.numel() if -1 not in sizes else count == 0 or self.numel() % count:
            raise RuntimeError(f"shape '{list(sizes)}' is invalid for input of size {self.numel()}")
        return sizes

    def view(self, *shape):
        return type(self)(self._pairs.view(*self._checked(shape), 2))

    def reshape(self, *shape):
        return type(self)(self._pairs.reshape(*self._checked(shape), 2))

    def expand(self, *shape):
        return type(self)(self._pairs.expand(*sizes_of(shape), 2))

    def permute(self, *dims):
        return type(self)(self._pairs.permute(*(self._dim(dim) for dim in sizes_of(dims)), self.ndim))

    def unsqueeze(self, dim):
        return type(self)(self._pairs.unsqueeze(dim if dim >= 0 else dim + self.ndim + 1))

    def flatten(self, start_dim=0, end_dim=-1):
        if self.ndim == 0:
            return self.view(1)
        return type(self)(self._pairs.flatten(self._dim(start_dim), self._dim(end_dim)))

    transpose, squeeze, unbind = _view("transpose", count=2), _view("squeeze"), _view("unbind", defaults=(0,))
    split, repeat_interleave = _view("split", 1, 1, (0,)), _view("repeat_interleave", 1)

    def __getitem__(self, index):
        return type(self)(self._pairs[index_of(self, index)])


def sizes_of(shape):
    return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape


def index_of(tensor, index):
    """The index that leaves the parts alone."""
    parts = index if isinstance(index, tuple) else (index,)
    places = [part for part in parts if part is not None and part is not Ellipsis]
    taken = sum(part.ndim if isinstance(part, torch.Tensor) and part.dtype is torch.bool else 1 for part in places)
    if taken > tensor.ndim:
        raise IndexError(f"too many indices for tensor of dimension {tensor.ndim}")
    return (*parts, slice(None)) if any(part is Ellipsis for part in parts) else parts
