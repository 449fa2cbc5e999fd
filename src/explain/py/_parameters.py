"""What is examined of the parameters at the end of a training: those that no optimizer has, and those without a gradient."""

import _torch
import torch
from _models import listed, place_of, trained_models
from _probe_values import figure


def params_of(optimizer):
    return [param for group in optimizer.param_groups for param in group["params"]]


def has_gradient(param):
    return param.grad is not None and bool((param.grad != 0).any())


def note_averages(watch, trained):
    """At a step: how much of a trained model went into another one of its class since the last step, and whether an average of
    both keeps the smaller part of itself, the same in each of three steps. A share that changes is one that begins."""
    held = {id(param) for optimizer, _ in watch.optimizers for param in params_of(optimizer)}
    for module in watch.models:
        own = list(module.parameters())
        other = next((it for it in trained if type(it) is type(module) and it is not module), None)
        if other is None or any(id(param) in held for param in own):
            continue
        at = max(range(len(own)), key=lambda at: own[at].dim())
        average, param = own[at].detach(), list(other.parameters())[at].detach()
        before, shares = watch.averages.get(id(module), (None, []))
        if before is not None:
            way, moved = param - before, average - before
            share = float((moved * way).sum() / (way * way).sum())
            is_between = float((moved - share * way).abs().max()) <= 1e-3 * float(way.abs().max())
            shares = [*shares[-2:], share] if is_between else []
        watch.averages[id(module)] = average.clone(), shares
        if len(shares) == 3 and max(shares) - min(shares) < 1e-3 and 0.5 < shares[0] < 0.999:
            observed = f"At each step this model becomes {figure(1 - shares[0])} times itself and {figure(shares[0])} times the trained one: it has forgotten what it averages after a few steps."
            watch.add("average-corrected-wrongly", watch.asked_at[id(module)], observed, "average.mul_(decay).add_(param, alpha=1 - decay), with a decay near 1", "an average of weights keeps the smaller part of itself", "An average over many steps is smoother than the last weights. With the shares exchanged it is nearly a copy of them.")


def left_out(watch):
    """Parameters whose gradient is computed and that no optimizer has, although it has others of the same model."""
    held = {id(param) for optimizer, _ in watch.optimizers for param in params_of(optimizer)}
    for module in trained_models(watch):
        names = []
        for prefix, owner in module.named_modules():
            own = [(name, param) for name, param in owner._parameters.items() if param is not None and param.requires_grad]
            missing = [name for name, param in own if id(param) not in held and id(param) in watch.reached]
            names += [f"{prefix}.{name}".lstrip(".") for name in missing]
        # A model none of whose parameters an optimizer has may be trained elsewhere, or not at all.
        if not any(id(param) in held for param in module.parameters()) and not is_left_as_it_is(watch, module):
            continue
        if names and watch.optimizers:
            at = watch.optimizers[0][1]
            observed = f"{listed(names)}: the gradient is computed at each step, and no optimizer has the parameter."
            watch.add("parameters-not-trained", at, observed, "all of model.parameters() in the groups of the optimizer")
    for stranger, module in watch.strangers:
        params = [param for param in stranger.parameters() if param.requires_grad]
        if watch.steps and any(has_gradient(param) for param in params) and not any(id(param) in held for param in params):
            outer = any(stranger is not other and any(stranger is it for it in other.modules()) for other, _ in watch.strangers)
            if not outer:
                observed = f"A {type(stranger).__name__} that {type(module).__name__} calls is no part of it, so parameters() does not have its weights and no optimizer trains them."
                watch.add("parameters-not-trained", watch.optimizers[0][1], observed, "nn.ModuleList([...]) in place of a list")
                break


def frozen_at_zero(watch, models, at):
    """At a step: matrices of the models that ran which are 0 and frozen. What they are given has no effect, and never will."""
    names = [name for model in models for name, it in model.named_parameters() if it.dim() >= 2 and not it.requires_grad and not bool(it.any())]
    if names:
        observed = f"{listed(names)}: all 0 after two steps, and requires_grad is False."
        why = "A matrix that begins with 0 has an effect once it is trained; frozen, it makes 0 of all that it is given."
        watch.add("parameters-not-trained", at, observed, "freeze the model first, and then add what is to be trained", "a matrix is 0 and frozen", why)


def is_left_as_it_is(watch, module):
    """Whether a model is in training mode, has a gradient at each step, and is never changed."""
    own = [param for param in module.parameters() if id(param) in watch.reached]
    return watch.steps >= 3 and bool(own) and all(watch.first.get(id(it)) == (True, fingerprint(it)) for it in own)


def fingerprint(param):
    return float(param.detach().double().sum())


