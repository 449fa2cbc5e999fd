"""torch.optim: optimizers, which change parameters by their gradients."""

import _torch
import torch
from torch._names import absent_in
from torch.optim._rmsprop import RMSprop
from torch.optim.optimizer import Optimizer

__all__ = "Adam AdamW Optimizer RMSprop SGD lr_scheduler".split()


class SGD(Optimizer):
    """p - lr * g, with momentum where it is asked for."""

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        self._at_least_zero(lr, "learning rate")
        self._at_least_zero(momentum, "momentum value")
        self._at_least_zero(weight_decay, "weight_decay value")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        self._begin(locals(), "lr momentum dampening weight_decay nesterov maximize foreach differentiable fused")

    def _without_fused(self, group):
        return _torch._sgd_step(group, self.state)

    def _change(self, param, grad, group, state):
        if group["weight_decay"] != 0:
            grad = grad.add(param, alpha=group["weight_decay"])
        if group["momentum"] != 0:
            velocity = state.get("momentum_buffer")
            if velocity is None:
                velocity = state["momentum_buffer"] = grad.clone()
            else:
                velocity.mul_(group["momentum"]).add_(grad, alpha=1 - group["dampening"])
            grad = grad.add(velocity, alpha=group["momentum"]) if group["nesterov"] else velocity
        param.add_(grad, alpha=-group["lr"])


class Adam(Optimizer):
    """Steps scaled by the running size of the gradient. Kingma & Ba 2015."""

    _decoupled = False

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=0,
        amsgrad=False,
        *,
        foreach=None,
        maximize=False,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        self._at_least_zero(lr, "learning rate")
        self._at_least_zero(eps, "epsilon value")
        self._check_betas(betas)
        self._at_least_zero(weight_decay, "weight_decay value")
        order = "foreach maximize" if self._decoupled else "maximize foreach"
        self._begin(locals(), f"lr betas eps weight_decay amsgrad {order} capturable differentiable fused")

    def _without_fused(self, group):
        return _torch._adam_step(group, self.state, self._decoupled)

    def _change(self, param, grad, group, state):
        (beta1, beta2), lr = group["betas"], group["lr"]
        if not state:
            state["step"] = torch.tensor(0.0)
            state["exp_avg"] = torch.zeros_like(param)
            state["exp_avg_sq"] = torch.zeros_like(param)
            if group["amsgrad"]:
                state["max_exp_avg_sq"] = torch.zeros_like(param)
        state["step"] += 1
        step = state["step"].item()
        if group["weight_decay"] != 0:
            if self._decoupled:
                param.mul_(1 - lr * group["weight_decay"])
            else:
                grad = grad.add(param, alpha=group["weight_decay"])
        mean, square = state["exp_avg"], state["exp_avg_sq"]
        mean.lerp_(grad, 1 - beta1)
        square.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        if group["amsgrad"]:
            square = state["max_exp_avg_sq"] = torch.maximum(state["max_exp_avg_sq"], square)
        size = (square.sqrt() / (1 - beta2**step) ** 0.5).add_(group["eps"])
        param.addcdiv_(mean, size, value=-lr / (1 - beta1**step))


class AdamW(Adam):
    """Adam whose weight decay goes beside the gradient. Loshchilov & Hutter 2019."""

    _decoupled = True

    def __init__(
        self,
        params,
        lr=1e-3,
        betas=(0.9, 0.999),
        eps=1e-8,
        weight_decay=1e-2,
        amsgrad=False,
        *,
        maximize=False,
        foreach=None,
        capturable=False,
        differentiable=False,
        fused=None,
    ):
        given = locals()
        super().__init__(**{name: given[name] for name in given if name not in ("self", "__class__")})


__getattr__ = absent_in("torch.optim", __all__, ("lr_scheduler", "optimizer"))
