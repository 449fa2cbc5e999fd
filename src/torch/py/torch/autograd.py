"""Gradients: the nodes of the graph that `grad_fn` shows. Computing gradients is not part of attn yet."""

import _torch


_kinds = {}


class Node:
    """Which operation made a tensor. Each operation has a class of its own, named as `grad_fn` shows it."""

    def __new__(cls, name, place):
        if name not in _kinds:
            _kinds[name] = type(name, (Node,), {"__module__": "builtins"})
        return object.__new__(_kinds[name])

    def __init__(self, name, place):
        self._name = name
        self._place = place

    def name(self):
        return self._name

    def __repr__(self):
        return f"<{self._name} object at 0x{self._place:x}>"


def _not_yet(what):
    return NotImplementedError(f"{what}: gradients are not part of attn yet")


def backward(tensors, grad_tensors=None, *args, **kwargs):
    """What PyTorch refuses is refused in its words; the rest is not there yet."""
    for tensor in tensors if isinstance(tensors, (list, tuple)) else (tensors,):
        if not tensor.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        if grad_tensors is None and tensor.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
    raise _not_yet("backward()")


def grad(outputs, inputs, *args, **kwargs):
    raise _not_yet("torch.autograd.grad()")


def set_grad_enabled(mode):
    import torch

    return torch.set_grad_enabled(mode)


class set_detect_anomaly:
    """Does nothing: without gradients there is nothing to detect."""

    def __init__(self, mode=True, check_nan=True):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


detect_anomaly = set_detect_anomaly


def __getattr__(name):
    import torch

    if name in ("no_grad", "enable_grad", "inference_mode"):
        return getattr(torch, name)
    if name == "Variable":
        return lambda data, requires_grad=False, volatile=None: data.requires_grad_(requires_grad)
    from torch._names import missing

    raise missing("torch.autograd", name, ("backward", "grad", "no_grad", "enable_grad"))
