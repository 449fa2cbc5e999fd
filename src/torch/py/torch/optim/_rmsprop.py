"""RMSprop."""

import torch
from torch.optim.optimizer import Optimizer


class RMSprop(Optimizer):
    """Steps scaled by the running size of the gradient alone. Hinton's lecture 6e."""

    def __init__(
        self,
        params,
        lr=1e-2,
        alpha=0.99,
        eps=1e-8,
        weight_decay=0,
        momentum=0,
        centered=False,
        capturable=False,
        foreach=None,
        maximize=False,
        differentiable=False,
    ):
        for value, name in ((lr, "learning rate"), (eps, "epsilon value"), (momentum, "momentum value")):
            self._at_least_zero(value, name)
        self._at_least_zero(weight_decay, "weight_decay value")
        self._at_least_zero(alpha, "alpha value")
        self._begin(locals(), "lr momentum alpha eps centered weight_decay capturable foreach maximize differentiable")

    def _change(self, param, grad, group, state):
        if not state:
            state["step"] = torch.tensor(0.0)
            state["square_avg"] = torch.zeros_like(param)
            if group["momentum"] > 0:
                state["momentum_buffer"] = torch.zeros_like(param)
            if group["centered"]:
                state["grad_avg"] = torch.zeros_like(param)
        state["step"] += 1
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=group["weight_decay"])
        square = state["square_avg"]
        square.mul_(group["alpha"]).addcmul_(grad, grad, value=1 - group["alpha"])
        if group["centered"]:
            mean = state["grad_avg"].lerp_(grad, 1 - group["alpha"])
            size = square.addcmul(mean, mean, value=-1).sqrt_()
        else:
            size = square.sqrt()
        size.add_(group["eps"])
        if group["momentum"] > 0:
            velocity = state["momentum_buffer"].mul_(group["momentum"]).addcdiv_(grad, size)
            param.add_(velocity, alpha=-group["lr"])
        else:
            param.addcdiv_(grad, size, value=-group["lr"])
