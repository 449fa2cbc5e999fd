"""What all learning rate schedulers share: counting steps, and setting the rate of each group."""

import functools
import warnings

from torch.optim.optimizer import Optimizer

_EPOCH_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. Please use "
    "`scheduler.step()` to step the scheduler. During the deprecation, if epoch is different from None, the closed form "
    "is used instead of the new chainable form, where available. Please open an issue if you are unable to replicate your "
    "use case: https://github.com/pytorch/pytorch/issues/new/choose."
)
_ORDER_WARNING = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in "
    "the opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch "
    "skipping the first value of the learning rate schedule. See more details at "
    "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


def checked_optimizer(optimizer):
    """The optimizer, if it is one."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
    return optimizer


def checked_verbose(verbose):
    """Whether a scheduler is to say what it does; PyTorch advises against it."""
    if verbose == "deprecated":
        return False
    warnings.warn(
        "The verbose parameter is deprecated. Please use get_last_lr() to access the learning rate.", UserWarning
    )
    return verbose


_LENGTHS = "{0} must have the same length as optimizer.param_groups. {0} has {2} values, param_groups has {1}."


def one_for_each_group(name, optimizer, value, message=_LENGTHS):
    """A list with a value for each group, from such a list or from one value for all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(message.format(name, groups, len(value)))
    return list(value)


def set_momentum(group, momentum):
    """Sets the momentum of SGD, or the first beta of Adam and its kin."""
    if "betas" in group:
        group["betas"] = (momentum, *group["betas"][1:])
    else:
        group["momentum"] = momentum


class LRScheduler:
    """Sets the learning rate of each group of an optimizer whenever `step` is called."""

    __module__ = "torch.optim.lr_scheduler"

    _get_lr_called_within_step = False

    def __init__(self, optimizer, last_epoch=-1, verbose="deprecated"):
        self.optimizer = checked_optimizer(optimizer)
        for place, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{place}] when resuming an optimizer"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.verbose = checked_verbose(verbose)
        self._initial_step()

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if cls.__module__.startswith("torch.optim."):
            cls.__module__ = LRScheduler.__module__
            if "get_lr" in cls.__dict__:
                cls.get_lr = _only_within_step(cls.get_lr)

    def _initial_step(self):
        self._step_count = 0
        self.step()

    def get_last_lr(self):
        """The learning rate of each group, as it is now."""
        return self._last_lr

    def get_lr(self):
        raise NotImplementedError

    def step(self, epoch=None):
        """Sets the rates of the next step, or of a step with this number."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", True):
            warnings.warn(_ORDER_WARNING, UserWarning)
        self._step_count += 1
        if epoch is None:
            self.last_epoch += 1
        else:
            warnings.warn(_EPOCH_WARNING, UserWarning)
            self.last_epoch = epoch
        closed = epoch is not None and hasattr(self, "_get_closed_form_lr")
        self._set_rates(self._get_closed_form_lr if closed else self.get_lr)

    def _set_rates(self, rates):
        self._get_lr_called_within_step = True
        try:
            rates = rates()
        finally:
            self._get_lr_called_within_step = False
        for group, lr in zip(self.optimizer.param_groups, rates):
            group["lr"] = lr
        self._last_lr = self._scaled(None)

    def _scaled(self, factor):
        """The rate of each group as it is, or times a factor."""
        rates = [group["lr"] for group in self.optimizer.param_groups]
        return rates if factor is None else [rate * factor for rate in rates]

    def _based(self, factor):
        """The first rate of each group times a factor."""
        return [base * factor for base in self.base_lrs]

    def state_dict(self):
        """All that is needed to go on later, but for the optimizer."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict):
        """Goes on from a state dict."""
        self.__dict__.update(state_dict)


def _only_within_step(get_lr):
    """`get_lr`, which computes the next rate from the present one and is not what a caller wants."""

    @functools.wraps(get_lr)
    def warned(self):
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=2,
            )
        return get_lr(self)

    return warned


class _LRScheduler(LRScheduler):
    """The name of LRScheduler before PyTorch 2.0."""