def never_reached(watch):
    """Parameters of an optimizer whose layer ran in each step, and whose gradient was never anything but 0. Where gradients are
    cleared or the loss is cut off, that is the reason."""
    if any(mistake in ("gradients-cleared", "loss-cut-off") for mistake, *_ in watch.found):
        return
    idle = [(param, name) for param, name, _, steps in watch.idle.values() if steps >= 3]
    names = [name for param, name in idle if id(param) not in watch.moved]
    if names and watch.optimizers:
        observed = f"{listed(names)}: the layer ran in each of the steps, and no step had a gradient for it. The loss does not depend on its result."
        watch.add("parameters-not-reached", watch.optimizers[0][1], observed, "use what the layer returns: x = layer(x); a product of two factors needs one that is not 0")


def note_alike(watch, params, models, at):
    """Parameters whose rows, or whose columns, are all equal at the first step, and have the same gradient: they stay equal."""
    names = {id(param): name for model in models for name, param in model.named_parameters()}
    for place, param in enumerate(params):
        value = param.detach().squeeze()
        if value.dim() != 2 or min(value.shape) < 2 or not has_gradient(param):
            continue
        grad = param.grad.detach().squeeze()
        largest = float(grad.abs().max())
        for axis, what in ((0, "rows"), (1, "columns")):
            same = lambda numbers, far: float((numbers - numbers.narrow(axis, 0, 1)).abs().max()) <= far
            if same(value, 0.0) and same(grad, 1e-5 * largest):
                name = names.get(id(param), f"parameter {place} of the optimizer")
                observed = f"{name}: its {value.shape[axis]} {what} are equal before the first step and have the same gradient. They stay equal, and are worth one."
                watch.add("rows-stay-equal", at, observed, "begin with random numbers: nn.init.xavier_uniform_(...), or torch.randn(...) * 0.02")
                return


def never_stepped(watch):
    """An optimizer whose parameters got gradients several times, and that made no step, nor another one of the same parameters."""
    count, at = watch.backwards
    stepped = {id(param) for optimizer, _ in watch.optimizers if getattr(optimizer, "_watched_steps", 0) for param in params_of(optimizer)}
    idle = [params_of(optimizer) for optimizer, _ in watch.optimizers]
    idle = [params for params in idle if not any(id(param) in stepped for param in params)]
    if count >= 3 and any(has_gradient(param) for params in idle for param in params):
        watch.add("never-stepped", at, f"backward() ran {count} times, and step() of the optimizer not once.", "optimizer.step() after loss.backward()")


def plain_numbers(watch, model):
    """Notes random numbers that the parts of a model keep as they are: neither parameters nor buffers."""
    for module in model.modules():
        if type(module).__module__.startswith("torch"):
            continue
        for name, value in list(vars(module).items()):
            if type(value) is torch.Tensor and value.is_floating_point() and (value.numel() > 1 or value.requires_grad) and len(watch.plain) < 64:
                at = _torch._drawn_at(value)
                is_known = any(module is known and name == other for known, other, _ in watch.plain)
                # What requires a gradient is meant to be trained, whatever its numbers are; a row of ones that forward reads too.
                is_meant = value.is_leaf if value.requires_grad else at is not None or is_idle(module, name)
                if is_meant and not is_known:
                    watch.plain.append((module, name, at))


def is_idle(module, name):
    """Whether a part keeps a row of ones that its forward reads: multiplied by it, nothing changes."""
    value, forward = getattr(module, name, None), getattr(getattr(type(module), "forward", None), "__code__", None)
    return isinstance(value, torch.Tensor) and value.dim() == 1 and bool((value == 1).all()) and forward is not None and name in forward.co_names


def unregistered(watch):
    """Numbers of a trained model that were drawn or require a gradient, that nothing trains, and that its state does not have."""
    parts = {id(part) for model in trained_models(watch) for part in model.modules()}
    held = {id(param) for optimizer, _ in watch.optimizers for param in params_of(optimizer)}
    for module, name, drawn in watch.plain:
        # An adapter that was merged is no part any more.
        is_part = id(module) in parts or any(id(param) in watch.reached for param in module.parameters())
        value = getattr(module, name, None)
        if not is_part or id(value) in held:
            continue
        if drawn is None and not getattr(value, "requires_grad", False) and not is_idle(module, name):
            continue
        what = "numbers that require a gradient" if value is None or value.requires_grad else "ones that nothing changes"
        place = place_of(getattr(type(module).__init__, "__code__", None))
        if drawn is not None:
            line, cell = drawn.split(" ", 1)
            what, place = "numbers that were drawn here", (cell, int(line), "__init__")
        observed = f"{type(module).__name__} keeps {name}, {what}, as a plain tensor: parameters() does not have it, and neither has state_dict()."
        watch.add("numbers-unregistered", place, observed, f"self.{name} = nn.Parameter(...) to train it, or self.register_buffer({name!r}, ...) to keep it")
