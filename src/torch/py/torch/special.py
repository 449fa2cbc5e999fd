"""torch.special: special functions, by their names there."""

import torch

_PLACES = {
    "expit": "sigmoid",
    "softmax": "softmax",
    "log_softmax": "log_softmax",
}


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.special' has no attribute '{name}'")
    return getattr(torch, _PLACES.get(name, name))
