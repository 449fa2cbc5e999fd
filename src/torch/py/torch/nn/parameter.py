"""Tensors that a module owns and that are trained."""

import torch


class Parameter(torch.Tensor):
    """A tensor that a module registers when it is assigned to one of its attributes."""

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = torch.empty(0)
        if not isinstance(data, torch.Tensor):
            data = data.detach()
        return torch.Tensor._make_subclass(cls, data, requires_grad)
