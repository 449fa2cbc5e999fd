"""Views of complex tensors: those of the pairs, whose last dimension stays where it is."""

import torch


class Views:
    """The views of a complex tensor. `_pairs` is the real tensor of its parts."""

    def _dim(self, dim):
        if not -max(self.ndim, 1) <= dim < max(self.ndim, 1):
            low, high = -max(self.ndim, 1), max(self.ndim, 1) - 1
            raise IndexError(f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})")
        return dim % max(self.ndim, 1)

    def _checked(self, shape):
        """The sizes, if as many elements have them."""
        sizes, count = sizes_of(shape), 1
        for size in sizes:
            count *= size if size != -1 else 1
        if count != self.numel() if -1 not in sizes else count == 0 or self.numel() % count:
            raise RuntimeError(f"shape '{list(sizes)}' is invalid for input of size {self.numel()}")
        return sizes

    def view(self, *shape):
        if len(shape) == 1 and shape[0] in (torch.float32, torch.float64):
            return self._pairs.flatten(-2)
        return type(self)(self._pairs.view(*self._checked(shape), 2))

    def reshape(self, *shape):
        return type(self)(self._pairs.reshape(*self._checked(shape), 2))

    def expand(self, *shape):
        return type(self)(self._pairs.expand(*sizes_of(shape), 2))

    def repeat(self, *sizes):
        return type(self)(self._pairs.repeat(*sizes_of(sizes), 1))

    def permute(self, *dims):
        return type(self)(self._pairs.permute(*(self._dim(dim) for dim in sizes_of(dims)), self.ndim))

    def transpose(self, dim0, dim1):
        return type(self)(self._pairs.transpose(self._dim(dim0), self._dim(dim1)))

    swapaxes = swapdims = transpose

    def t(self):
        return self if self.ndim < 2 else self.transpose(0, 1)

    def unsqueeze(self, dim):
        return type(self)(self._pairs.unsqueeze(dim if dim >= 0 else dim + self.ndim + 1))

    def squeeze(self, dim=None):
        if dim is None:
            return type(self)(self._pairs.view_as(self._pairs).reshape(*(size for size in self.shape if size != 1), 2))
        return type(self)(self._pairs.squeeze(self._dim(dim)))

    def flatten(self, start_dim=0, end_dim=-1):
        if self.ndim == 0:
            return self.view(1)
        return type(self)(self._pairs.flatten(self._dim(start_dim), self._dim(end_dim)))

    def unflatten(self, dim, sizes):
        return type(self)(self._pairs.unflatten(self._dim(dim), sizes))

    def contiguous(self):
        return type(self)(self._pairs.contiguous())

    def unbind(self, dim=0):
        return tuple(type(self)(part) for part in self._pairs.unbind(self._dim(dim)))

    def chunk(self, chunks, dim=0):
        return tuple(type(self)(part) for part in self._pairs.chunk(chunks, self._dim(dim)))

    def split(self, split_size, dim=0):
        return tuple(type(self)(part) for part in self._pairs.split(split_size, self._dim(dim)))

    def repeat_interleave(self, repeats, dim=None):
        if dim is None:
            return self.flatten().repeat_interleave(repeats, 0)
        return type(self)(self._pairs.repeat_interleave(repeats, dim=self._dim(dim)))

    def index_select(self, dim, index):
        return type(self)(self._pairs.index_select(self._dim(dim), index))

    def __getitem__(self, index):
        return type(self)(self._pairs[index_of(self, index)])


def sizes_of(shape):
    return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape


def index_of(tensor, index):
    """The index that leaves the parts alone."""
    parts = index if isinstance(index, tuple) else (index,)
    taken = 0
    for part in parts:
        if isinstance(part, torch.Tensor) and part.dtype is torch.bool:
            taken += part.ndim
        elif part is not None and part is not Ellipsis:
            taken += 1
    if taken > tensor.ndim:
        raise IndexError(f"too many indices for tensor of dimension {tensor.ndim}")
    return (*parts, slice(None)) if any(part is Ellipsis for part in parts) else parts
