"""Arguments that attn takes in one way only: all others are refused, so that none is accepted and ignored."""

import torch


def only_defaults(place, /, **given):
    """Raises NotImplementedError for the first argument that is neither None nor False. The names are those of `place`."""
    for name, value in given.items():
        if value is not None and value is not False:
            raise NotImplementedError(
                f"{place}(): argument '{name}': attn has only its default; leave the argument out"
            )


def on_cpu(device):
    """Raises RuntimeError if this names a device other than the CPU."""
    if device is not None:
        torch.empty(0, device=device)


def hint(*values):
    """Names arguments on which no result can depend: how fast, how much memory, how much is printed."""


def checked_dim(dim, ndim):
    """A dimension counted from the front."""
    most = max(ndim, 1)
    if not -most <= dim < most:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-most}, {most - 1}], but got {dim})")
    return dim % most


def per_dimension(value, dims):
    """A number for each of `dims` dimensions: those given, or one for all."""
    value = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    return value * dims if len(value) == 1 else value


def window_step(kernel, stride):
    """How far apart windows are: side by side if that is not given."""
    return kernel if stride is None or stride in ((), []) else stride


def reduced(losses, reduction):
    """Losses as `reduction` says: each, their mean or their sum."""
    if reduction == "none":
        return losses
    if reduction in ("mean", "sum"):
        return getattr(losses, reduction)()
    raise ValueError(f"{reduction} is not a valid value for reduction")


def rounded_once(function):
    """In float32 for tensors in half precision."""

    def rounded(input, *rest, **words):
        if input.dtype not in (torch.float16, torch.bfloat16):
            return function(input, *rest, **words)
        rest = [x.float() if isinstance(x, torch.Tensor) else x for x in rest]
        words = {name: x.float() if isinstance(x, torch.Tensor) else x for name, x in words.items()}
        return function(input.float(), *rest, **words).to(input.dtype)

    return rounded
