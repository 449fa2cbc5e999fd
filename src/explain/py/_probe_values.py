"""Values of a call that is run again: copies with changes, and comparisons of what came out."""

import torch

# A smaller change of an output, relative to the largest output, is rounding.
ROUNDING = 1e-5
# How JSON writes letters that may not stand in a text as they are.
ESCAPES = {at: f"\\u{at:04x}" for at in (*range(32), ord('"'), ord("\\"))}


def unless_raised(otherwise, probe, *args):
    """What a probe returns; `otherwise` if it raises."""
    try:
        return probe(*args)
    except Exception:
        return otherwise


def figure(number):
    """A number with four decimals, or with five digits if it is small."""
    return f"{number:.4f}" if number >= 1e-4 else f"{number:.4e}"


def as_json(value):
    """A report as JSON. What `json` needs takes longer to load than many a program takes to run."""
    if isinstance(value, str):
        return '"' + value.translate(ESCAPES) + '"'
    if isinstance(value, dict):
        return "{" + ", ".join(f"{as_json(name)}: {as_json(it)}" for name, it in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(as_json, value)) + "]"
    return "null" if value is None else str(value).lower()


def lent(value):
    """The tensor on the elements of a NumPy array; another value as it is."""
    return value._tensor if hasattr(type(value), "_tensor") else value


def parts_of(value):
    """What a dict, a list or a tuple holds."""
    return value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()


def tensors_in(value):
    """The tensors in what a call returned, or in a cache."""
    value = lent(value)
    return [value] if isinstance(value, torch.Tensor) else [found for part in parts_of(value) for found in tensors_in(part)]


def first_tensor(output):
    """The first tensor of what a call returned, or None. A single number, such as a loss, is returned only if there is no
    other."""
    found = tensors_in(output)
    return next((tensor for tensor in found if tensor.dim() > 0), found[0] if found else None)


def all_tensors(output):
    """All tensors of floating point numbers in what a call returned."""
    return [found.detach() for found in tensors_in(output) if found.is_floating_point()]


def is_tokens(value):
    """Whether a tensor holds the numbers of tokens, and not their vectors."""
    return not value.is_floating_point()


def with_change(value, axis, at):
    """A copy of `value` in which everything at position `at` along `axis` is other numbers."""
    value = value.detach().clone()
    part = value.select(axis, at)
    if is_tokens(value):
        # Another token that occurs, so that it is in the vocabulary.
        known = value.unique()
        other = known[0] if len(known) > 1 else torch.where(known[0] > 0, 0, 1)
        replaced = torch.where(part == other, known[-1] if len(known) > 1 else other, other)
        part.copy_(replaced)
    else:
        part.add_(torch.randn(part.shape, dtype=value.dtype) * (1 + part.abs().max()))
    return value


def opposite(value):
    """Other values for a whole tensor: a mask inverted, everything else other numbers."""
    if value.dtype == torch.bool:
        return ~value
    if is_tokens(value):
        return 1 - value if is_zero_one(value) else value.flip(0).flip(-1)
    if not bool(torch.isfinite(value).all()) or bool((value < -1e4).any()):
        return torch.where(value == 0, value.min(), 0.0)
    return 1 - value if is_zero_one(value) else value + torch.randn(value.shape, dtype=value.dtype)


def is_zero_one(value):
    return not value.is_complex() and bool(((value == 0) | (value == 1)).all())


def same(before, after, share=0):
    """Whether all tensors of two outputs are equal, or differ by no more than this share of the largest number."""
    if len(before) != len(after) or any(a.shape != b.shape for a, b in zip(before, after)):
        return False
    pairs = ((torch.nan_to_num(a), torch.nan_to_num(b)) for a, b in zip(before, after))
    return all(torch.equal(a, b) or share and float((a - b).abs().max()) <= share * max(float(a.abs().max()), 1e-30) for a, b in pairs)
