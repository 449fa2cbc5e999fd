"""torch.functional: operations that `torch` has under the same name."""

import torch


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.functional' has no attribute '{name}'")
    return getattr(torch, name)
