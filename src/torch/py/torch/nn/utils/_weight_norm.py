"""Weight norm as it was before parametrizations: two parameters, and the weight computed before each call."""

import warnings

import _torch
from torch.nn import Parameter


class WeightNorm:
    """A hook that computes a weight from its length and its direction. Salimans & Kingma 2016."""

    __module__ = "torch.nn.utils.weight_norm"

    def __init__(self, name, dim):
        self.name = name
        self.dim = -1 if dim is None else dim

    def _norm(self, weight):
        others = [axis for axis in range(weight.dim()) if axis != self.dim]
        return weight.norm(2) if self.dim == -1 else weight.norm(2, others, keepdim=True)

    def compute_weight(self, module):
        """The weight as it is now."""
        length, direction = getattr(module, self.name + "_g"), getattr(module, self.name + "_v")
        weight = direction * (length / self._norm(direction))
        _torch._name_node(weight, "WeightNormInterface", 0)
        return weight

    def __call__(self, module, _inputs):
        setattr(module, self.name, self.compute_weight(module))


def _hooks(module, name):
    return [(key, hook) for key, hook in module._forward_pre_hooks.items() if getattr(hook, "name", None) == name]


def weight_norm(module, name="weight", dim=0):
    """The weight as a length and a direction, which are learned apart."""
    warnings.warn(
        "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
        FutureWarning,
        stacklevel=2,
    )
    if _hooks(module, name):
        raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
    hook = WeightNorm(name, dim)
    weight = getattr(module, name)
    del module._parameters[name]
    module.register_parameter(name + "_g", Parameter(hook._norm(weight).data))
    module.register_parameter(name + "_v", Parameter(weight.data))
    setattr(module, name, hook.compute_weight(module))
    module.register_forward_pre_hook(hook)
    return module


def remove_weight_norm(module, name="weight"):
    """Makes the weight an ordinary parameter again."""
    found = _hooks(module, name)
    if not found:
        raise ValueError(f"weight_norm of '{name}' not found in {module}")
    key, hook = found[0]
    weight = hook.compute_weight(module)
    delattr(module, name)
    del module._parameters[name + "_g"]
    del module._parameters[name + "_v"]
    setattr(module, name, Parameter(weight.data))
    del module._forward_pre_hooks[key]
    return module
