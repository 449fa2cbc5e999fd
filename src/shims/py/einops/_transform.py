"""`rearrange`, `reduce`, `repeat`: reshape to single axes, permute, reduce, expand, reshape to groups."""

from math import prod

import torch

from ._arrays import is_array, library
from ._pattern import Anonymous, EinopsError, Side, wrong_name

REDUCTIONS = ("min", "max", "sum", "mean", "prod", "any", "all")


def rearrange(tensor, pattern, **axes_lengths):
    """The axes in another order or grouping: `rearrange(x, "b t (h d) -> b h t d", h=2)`."""
    return reduce(tensor, pattern, "rearrange", **axes_lengths)


def repeat(tensor, pattern, **axes_lengths):
    """Copies along new axes: `repeat(x, "t d -> b t d", b=3)`."""
    return reduce(tensor, pattern, "repeat", **axes_lengths)


def reduce(tensor, pattern, reduction, **axes_lengths):
    """The axes that the right side lacks are reduced: `reduce(x, "b t d -> b d", "mean")`.

    `reduction` is one of min, max, sum, mean, prod, any, all, or a function of (tensor, axes).
    """
    try:
        whole = tensor
        if isinstance(tensor, list):
            if not tensor:
                raise TypeError("Rearrange/Reduce/Repeat can't be applied to an empty list")
            whole = library(tensor[0]).stack(tensor)
        of_numpy = is_array(whole)
        plan = Plan(pattern, reduction, tuple(axes_lengths), whole.ndim)
        made = plan.run(torch.from_numpy(whole) if of_numpy else whole, of_numpy, axes_lengths)
        return made.numpy()[()] if of_numpy else made
    except EinopsError as error:
        message = f' Error while processing {reduction}-reduction pattern "{pattern}".'
        message += "\n Input is list. " if isinstance(tensor, list) else f"\n Input tensor shape: {whole.shape}. "
        raise EinopsError(f"{message}Additional info: {axes_lengths}.\n {error}") from None


class Plan:
    """What a pattern does to a tensor of `ndim` dimensions."""

    def __init__(self, pattern, reduction, named, ndim):
        left, right = (Side(side) for side in pattern.split("->"))
        self.reduction = reduction
        _check_sides(pattern, reduction, named, left, right)
        names = _ellipsis_names(left, ndim)
        self.left, self.right = left.spread(names), right.spread(names)
        self.before = [axis for group in self.left for axis in group]
        self.after = [axis for group in self.right for axis in group]
        self.kept = [axis for axis in self.after if axis in self.before]
        self.reduced = [axis for axis in self.before if axis not in self.after]
        for name in named:
            if wrong_name(name):
                raise EinopsError("Invalid name for an axis", name)
            if name not in self.before and name not in self.after:
                raise EinopsError(f"Axis {name} is not used in transform")
        for group in self.left:
            unknown = {axis for axis in group if axis not in named and not isinstance(axis, Anonymous)}
            if len(unknown) > 1:
                raise EinopsError(f"Could not infer sizes for {unknown}")

    def lengths(self, shape, given):
        """The length of every axis."""
        lengths = {axis: axis.length for axis in self.before + self.after if isinstance(axis, Anonymous)}
        lengths.update(given)
        for group, length in zip(self.left, shape):
            unknown = [axis for axis in group if axis not in lengths]
            known = prod(lengths[axis] for axis in group if axis in lengths)
            if not unknown:
                if length != known:
                    raise EinopsError(f"Shape mismatch, {length} != {known}")
            elif length % known:
                raise EinopsError(f"Shape mismatch, can't divide axis of length {length} in chunks of {known}")
            else:
                lengths[unknown[0]] = length // known
        return lengths

    def run(self, x, of_numpy, given):
        """The transformed tensor: a view of `x` where reshape and permute give one. NumPy's arrays are repeated as copies."""
        lengths = self.lengths(x.shape, given)
        if any(len(group) != 1 for group in self.left):
            x = x.reshape([lengths[axis] for axis in self.before])
        order = [self.before.index(axis) for axis in self.kept + self.reduced]
        if order != sorted(order):
            x = x.permute(order)
        if self.reduced:
            x = self._reduce(x, of_numpy, tuple(range(len(self.kept), len(order))))
        if len(self.kept) != len(self.after):
            x = x.reshape([lengths[axis] if axis in self.kept else 1 for axis in self.after])
            x = x.expand([lengths[axis] for axis in self.after])
            x = x.clone(memory_format=torch.contiguous_format) if of_numpy else x
        if any(len(group) != 1 for group in self.right):
            x = x.reshape([prod(lengths[axis] for axis in group) for group in self.right])
        return x

    def _reduce(self, x, of_numpy, axes):
        name = self.reduction
        if name == "mean" and not x.is_floating_point():
            raise NotImplementedError("reduce_mean is not available for non-floating tensors")
        if of_numpy:
            # NumPy adds in an order of its own.
            x = x.numpy()
            return torch.as_tensor(name(x, axes) if callable(name) else getattr(x, name)(axis=axes))
        if callable(name):
            return name(x, axes)
        if name in ("min", "max", "sum", "mean"):
            return getattr(x, {"min": "amin", "max": "amax"}.get(name, name))(dim=axes)
        for axis in sorted(axes, reverse=True):
            x = getattr(x, name)(dim=axis)
        return x


def _check_sides(pattern, reduction, named, left, right):
    """New axes stand in `repeat` alone, axes end in a reduction alone."""
    if right.ellipsis and not left.ellipsis:
        raise EinopsError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if left.grouped_ellipsis:
        raise EinopsError(f"Ellipsis inside parenthesis in the left side is not allowed: {pattern}")
    if reduction == "rearrange":
        if left.lengths_given or right.lengths_given:
            raise EinopsError("Non-unitary anonymous axes are not supported in rearrange (exception is length 1)")
        if left.axes != right.axes:
            alone = left.axes ^ right.axes
            raise EinopsError(f"Identifiers only on one side of expression (should be on both): {alone}")
    elif reduction == "repeat":
        if left.axes - right.axes:
            raise EinopsError(f"Unexpected identifiers on the left side of repeat: {left.axes - right.axes}")
        new = {axis for axis in right.axes if not isinstance(axis, Anonymous)} - left.axes - set(named)
        if new:
            raise EinopsError(f"Specify sizes for new axes in repeat: {new}")
    elif reduction in REDUCTIONS or callable(reduction):
        if right.axes - left.axes:
            new = right.axes - left.axes
            raise EinopsError(f"Unexpected identifiers on the right side of reduce {reduction}: {new}")
    else:
        raise EinopsError(f"Unknown reduction {reduction}. Expect one of {REDUCTIONS}.")


def _ellipsis_names(left, ndim):
    """Names for the axes that `...` stands for."""
    groups = len(left.groups)
    if left.ellipsis:
        if ndim < groups - 1:
            raise EinopsError(f"Wrong shape: expected >={groups - 1} dims. Received {ndim}-dim tensor.")
        return [f"...{axis}" for axis in range(ndim - groups + 1)]
    if ndim != groups:
        raise EinopsError(f"Wrong shape: expected {groups} dims. Received {ndim}-dim tensor.")
    return []
