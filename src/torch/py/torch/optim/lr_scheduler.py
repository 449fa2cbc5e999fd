"""Learning rate schedulers."""

import bisect
import collections
import math

from torch._names import absent_in
from torch.optim._cycles import CosineAnnealingWarmRestarts, OneCycleLR
from torch.optim._schedule import LRScheduler, _LRScheduler, one_for_each_group
from torch.optim._several import ReduceLROnPlateau, SequentialLR

__all__ = (
    "ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts ExponentialLR LRScheduler LambdaLR "
    "LinearLR MultiStepLR OneCycleLR ReduceLROnPlateau SequentialLR StepLR"
).split()


class LambdaLR(LRScheduler):
    """The first rate times a function of the step."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1, verbose="deprecated"):
        self.optimizer = optimizer
        self.lr_lambdas = one_for_each_group("lr_lambdas", optimizer, lr_lambda, "Expected {1} {0}, but got {2}")
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        return [base * factor(self.last_epoch) for factor, base in zip(self.lr_lambdas, self.base_lrs)]

    def state_dict(self):
        """All that is needed to go on later; functions are left out."""
        state = super().state_dict()
        state["lr_lambdas"] = [None] * len(state.pop("lr_lambdas"))
        return state

    def load_state_dict(self, state_dict):
        """Goes on from a state dict."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})


class StepLR(LRScheduler):
    """Times gamma after every step_size steps."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1, verbose="deprecated"):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma if due else None)

    def _get_closed_form_lr(self):
        return self._based(self.gamma ** (self.last_epoch // self.step_size))


class MultiStepLR(LRScheduler):
    """Times gamma at each milestone."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1, verbose="deprecated"):
        self.milestones = collections.Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        times = self.milestones[self.last_epoch]
        return self._scaled(self.gamma**times if times else None)

    def _get_closed_form_lr(self):
        return self._based(self.gamma ** bisect.bisect_right(sorted(self.milestones.elements()), self.last_epoch))


class ExponentialLR(LRScheduler):
    """Times gamma at every step."""

    def __init__(self, optimizer, gamma, last_epoch=-1, verbose="deprecated"):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        return self._scaled(None if self.last_epoch == 0 else self.gamma)

    def _get_closed_form_lr(self):
        return self._based(self.gamma**self.last_epoch)


class ConstantLR(LRScheduler):
    """Times factor until total_iters."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1, verbose="deprecated"):
        if not 0 <= factor <= 1.0:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor if self.last_epoch == self.total_iters else None)

    def _get_closed_form_lr(self):
        return self._based(self.factor + (self.last_epoch >= self.total_iters) * (1 - self.factor))


class LinearLR(LRScheduler):
    """From start_factor to end_factor in a straight line."""

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1, verbose="deprecated"
    ):
        if not 0 < start_factor <= 1.0:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if not 0 <= end_factor <= 1.0:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self.last_epoch > self.total_iters:
            return self._scaled(None)
        rise = self.end_factor - self.start_factor
        return self._scaled(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self):
        rise = self.end_factor - self.start_factor
        done = min(self.total_iters, self.last_epoch)
        return self._based(self.start_factor + rise * done / self.total_iters)


class CosineAnnealingLR(LRScheduler):
    """Half a cosine from the first rate down to eta_min. Loshchilov & Hutter 2017."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1, verbose="deprecated"):
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        now, low, half = self.last_epoch, self.eta_min, self.T_max
        groups = self.optimizer.param_groups
        if now == 0:
            return self._scaled(None)
        if self._step_count == 1 and now > 0:
            return self._on_the_curve(now * math.pi / half)
        if (now - 1 - half) % (2 * half) == 0:
            turn = 1 - math.cos(math.pi / half)
            return [group["lr"] + (base - low) * turn / 2 for base, group in zip(self.base_lrs, groups)]
        turn = (1 + math.cos(math.pi * now / half)) / (1 + math.cos(math.pi * (now - 1) / half))
        return [turn * (group["lr"] - low) + low for group in groups]

    def _on_the_curve(self, angle):
        return [self.eta_min + (base - self.eta_min) * (1 + math.cos(angle)) / 2 for base in self.base_lrs]

    def _get_closed_form_lr(self):
        return self._on_the_curve(math.pi * self.last_epoch / self.T_max)


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []

__getattr__ = absent_in("torch.optim.lr_scheduler", __all__)
