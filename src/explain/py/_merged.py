"""Whether a method that merges parts of a module into its weights leaves what the module computes as it was."""

import copy
import functools
import inspect

import _torch
import torch
from _models import place_of
from _probe_values import figure
from torch import nn

# So many are examined.
MOST = 8
# First words of a name that says so: the weights are other ones afterwards, and the function is the same.
MERGES = ("merge", "merged", "fuse", "fused", "fold", "folded")


def watch_merges(watch):
    """Has the methods of modules that are defined from now on examined where they merge."""

    def defined(cls, **words):
        super(nn.Module, cls).__init_subclass__(**words)
        for name, method in list(vars(cls).items()):
            if name.removeprefix("_").split("_")[0] in MERGES and inspect.isfunction(method) and inspect.unwrap(method).__code__.co_argcount == 1:
                setattr(cls, name, examined(watch, name, method))

    nn.Module.__init_subclass__ = classmethod(defined)


def examined(watch, name, method):
    @functools.wraps(method)
    def merged(module):
        before = None if watch.merges >= MOST else _torch._untraced(output_of, module)
        result = method(module)
        if before is not None:
            watch.merges += 1
            # What it returns may be the layer that takes its place.
            after = _torch._untraced(output_of, result if isinstance(result, nn.Module) else module)
            far = 0.0 if after is None or after.shape != before.shape else float((after - before).abs().max())
            if far > 1e-3 * float(before.abs().max()):
                observed = f"Before and after {type(module).__name__}.{name}() the module got the same inputs: its outputs moved by {figure(far)}."
                watch.add("merged-differs", place_of(inspect.unwrap(method).__code__), observed, "add to the weight what forward adds to the output, with the same factor and layout, and have forward add it no more")
        return result

    return merged


def output_of(module):
    """What a copy of a layer returns in evaluation mode for made-up inputs of its width; None if it has no weight, or raises."""
    weight = next((it for it in module.parameters() if it.dim() == 2), None)
    if weight is None:
        return None
    for width in dict.fromkeys([weight.shape[1], weight.shape[0]]):
        with torch.random.fork_rng(), torch.no_grad():
            torch.manual_seed(4711)
            try:
                return copy.deepcopy(module).eval().forward(torch.randn(2, 3, width))
            except Exception:
                continue
    return None
