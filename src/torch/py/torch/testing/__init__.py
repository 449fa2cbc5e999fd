"""torch.testing: comparing tensors, with words when they differ."""

import torch
from torch._arguments import hint

_TOLERANCES = {torch.float32: (1.3e-6, 1e-5), torch.float64: (1e-7, 1e-7), torch.float16: (1e-3, 1e-5)}
_TOLERANCES[torch.bfloat16] = (1.6e-2, 1e-5)


def assert_close(actual, expected, *, rtol=None, atol=None, equal_nan=False, check_dtype=True, msg=None, **kwargs):
    """Raises AssertionError unless both are the same within the tolerances of their dtype."""
    hint(kwargs)
    if isinstance(actual, (list, tuple)) and isinstance(expected, (list, tuple)):
        for a, b in zip(actual, expected):
            assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)
        return
    actual, expected = torch.as_tensor(actual), torch.as_tensor(expected)
    if actual.shape != expected.shape:
        raise AssertionError(
            f"The values for attribute 'shape' do not match: {actual.shape} != {expected.shape}."
        )
    if check_dtype and actual.dtype != expected.dtype:
        raise AssertionError(
            f"The values for attribute 'dtype' do not match: {actual.dtype} != {expected.dtype}."
        )
    rel, abs_ = _TOLERANCES.get(expected.dtype, (0.0, 0.0))
    rel, abs_ = rel if rtol is None else rtol, abs_ if atol is None else atol
    close = torch.isclose(actual, expected, rtol=rel, atol=abs_, equal_nan=equal_nan)
    if close.all():
        return
    wrong = close.numel() - int(close.sum())
    if msg is not None:
        raise AssertionError(msg if isinstance(msg, str) else msg("Tensor-likes are not close!"))
    if actual.dim() == 0:
        off = abs(actual.item() - expected.item())
        raise AssertionError(
            f"Scalars are not close!\n\nExpected {expected.item()} but got {actual.item()}.\n"
            f"Absolute difference: {off} (up to {abs_} allowed)"
        )
    far = (actual - expected).abs()
    where = _place(far)
    rates = far / expected.abs()
    rates = rates.masked_fill(rates.isnan(), 0.0)
    at_rate = _place(rates)
    raise AssertionError(
        f"Tensor-likes are not close!\n\nMismatched elements: {wrong} / {close.numel()} "
        f"({100 * wrong / close.numel():.1f}%)\n"
        f"Greatest absolute difference: {far.max().item()} at index {where} (up to {abs_} allowed)\n"
        f"Greatest relative difference: {rates.max().item()} at index {at_rate} (up to {rel} allowed)"
    )


def _place(tensor):
    """Where the greatest element is."""
    place, where = int(tensor.argmax()), []
    for size in reversed(tensor.shape):
        place, at = divmod(place, size)
        where.insert(0, at)
    return tuple(where)
