"""What all optimizers share: groups of parameters with their settings, and a state for each parameter."""

import collections
import functools

import _torch
import torch


def _noted(step):
    """A method `step` that remembers that it was called: schedulers warn if it was not."""
    if hasattr(step, "hooked"):
        return step

    @functools.wraps(step)
    def noted_step(self, *args, **kwargs):
        out = step(self, *args, **kwargs)
        self._opt_called = True
        return out

    noted_step.hooked = True
    return noted_step


class Optimizer:
    """Holds parameters in groups; a subclass defines how one parameter changes."""

    _opt_called = False

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        if "step" in cls.__dict__:
            cls.step = _noted(cls.__dict__["step"])

    def __init__(self, params, defaults):
        if isinstance(params, torch.Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                + torch.typename(params)
            )
        self.defaults = defaults
        self.state = collections.defaultdict(dict)
        self.param_groups = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _begin(self, given, order):
        """`__init__` with the parameters and settings among the local variables of a subclass's own, in this order."""
        Optimizer.__init__(self, given["params"], {name: given[name] for name in order.split()})

    @staticmethod
    def _check_betas(betas):
        for place, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {place}: {beta}")

    @staticmethod
    def _at_least_zero(value, name):
        if not 0.0 <= value:
            raise ValueError(f"Invalid {name}: {value}")

    def add_param_group(self, param_group):
        """Adds a group of parameters with its own settings."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        params = [params] if isinstance(params, torch.Tensor) else list(params)
        if params and isinstance(params[0], tuple):
            params = [param for _, param in params]
        for param in params:
            if not isinstance(param, torch.Tensor):
                raise TypeError(
                    "optimizer can only optimize Tensors, but one of the params is " + torch.typename(param)
                )
            if not param.is_leaf:
                raise ValueError("can't optimize a non-leaf Tensor")
        known = {id(param) for group in self.param_groups for param in group["params"]}
        if any(id(param) in known for param in params):
            raise ValueError("some parameters appear in more than one parameter group")
        settings = {name: param_group.get(name, value) for name, value in self.defaults.items()}
        self.param_groups.append({**param_group, "params": params, **settings})

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients of all parameters."""
        for group in self.param_groups:
            if set_to_none:
                _torch._forget_grads(group["params"])
                continue
            for param in group["params"]:
                if param.grad is not None:
                    param.grad.zero_()

    @_noted
    def step(self, closure=None):
        """Changes each parameter that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        with torch.no_grad():
            for group in self.param_groups:
                for param in self._without_fused(group):
                    grad = -param.grad if group.get("maximize") else param.grad
                    self._change(param, grad, group, self.state[param])
        return loss

    def _without_fused(self, group):
        """The parameters that `_change` must change; a subclass with a fused rule changes the others here."""
        return [param for param in group["params"] if param.grad is not None]

    def _change(self, param, grad, group, state):
        raise NotImplementedError(f"{type(self).__name__} does not say how a parameter changes")

    def state_dict(self):
        """State and settings; parameters are numbered."""
        numbers, groups = {}, []
        for group in self.param_groups:
            for param in group["params"]:
                numbers.setdefault(id(param), len(numbers))
            settings = {name: value for name, value in group.items() if name != "params"}
            groups.append({**settings, "params": [numbers[id(param)] for param in group["params"]]})
        state = {numbers.get(id(param), param): kept for param, kept in self.state.items()}
        return {"state": state, "param_groups": groups}

    def load_state_dict(self, state_dict):
        """Restores state and settings from a state dict."""
        import copy

        groups = state_dict["param_groups"]
        if len(groups) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, self.param_groups)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        params = [param for group in self.param_groups for param in group["params"]]
        numbers = [number for group in groups for number in group["params"]]
        by_number = dict(zip(numbers, params))
        self.state = collections.defaultdict(dict)
        for number, kept in state_dict["state"].items():
            self.state[by_number.get(number, number)] = copy.deepcopy(kept)
        for own, group in zip(self.param_groups, groups):
            own.update((name, value) for name, value in group.items() if name != "params")

    def __repr__(self):
        text = type(self).__name__ + " ("
        for place, group in enumerate(self.param_groups):
            text += f"\nParameter Group {place}\n"
            text += "".join(f"    {name}: {group[name]}\n" for name in sorted(group) if name != "params")
        return text + ")"
