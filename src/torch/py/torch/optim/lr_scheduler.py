"""Learning rate schedulers."""

import math

from torch._arguments import only_defaults

__all__ = (
    "ChainedScheduler ConstantLR CosineAnnealingLR CosineAnnealingWarmRestarts ExponentialLR LRScheduler LambdaLR LinearLR "
    "MultiStepLR MultiplicativeLR OneCycleLR PolynomialLR ReduceLROnPlateau SequentialLR StepLR"
).split()


class LRScheduler:
    """Sets the learning rate of each group of an optimizer whenever `step` is called."""

    def __init__(self, optimizer, last_epoch=-1, verbose="deprecated"):
        only_defaults(type(self).__name__, verbose=None if verbose == "deprecated" else verbose)
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._last_lr = [group["lr"] for group in optimizer.param_groups]
        self.step()

    def get_last_lr(self):
        """The learning rate of each group, as it is now."""
        return self._last_lr

    def step(self, epoch=None):
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        for group, lr in zip(self.optimizer.param_groups, self.get_lr()):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def _scaled(self, factor):
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def state_dict(self):
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        self.__dict__.update(state_dict)


_LRScheduler = LRScheduler


class LambdaLR(LRScheduler):
    """The first rate times a function of the step."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1, verbose="deprecated"):
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        return [base * factor(self.last_epoch) for factor, base in zip(self.lr_lambdas, self.base_lrs)]


class MultiplicativeLR(LambdaLR):
    """The rate before times a function of the step."""

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(1)
        groups = self.optimizer.param_groups
        return [group["lr"] * factor(self.last_epoch) for factor, group in zip(self.lr_lambdas, groups)]


class StepLR(LRScheduler):
    """Times gamma after every step_size steps."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1, verbose="deprecated"):
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        due = self.last_epoch > 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma if due else 1)


class MultiStepLR(LRScheduler):
    """Times gamma at each milestone."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1, verbose="deprecated"):
        self.milestones = list(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        return self._scaled(self.gamma ** self.milestones.count(self.last_epoch))


class ExponentialLR(LRScheduler):
    """Times gamma at every step."""

    def __init__(self, optimizer, gamma, last_epoch=-1, verbose="deprecated"):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        return self._scaled(self.gamma if self.last_epoch > 0 else 1)


class ConstantLR(LRScheduler):
    """Times factor until total_iters."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1, verbose="deprecated"):
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1.0 / self.factor if self.last_epoch == self.total_iters else 1)


class LinearLR(LRScheduler):
    """From start_factor to end_factor in a straight line."""

    def __init__(
        self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1, verbose="deprecated"
    ):
        self.start_factor = start_factor
        self.end_factor = end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self.last_epoch > self.total_iters:
            return self._scaled(1)
        rise = self.end_factor - self.start_factor
        return self._scaled(1.0 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))


