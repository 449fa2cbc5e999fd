"""The checks that a program makes of itself, and writes: two results that it compares, and that are not equal."""

import sys

import _torch
import torch
from _events import is_own, is_repeated, place

# Words of a text that says that both are equal, and of one that says that they need not be.
EQUAL = ("same", "equal", "==", "match", "agree", "identical", "invarian", "consistent", "no influence")
OTHER = ("not", "differ", "differs", "different", "wrong", "unequal", "changed", "shuffle", "shuffled")
# From which relative difference on it is not rounding.
ROUNDING = 1e-3


def compared(watch, compare, /, *args, **kwargs):
    """A comparison that the program makes: notes whether both are equal."""
    result = compare(*args, **kwargs)
    if len(args) > 1 and is_own(sys._getframe(2)) and not is_repeated() and len(watch.comparisons) < 64:
        far = None if result else _torch._untraced(distance, *args[:2])
        if result or far is not None:
            watch.comparisons.append((bool(result), far, place()))
    return result


def distance(a, b):
    """How far two tensors or arrays are apart, in words; None where that is rounding, or they are no numbers."""
    try:
        a, b = (torch.as_tensor(it).double() for it in (a, b))
    except Exception:
        return None
    if a.shape != b.shape:
        return f"their shapes are {tuple(a.shape)} and {tuple(b.shape)}"
    if not a.numel() or not bool(torch.isfinite(a).all() and torch.isfinite(b).all()):
        return None
    far, size = float((a - b).abs().max()), float(b.abs().max())
    return f"they differ by up to {far:.4g}" if far > ROUNDING * max(size, ROUNDING) else None


def printed(watch, show, /, *args, **kwargs):
    """What the program writes after it compared: the text says what the comparison is of."""
    if watch.comparisons and is_own(sys._getframe(2)) and not is_repeated():
        text = " ".join(map(str, args))
        watch.agreed += "True" in text and any(equal for equal, *_ in watch.comparisons)
        # Of many, such as those that end a loop, the last one is meant, or one that stands in the same line.
        here, last = place(), watch.comparisons[-1]
        failed = next(((far, at) for equal, far, at in [last, *watch.comparisons] if not equal and (at is last[2] or at == here)), None)
        if "False" in text and failed is not None and len(watch.failed) < 64:
            watch.failed.append((text.strip(), *failed))
        if "True" in text or "False" in text:
            watch.comparisons.clear()
    return show(*args, **kwargs)


def failed_checks(watch):
    """A check whose text says that both are equal, or that stands beside others that hold."""
    for text, far, at in watch.failed:
        low = text.lower()
        words = "".join(it if it.isalnum() or it == "_" else " " for it in low).split()
        if not ("n't" in low or "!=" in low or any(word in OTHER for word in words)) and (watch.agreed or any(word in low for word in EQUAL)):
            observed = f"The program compares two results here and writes \"{text[:60]}\": {far}."
            why = "A program that compares two ways to compute the same, and writes False, says itself that one of them is wrong."
            watch.add("results-differ", at, observed, "compare the steps of both, one by one, up to the first that differs", "a check that the program makes of itself fails", why)
