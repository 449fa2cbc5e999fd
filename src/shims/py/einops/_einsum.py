"""`einsum` with whole words as names of axes."""

import string

from ._arrays import library
from ._pattern import ELLIPSIS, Anonymous, EinopsError, Side


def einsum(*tensors_and_pattern):
    """`einsum(queries, keys, "b h i d, b h j d -> b h i j")`: tensors first, then the pattern."""
    if len(tensors_and_pattern) <= 1:
        raise ValueError(
            "`einops.einsum` takes at minimum two arguments: the tensors (at least one), followed by the pattern."
        )
    *tensors, pattern = tensors_and_pattern
    if not isinstance(pattern, str):
        raise ValueError(
            "The last argument passed to `einops.einsum` must be a string, representing the einsum pattern."
        )
    return library(tensors[0]).einsum(_letters(pattern), *tensors)


def _letters(pattern):
    """The pattern with one letter for each name."""
    if "->" not in pattern:
        raise ValueError("Einsum pattern must contain '->'.")
    left, right = pattern.split("->")
    letters = {}

    def word(group, new):
        if group == ELLIPSIS:
            return "..."
        if len(group) != 1:
            what = "Shape rearrangement is" if group else "Singleton () axes are"
            raise NotImplementedError(f"{what} not yet supported in einsum.")
        (axis,) = group
        if isinstance(axis, Anonymous):
            raise NotImplementedError("Anonymous axes are not yet supported in einsum.")
        if axis not in letters:
            if not new:
                raise EinopsError(f"Unknown axis {axis} on right side of einsum {pattern}.")
            letters[axis] = string.ascii_letters[len(letters)]
        return letters[axis]

    inputs = [Side(part, underscore=True, duplicates=True) for part in left.split(",")]
    output = Side(right, underscore=True)
    parts = ["".join(word(group, True) for group in side.groups) for side in inputs]
    return ",".join(parts) + "->" + "".join(word(group, False) for group in output.groups)
