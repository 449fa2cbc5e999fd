"""Images and sequences in other sizes."""

import math

import _torch
import torch
from torch._arguments import only_defaults

_WEIGHTED = {(3, "linear"): "UpsampleLinear", (4, "bilinear"): "UpsampleBilinear", (4, "bicubic"): "UpsampleBicubic"}


def _sizes(input, size, scale_factor):
    """The size and the given factor of each dimension."""
    dims = input.dim() - 2
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "either size or scale_factor should be defined"
            if size is None
            else "only one of size or scale_factor should be defined"
        )
    given = scale_factor if size is None else size
    if isinstance(given, (tuple, list)):
        if len(given) != dims:
            raise ValueError(f"size and scale_factor need a number for each of {list(input.shape[2:])}, but got {given}")
    else:
        given = [given] * dims
    if size is not None:
        return [int(length) for length in given], [None] * dims
    factors = [float(factor) for factor in given]
    return [math.floor(length * factor) for length, factor in zip(input.shape[2:], factors)], factors


def _nearest(old, new, factor):
    """For each place of the new size the nearest old one."""
    step = torch.tensor(1 / factor if factor else old / new, dtype=torch.float32)
    places = (torch.arange(new, dtype=torch.float32) * step).floor().long()
    return places.clamp(max=old - 1)


def _places(old, new, factor, align_corners, dtype):
    """Where each place of the new size lies in the old one; outside of it at the ends."""
    if align_corners:
        step = torch.tensor((old - 1) / (new - 1) if new > 1 else 0.0, dtype=dtype)
        return torch.arange(new, dtype=dtype) * step
    step = torch.tensor(1 / factor if factor else old / new, dtype=dtype)
    return (torch.arange(new, dtype=dtype) + 0.5) * step - 0.5


def _linear(old, places):
    """For each place of the new size its two neighbours of the old one, and their weights."""
    places = places.clamp(min=0)
    left = places.floor().long().clamp(max=old - 1)
    share = (places - left).clamp(0, 1)
    return (left, 1 - share), ((left + 1).clamp(max=old - 1), share)


def _cubic(old, places):
    """For each place of the new size its four neighbours of the old one, and their weights. Keys 1981, with a = -0.75."""
    a = -0.75
    left = places.floor().clamp(max=old - 1)
    share = (places - left).clamp(0, 1)

    def near(x):
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x):
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    weights = far(share + 1), near(share), near(1 - share), far(1 - share + 1)
    left = left.long()
    return [((left + by).clamp(0, old - 1), weight) for by, weight in zip((-1, 0, 1, 2), weights)]


def _named(result, node):
    _torch._name_node(result, f"{node}{result.dim() - 2}D", 0)
    return result


def interpolate(
    input,
    size=None,
    scale_factor=None,
    mode="nearest",
    align_corners=None,
    recompute_scale_factor=None,
    antialias=False,
):
    """A sequence (N, C, L) or an image (N, C, H, W) in another size."""
    only_defaults("interpolate", antialias=antialias, recompute_scale_factor=recompute_scale_factor)
    if mode == "nearest" and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    sizes, factors = _sizes(input, size, scale_factor)
    if input.dim() not in (3, 4, 5):
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.dim()}D) for the modes: nearest | linear | "
            f"bilinear | bicubic | trilinear | area | nearest-exact (got {mode})"
        )
    if mode == "nearest":
        for axis, (new, factor) in enumerate(zip(sizes, factors), 2):
            input = input.index_select(axis, _nearest(input.size(axis), new, factor))
        return _named(input, "UpsampleNearest")
    node = _WEIGHTED.get((input.dim(), mode))
    if node is None:
        raise NotImplementedError(
            "interpolate(): attn has the modes nearest, linear for 3D, bilinear and bicubic for 4D "
            f"input; got mode '{mode}' for {input.dim()}D input"
        )
    for axis in range(input.dim() - 1, 1, -1):
        old, new = input.size(axis), sizes[axis - 2]
        places = _places(old, new, factors[axis - 2], align_corners, input.dtype)
        shape = [-1 if dim == axis else 1 for dim in range(input.dim())]
        total = None
        for index, weight in (_cubic if mode == "bicubic" else _linear)(old, places):
            term = input.index_select(axis, index) * weight.view(shape)
            total = term if total is None else total + term
        input = total
    return _named(input, node)
