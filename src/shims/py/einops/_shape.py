"""The lengths of named axes, and tensors as NumPy's arrays."""

from ._arrays import functions_for
from ._pattern import ELLIPSIS, Anonymous, Side


def parse_shape(x, pattern):
    """A dict of the lengths of the axes that the pattern names; `_` passes one over."""
    side, shape = Side(pattern, underscore=True), x.shape
    if any(group != ELLIPSIS and len(group) > 1 for group in side.groups):
        raise RuntimeError(f"Can't parse shape with composite axes: {pattern} {shape}")
    groups = side.groups
    if side.ellipsis:
        if len(shape) < len(groups) - 1:
            raise RuntimeError(f"Can't parse shape with this number of dimensions: {pattern} {shape}")
        at = groups.index(ELLIPSIS)
        groups = groups[:at] + [["_"]] * (len(shape) - len(groups) + 1) + groups[at + 1 :]
    elif len(shape) != len(groups):
        raise RuntimeError(f"Can't parse shape with different number of dimensions: {pattern} {shape}")
    lengths = {}
    for group, length in zip(groups, shape):
        if not group:
            if length != 1:
                raise RuntimeError(f"Length of axis is not 1: {pattern} {shape}")
        elif isinstance(group[0], Anonymous):
            if group[0].length != length:
                raise RuntimeError(f"Length of anonymous axis does not match: {pattern} {shape}")
        elif group[0] != "_":
            lengths[group[0]] = length
    return lengths


def asnumpy(tensor):
    """The tensor as a NumPy array that shares its memory."""
    return functions_for(tensor).to_numpy(tensor)