class PolynomialLR(LRScheduler):
    """Down to 0 within total_iters, along a power of the steps that are left."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1, verbose="deprecated"):
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        now, end = self.last_epoch, self.total_iters
        if now == 0 or now > end:
            return self._scaled(1)
        return self._scaled(((1.0 - now / end) / (1.0 - (now - 1) / end)) ** self.power)


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
            return self._scaled(1)
        if (now - 1 - half) % (2 * half) == 0:
            turn = (1 - math.cos(math.pi / half)) / 2
            return [group["lr"] + (base - low) * turn for base, group in zip(self.base_lrs, groups)]
        turn = (1 + math.cos(math.pi * now / half)) / (1 + math.cos(math.pi * (now - 1) / half))
        return [turn * (group["lr"] - low) + low for group in groups]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosines one after the other, each T_mult times as long."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1, verbose="deprecated"):
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        turn = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * turn for base in self.base_lrs]

    def step(self, epoch=None):
        only_defaults("step", epoch=epoch)
        self.T_cur += 1
        if self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        super().step()


class OneCycleLR(LRScheduler):
    """Up to max_lr and down again, both along a cosine, while momentum goes down and up. Smith & Topin 2018."""

    def __init__(
        self,
        optimizer,
        max_lr,
        total_steps=None,
        epochs=None,
        steps_per_epoch=None,
        pct_start=0.3,
        anneal_strategy="cos",
        cycle_momentum=True,
        base_momentum=0.85,
        max_momentum=0.95,
        div_factor=25.0,
        final_div_factor=1e4,
        three_phase=False,
        last_epoch=-1,
        verbose="deprecated",
    ):
        only_defaults("OneCycleLR", three_phase=three_phase)
        if total_steps is None and (epochs is None or steps_per_epoch is None):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps = total_steps or epochs * steps_per_epoch
        self.top = max_lr
        self.first = max_lr / div_factor
        self.last = self.first / final_div_factor
        self.turn = float(pct_start * self.total_steps) - 1
        self.straight = anneal_strategy == "linear"
        self.cycle_momentum = cycle_momentum
        self.momenta = (max_momentum, base_momentum)
        if cycle_momentum:
            if not any("momentum" in group or "betas" in group for group in optimizer.param_groups):
                raise ValueError(
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
                )
            if last_epoch == -1:
                self._set_momentum(optimizer, max_momentum)
        super().__init__(optimizer, last_epoch, verbose)

    @staticmethod
    def _set_momentum(optimizer, momentum):
        for group in optimizer.param_groups:
            if "betas" in group:
                group["betas"] = (momentum, *group["betas"][1:])
            else:
                group["momentum"] = momentum

    def _between(self, start, end, part):
        if self.straight:
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self):
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        most, least = self.momenta
        if self.last_epoch <= self.turn:
            start, end, part = self.first, self.top, self.last_epoch / self.turn
        else:
            start, end = self.top, self.last
            most, least = least, most
            part = (self.last_epoch - self.turn) / (self.total_steps - 1 - self.turn)
        if self.cycle_momentum:
            self._set_momentum(self.optimizer, self._between(most, least, part))
        return [self._between(start, end, part)] * len(self.optimizer.param_groups)


class SequentialLR:
    """Schedulers one after the other, changed at milestones."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1, verbose="deprecated"):
        only_defaults("SequentialLR", verbose=None if verbose == "deprecated" else verbose)
        self.optimizer = optimizer
        self._schedulers = schedulers
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self):
        self.last_epoch += 1
        place = sum(self.last_epoch >= milestone for milestone in self._milestones)
        scheduler = self._schedulers[place]
        if place > 0 and self._milestones[place - 1] == self.last_epoch:
            scheduler.step(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def get_last_lr(self):
        return self._last_lr


class ChainedScheduler:
    """Several schedulers, all at every step."""

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        self._schedulers = schedulers
        self._last_lr = schedulers[-1].get_last_lr()

    def step(self):
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def get_last_lr(self):
        return self._last_lr


class ReduceLROnPlateau(LRScheduler):
    """Times factor when a measure has not improved for more than `patience` steps."""

    def __init__(
        self,
        optimizer,
        mode="min",
        factor=0.1,
        patience=10,
        threshold=1e-4,
        threshold_mode="rel",
        cooldown=0,
        min_lr=0,
        eps=1e-8,
        verbose="deprecated",
    ):
        only_defaults("ReduceLROnPlateau", verbose=None if verbose == "deprecated" else verbose)
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)) and len(min_lr) != groups:
            raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        self.best = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    @property
    def in_cooldown(self):
        return self.cooldown_counter > 0

    def is_better(self, a, best):
        """Whether a measure is better than the best so far, by more than the threshold."""
        sign = -1 if self.mode == "min" else 1
        if self.threshold_mode == "rel":
            needed = best * (1.0 + sign * self.threshold)
        else:
            needed = best + sign * self.threshold
        return a < needed if self.mode == "min" else a > needed

    def step(self, metrics, epoch=None):
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            for group, least in zip(self.optimizer.param_groups, self.min_lrs):
                lr = max(group["lr"] * self.factor, least)
                if group["lr"] - lr > self.eps:
                    group["lr"] = lr
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]


def __getattr__(name):
    from torch._names import missing

    raise missing("torch.optim.lr_scheduler", name, __all__)
