"""Learning rate schedulers that go up and down."""

import math

from torch._arguments import only_defaults
from torch.optim._schedule import LRScheduler, checked_optimizer, one_for_each_group, set_momentum


class CosineAnnealingWarmRestarts(LRScheduler):
    """Cosines one after the other, each T_mult times as long. Loshchilov & Hutter 2017."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1, verbose="deprecated"):
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur = last_epoch
        super().__init__(optimizer, last_epoch, verbose)

    def get_lr(self):
        turn = 1 + math.cos(math.pi * self.T_cur / self.T_i)
        return [self.eta_min + (base - self.eta_min) * turn / 2 for base in self.base_lrs]

    def step(self, epoch=None):
        """Sets the rates of the next step, or of a step with this number, which may lie between two."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur -= self.T_i
                self.T_i *= self.T_mult
        else:
            epoch = 0 if epoch is None else epoch
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._go_to(epoch)
        self.last_epoch = math.floor(epoch)
        self._set_rates(self.get_lr)

    def _go_to(self, epoch):
        """Finds the cosine that a step lies in, and the place in it."""
        self.T_i, self.T_cur = self.T_0, epoch
        if epoch < self.T_0:
            return
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0
            return
        before = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
        self.T_cur = epoch - self.T_0 * (self.T_mult**before - 1) / (self.T_mult - 1)
        self.T_i = self.T_0 * self.T_mult**before


class OneCycleLR(LRScheduler):
    """Up to max_lr and down again, while momentum goes down and up. Smith & Topin 2018."""

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
        self.optimizer = checked_optimizer(optimizer)
        if total_steps is not None:
            self.total_steps = _positive(total_steps, "total_steps")
        elif epochs is not None and steps_per_epoch is not None:
            self.total_steps = _positive(epochs, "epochs") * _positive(steps_per_epoch, "steps_per_epoch")
        else:
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        only_defaults("OneCycleLR", three_phase=three_phase)
        self._schedule_phases = self._phases(pct_start)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_func_type = anneal_strategy
        highest = one_for_each_group("max_lr", optimizer, max_lr)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, highest):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
            self.use_beta1 = "betas" in optimizer.defaults
            least = one_for_each_group("base_momentum", optimizer, base_momentum)
            most = one_for_each_group("max_momentum", optimizer, max_momentum)
            for group, low, high in zip(optimizer.param_groups, least, most) if last_epoch == -1 else ():
                set_momentum(group, high)
                group["max_momentum"] = high
                group["base_momentum"] = low
        super().__init__(optimizer, last_epoch, verbose)

    def _phases(self, up):
        """Where each phase ends, and between which settings of a group it goes."""
        steps = self.total_steps
        low, high = "base_momentum", "max_momentum"
        rows = (float(up * steps) - 1, "initial_lr", "max_lr", high, low), (steps - 1, "max_lr", "min_lr", low, high)
        names = ("end_step", "start_lr", "end_lr", "start_momentum", "end_momentum")
        return [dict(zip(names, row)) for row in rows]

    def _between(self, start, end, part):
        if self._anneal_func_type == "linear":
            return (end - start) * part + start
        return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)

    def get_lr(self):
        now = self.last_epoch
        if now > self.total_steps:
            raise ValueError(
                f"Tried to step {now} times. The specified number of total steps is {self.total_steps}"
            )
        start = 0.0
        for phase in self._schedule_phases:
            if now <= phase["end_step"]:
                break
            start, before = phase["end_step"], start
        else:
            start = before
        part = (now - start) / (phase["end_step"] - start)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                ends = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self._between(*ends, part))
        return rates


def _positive(number, name):
    if not isinstance(number, int) or number <= 0:
        raise ValueError(f"Expected positive integer {name}, but got {number}")
    return number
