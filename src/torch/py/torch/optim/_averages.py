"""Optimizers that scale their steps by what they remember of the gradients, but for Adam and AdamW."""

import torch
from torch.optim.optimizer import Optimizer


def _decayed(param, grad, group):
    """The gradient with weight decay; decoupled weight decay changes the parameter instead."""
    decay = group["weight_decay"]
    if decay == 0:
        return grad
    if group.get("decoupled_weight_decay"):
        param.mul_(1 - group["lr"] * decay)
        return grad
    return grad.add(param, alpha=decay)


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
        grad = _decayed(param, grad, group)
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


class Adagrad(Optimizer):
    """Steps scaled by all gradients so far. Duchi et al. 2011."""

    def __init__(
        self,
        params,
        lr=1e-2,
        lr_decay=0,
        weight_decay=0,
        initial_accumulator_value=0,
        eps=1e-10,
        foreach=None,
        *,
        maximize=False,
        differentiable=False,
        fused=None,
    ):
        self._at_least_zero(lr, "learning rate")
        self._begin(
            locals(),
            "lr lr_decay eps weight_decay initial_accumulator_value "
            "foreach maximize differentiable fused",
        )

    def _change(self, param, grad, group, state):
        if not state:
            state["step"] = torch.tensor(0.0)
            state["sum"] = torch.full_like(param, group["initial_accumulator_value"])
        state["step"] += 1
        grad = _decayed(param, grad, group)
        rate = group["lr"] / (1 + (state["step"].item() - 1) * group["lr_decay"])
        state["sum"].addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, state["sum"].sqrt().add_(group["eps"]), value=-rate)


class NAdam(Optimizer):
    """Adam with Nesterov's momentum. Dozat 2016."""

    def __init__(
        self,
        params,
        lr=2e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        momentum_decay=4e-3,
        decoupled_weight_decay=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
    ):
        self._at_least_zero(lr, "learning rate")
        self._at_least_zero(eps, "epsilon value")
        self._check_betas(betas)
        self._at_least_zero(weight_decay, "weight_decay value")
        self._at_least_zero(momentum_decay, "momentum_decay value")
        self._begin(
            locals(),
            "lr betas eps weight_decay momentum_decay decoupled_weight_decay "
            "maximize foreach capturable differentiable",
        )

    def _change(self, param, grad, group, state):
        if not state:
            state["step"] = torch.tensor(0.0)
            state["mu_product"] = torch.tensor(1.0)
            state["exp_avg"] = torch.zeros_like(param)
            state["exp_avg_sq"] = torch.zeros_like(param)
        state["step"] += 1
        step = state["step"].item()
        (beta1, beta2), lr, decay = group["betas"], group["lr"], group["momentum_decay"]
        grad = _decayed(param, grad, group)
        mu = beta1 * (1.0 - 0.5 * (0.96 ** (step * decay)))
        mu_next = beta1 * (1.0 - 0.5 * (0.96 ** ((step + 1) * decay)))
        state["mu_product"] *= mu
        product = state["mu_product"].item()
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        size = square.div(1 - beta2**step).sqrt().add_(group["eps"])
        param.addcdiv_(grad, size, value=-lr * (1.0 - mu) / (1.0 - product))
        param.addcdiv_(mean, size, value=(-lr * mu_next) / (1.0 - product * mu_next))
