"""`pack` joins tensors along one axis whatever their other axes are there; `unpack` undoes it."""

from math import prod

from ._arrays import is_array, library
from ._pattern import EinopsError, wrong_name


def _around(pattern, function):
    """How many axes stand before and after the `*`."""
    axes = pattern.split()
    if len(axes) != len(set(axes)):
        raise EinopsError(f'Duplicates in axes names in {function}(..., "{pattern}")')
    if "*" not in axes:
        raise EinopsError(f'No *-axis in {function}(..., "{pattern}")')
    for axis in axes:
        if axis != "*" and wrong_name(axis):
            raise EinopsError(f'Invalid axis name {axis} in {function}(..., "{pattern}")')
    before = axes.index("*")
    return before, len(axes) - before - 1


def pack(tensors, pattern):
    """The tensors joined along the axis `*`, and what each had in its place."""
    before, after = _around(pattern, "pack")
    flat, shapes = [], []
    for number, tensor in enumerate(tensors):
        shape = tensor.shape
        if len(shape) < before + after:
            raise EinopsError(
                f"packed tensor #{number} (enumeration starts with 0) has shape {shape}, "
                f"while pattern {pattern} assumes at least {before + after} axes"
            )
        end = len(shape) - after
        shapes.append(shape[before:end])
        flat.append(tensor.reshape((*shape[:before], -1, *shape[end:])))
    return library(tensors[0]).concatenate(flat, before), shapes


def unpack(tensor, packed_shapes, pattern):
    """The parts of the axis `*`, each with the shape that `packed_shapes` has for it; one -1 is worked out."""
    before, after = _around(pattern, "unpack")
    is_array(tensor)
    shape = tensor.shape
    if len(shape) != before + 1 + after:
        raise EinopsError(f"unpack(..., {pattern}) received input of wrong dim with shape {shape}")
    lengths = [-1 if -1 in part else prod(part) for part in packed_shapes]
    if lengths.count(-1) > 1:
        raise EinopsError(
            f"unpack(..., {pattern}) received more than one -1 in {packed_shapes} and can't infer dimensions"
        )
    whole = shape[before]
    if -1 in lengths:
        lengths[lengths.index(-1)] = whole - sum(length for length in lengths if length != -1)
    parts, start = [], 0
    try:
        for number, (length, part) in enumerate(zip(lengths, packed_shapes)):
            end = whole if number + 1 == len(lengths) else start + length
            place = (*(slice(None) for _ in range(before)), slice(start, end))
            parts.append(tensor[place].reshape((*shape[:before], *part, *shape[before + 1 :])))
            start = end
    except Exception as error:
        raise EinopsError(
            f'Error during unpack(..., "{pattern}"): could not split axis of size {whole} '
            f"into requested {packed_shapes}"
        ) from error
    return parts
