"""Watches the loop of a training: what `backward`, `step`, `zero_grad` and clipping do to the parameters, in which order.

`attn doctor` calls `install` before a program runs, and reads `report`. Nothing that the program computes changes.
"""

import builtins
import math
import re
import sys
from functools import partial

import _torch
import torch
import numpy
from _begun_anew import begun_anew, numbered
from _checks import compared, failed_checks, printed
from _events import Step, Watch, is_own, is_repeated, outermost, own_frame, place, place_in
from _held_out import note_rows, note_targets, shared_rows, trained_on
from _merged import watch_merges
from _models import begun_with, copied_tables, drops, listed, other_start, shared_layers, unused_layers
from _own_gradients import note_function, own_gradients
from _parameters import fingerprint, frozen_at_zero, has_gradient, left_out, note_alike, note_averages, never_reached, never_stepped, params_of, plain_numbers, unregistered
from _probe_values import as_json, unless_raised
from _schedules import factors_of_rate, fast_schedules, idle_schedules, note_angle, note_factor, note_rate, passed_schedules, risen_rates, scheduled as scheduled_by, slow_schedules, squared_rates, unread_rates, wrong_cosines, zero_rates
from _states import RECURRENT, forgotten, note_step
from _targets import no_logarithms, of_loss, padding_in_loss
from _written import begun, ended, follow
from torch import nn
from torch.nn import functional as F
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.optimizer import Optimizer

# The events of the program that runs; None before `install`.
_watch = None


def asked(method, module, /, *args, **kwargs):
    """Notes a model that the program itself prepares for training: one whose methods call its parts is never called."""
    watch, caller = _watch, sys._getframe(2)
    if is_own(caller) and len(watch.models) < 64 and all(module is not it for it in watch.models):
        watch.models.append(module)
        watch.asked_at[id(module)] = place_in(caller)
    return method(module, *args, **kwargs)


def _called(call, module, /, *args, **kwargs):
    watch = _watch
    known = begun(watch, module, type(module).forward, args, kwargs)
    outer, watch.depth = watch.depth == 0, watch.depth + 1
    # Copies that a check runs are no models of the program.
    if len(watch.called) < 4096 and id(module) not in watch.called and not is_repeated():
        # Before it runs: what it keeps from a call is no part of it.
        plain_numbers(watch, module)
        watch.called.add(id(module))
    if type(module) is nn.Embedding and args:
        if len(watch.looked_up) < 64:
            watch.looked_up.append((args[0], module))
        begun_with(watch, module, args[0], place())
        unless_raised(None, follow, watch, own_frame())
        watch.token = args[0]
    if outer:
        watch.inside = []
        tokens = numbered([*args, *kwargs.values()])
        # An output layer that is called by itself reads what was computed from the tokens; a loss is given the targets.
        is_model = next(module.parameters(), None) is not None
        if is_model:
            # A loss is a module too.
            watch.looked_up = []
        watch.tokens = is_model and tokens or watch.tokens
        if is_model and not is_repeated():
            # What cannot be watched is not reported.
            _torch._untraced(unless_raised, None, _noted, watch, module, args, kwargs)
        if len(watch.outer) < 64 and all(module is not it for it in watch.outer) and not is_repeated():
            watch.outer.append(module)
            copied_tables(watch, module, place())
    else:
        watch.inside.append(module)
    grad = torch.is_grad_enabled()
    if outer:
        watch.records = grad
    if len(watch.ran) < 4096 and (grad or watch.records):
        # What runs without gradients inside of a call that has them is cut off.
        watch.ran.add(id(module))
    try:
        out = call(module, *args, **kwargs)
        if isinstance(module, RECURRENT) and args:
            note_step(watch, module, args, kwargs, out, None if is_repeated() else place())
    finally:
        watch.depth -= 1
        if outer:
            _ended(module, watch)
    ended(watch, known, out)
    return out


def _noted(watch, module, args, kwargs):
    """Notes what a whole model is given."""
    at, frame = place(), own_frame()
    if frame is None:
        return
    note_rows(watch, module, [*args, *kwargs.values()], (at, outermost().f_code))
    if not torch.is_grad_enabled():
        begun_anew(watch, module, args, kwargs, frame, at)


def _ended(module, watch):
    inside, watch.inside = watch.inside, []
    at, grad = place(), torch.is_grad_enabled()
    if at is None or is_repeated():
        return
    if grad and len(watch.now.calls) < 16 and all(module is not known for known in watch.now.calls):
        watch.now.calls.append(module)
        own = {id(it) for it in module.modules()}
        for it in inside:
            if id(it) not in own and any(param.requires_grad for param in it.parameters()):
                if all(it is not known for known, _ in watch.strangers) and len(watch.strangers) < 64:
                    watch.strangers.append((it, module))
    elif not grad and len(watch.evaluated) < 64 and module.training and drops(module):
        if all(at != known for _, known in watch.evaluated):
            watch.evaluated.append((module, at))


def _backward(call, /, *args, **kwargs):
    watch = _watch
    at = place()
    # Calls that are repeated have no line.
    if at is not None:
        watch.backwards = (watch.backwards[0] + 1, at)
        loss = args[0] if args and isinstance(args[0], torch.Tensor) and args[0].numel() == 1 else None
        if loss is not None and bool(loss.detach().isnan()):
            observed = f"The loss is nan when backward() runs for time {watch.backwards[0]}: all gradients are nan, and so are the parameters after the step."
            watch.add("nan", at, observed, "print the loss of each step: where it grows before, the scores, the learning rate or a division is too large")
    # Gradients that the last step of an optimizer has used, and that nothing has cleared.
    watch.stale = {key: params for key, params in watch.stale.items() if any(has_gradient(param) for param in params)}
    watch.grown = {key: known for key, known in watch.grown.items() if any(has_gradient(param) for param in known[1])}
    stale = [(key, param, param.grad.clone()) for key, params in watch.stale.items() for param in params[:4] if has_gradient(param)]
    by_hand = [] if watch.optimizers else leaves_of(args)
    known = [(leaf, grad) for leaf, grad, value in watch.leaves if leaf.grad is not None and torch.equal(leaf.grad, grad) and not torch.equal(leaf, value)]
    if at is not None and loss is not None:
        watch.now.whole[at] = watch.now.whole.get(at, 0) + is_whole(watch, loss)
    out = call(*args, **kwargs)
    watch.leaves = [(leaf, leaf.grad.clone(), leaf.detach().clone()) for leaf in by_hand if has_gradient(leaf)]
    if any(has_gradient(leaf) and not torch.equal(leaf.grad, grad) for leaf, grad in known):
        _not_zeroed(watch, at)
    for key, param, old in stale:
        # Another model may be trained through this one: what counts is that its own next step uses the sum.
        if key in watch.stale and param.grad is not None and not torch.equal(param.grad, old):
            watch.grown[key] = (at, watch.stale.pop(key))
    watch.reading = {}
    if watch.now.whole.get(at, 0) > 1:
        used = next((param for optimizer, _ in watch.optimizers for param in params_of(optimizer)[:8] if has_gradient(param)), None)
        watch.now.gradient = used is not None and (used, used.grad.clone())
    watch.now.backward, watch.now.zeroed = at, None
    return out


def is_whole(watch, loss):
    """Whether a loss is a mean, or a sum of losses, and neither divided nor scaled."""
    name = loss.grad_fn.name() if loss.grad_fn is not None else ""
    return not watch.sums and name.startswith(("Nll", "Mean", "Mse", "Add", "BinaryCross"))


def note_sums(watch):
    """At a step: whether the gradients of one line were summed, as often as a variable says that they are accumulated, and
    nothing has divided them."""
    line, times = next(iter(watch.now.whole.items()), (None, 0))
    param, last = watch.now.gradient or (None, None)
    if times < 2 or len(watch.now.whole) > 1 or param is None or torch.allclose(param.grad * times, last):
        return
    frame = own_frame()
    known = {**frame.f_globals, **frame.f_locals}
    # The settings of a run are attributes of an object, or entries of a dict.
    held = [it if type(it) is dict else getattr(it, "__dict__", {}) for it in known.values() if not isinstance(it, type(re))]
    counts = (str(name) for names in (known, *held) for name, value in list(names.items()) if type(value) is int and value == times)
    if not any(re.search("accum|(^|_)acc(_|$)", name.lower()) for name in counts):
        return
    observed = f"backward() ran here {times} times before a step, on a loss that is a mean: the step uses {times} times the mean of the gradients."
    why = "A step is then so many times as large, and clipping cuts so much more, as with one batch of all samples."
    watch.add("gradients-not-zeroed", line, observed, f"(loss / {times}).backward()", "gradients of several batches are summed, not averaged", why)


def _not_zeroed(watch, at):
    observed = "The gradients that the last step used are still there: this call adds to them."
    watch.add("gradients-not-zeroed", at, observed, "optimizer.zero_grad() before loss.backward(), or param.grad = None")


def leaves_of(args):
    """The parameters that a loss depends on, four at most."""
    tensors = args[0] if args and isinstance(args[0], (list, tuple)) else args[:1]
    open_, seen, found = [tensor.grad_fn for tensor in tensors if isinstance(tensor, torch.Tensor)], set(), []
    while open_ and len(found) < 4 and len(seen) < 500:
        node = open_.pop()
        if node is None or id(node) in seen:
            continue
        seen.add(id(node))
        if getattr(node, "variable", None) is not None:
            found.append(node.variable)
        open_ += [before for before, _ in node.next_functions]
    return found


def _idle(watch, now, params):
    """Notes which parameters have a gradient at a step, of the modules that ran."""
    held = {id(param) for param in params}
    for module in now.calls:
        for prefix, owner in module.named_modules():
            for name, param in owner._parameters.items():
                if param is None or not param.requires_grad or id(param) not in held or id(param) in watch.moved:
                    continue
                if has_gradient(param):
                    watch.moved.add(id(param))
                elif id(owner) in watch.ran and (param.dim() >= 2 or param.grad is None):
                    steps = watch.idle[id(param)][3] if id(param) in watch.idle else 0
                    watch.idle[id(param)] = (param, f"{prefix}.{name}".lstrip("."), module, steps + 1)
    watch.ran = set()


def _stepped(optimizer, call, args, kwargs):
    watch = _watch
    at, params = place(), params_of(optimizer)
    now = watch.now
    if getattr(optimizer, "_watched_steps", 0) < 64:
        _idle(watch, now, params)
    if watch.lost is not None and now.backward and now.zeroed is None and len(watch.losses_of_gradients) < 8:
        watch.losses_of_gradients.append(watch.lost)
    watch.lost = None
    if max(now.whole.values(), default=0) > 1:
        _torch._untraced(unless_raised, None, note_sums, watch)
    reached = [param for param in params if param.grad is not None]
    if now.backward and not any(has_gradient(param) for param in params):
        if now.zeroed:
            observed = "zero_grad() ran between backward() and this step: no parameter has a gradient, so none changes."
            watch.add("gradients-cleared", at, observed, "zero_grad(), then loss.backward(), then step()")
        elif not reached:
            observed = "After this backward() no parameter of the optimizer has a gradient: the loss does not depend on them."
            watch.add("loss-cut-off", now.backward, observed, "a loss that is computed from the model's output, without detach() and .item()")
    if getattr(optimizer, "_watched_steps", 0) < 64:
        _torch._untraced(unless_raised, None, note_averages, watch, now.calls)
    for module in now.calls:
        own = {id(param) for param in module.parameters()}
        if watch.in_eval is None and not module.training and any(id(param) in own for param in params) and drops(module):
            watch.in_eval = (module, at)
    for module in now.calls:
        if len(watch.reached) > 4096:
            break
        for name, param in module.named_parameters():
            if param.grad is not None and param.requires_grad and id(param) not in watch.reached:
                watch.reached[id(param)], watch.first[id(param)] = (param, name, module), (module.training, fingerprint(param))
    watch.now, watch.steps = Step(), watch.steps + 1
    optimizer._watched_steps = getattr(optimizer, "_watched_steps", 0) + 1
    if optimizer._watched_steps == 1:
        _torch._untraced(note_alike, watch, params, now.calls, at)
    if optimizer._watched_steps == 3:
        _torch._untraced(frozen_at_zero, watch, now.calls, at)
    if optimizer._watched_steps <= 2:
        _torch._untraced(shared_rows, watch, own_frame(), at)
    note_rate(watch, optimizer, at, own_frame())
    if id(optimizer) in watch.grown:
        _not_zeroed(watch, watch.grown.pop(id(optimizer))[0])
    out = call(optimizer, *args, **kwargs)
    watch.stale[id(optimizer)] = reached[:8]
    return out


def _zeroed(zero, /, *args, **kwargs):
    watch = _watch
    # Gradients that no step has used are gone.
    if watch.now.backward is not None and watch.now.zeroed is None:
        watch.lost = place()
    watch.now.zeroed = place()
    own = {id(param) for param in (params_of(args[0]) if isinstance(args[0], Optimizer) else args[0].parameters())}
    is_own_grad = lambda params: any(id(param) in own for param in params)
    watch.stale = {key: params for key, params in watch.stale.items() if not is_own_grad(params)}
    watch.grown = {key: known for key, known in watch.grown.items() if not is_own_grad(known[1])}
    return zero(*args, **kwargs)


def _clipped(clip, /, parameters, *args, **kwargs):
    watch = _watch
    parameters = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    if not parameters and place() is not None:
        observed = "What is clipped has no parameters: a generator, as model.parameters() returns it, is empty once something has read it."
        watch.add("clipping-without-effect", place(), observed, "nn.utils.clip_grad_norm_(model.parameters(), 1.0)")
    if watch.now.backward is not None:
        watch.clipped = True
    elif watch.early is None:
        watch.early = (place(), watch.steps > 0 and watch.now.zeroed is None)
    return clip(parameters, *args, **kwargs)


def _loaded(load, module, /, state_dict, *args, **kwargs):
    """State that shares its memory with the module that loads it, and was kept before the last step."""
    watch = _watch
    own = {it.data_ptr() for it in [*module.parameters(), *module.buffers()]}
    given = [it for it in state_dict.values() if isinstance(it, torch.Tensor) and it.is_floating_point() and it.dim() >= 2]
    # Another dict may have the same tensors, under other names.
    ids = {id(it) for it in state_dict.values()}
    kept = next((steps for known, steps in watch.states if known is state_dict or any(id(it) in ids for it in known.values())), 0)
    # One that is kept again and again is the best so far, whichever it was this time.
    is_lost = kept < watch.steps or len({steps for _, steps in watch.states}) > 1
    if watch.steps and is_lost and given and all(it.data_ptr() in own for it in given):
        observed = f"The state that {type(module).__name__} loads is its own: state_dict() returns the parameters themselves, and each step since has changed them."
        watch.add("state-is-own", place(), observed, "copy what is kept: copy.deepcopy(model.state_dict())")
    result = load(module, state_dict, *args, **kwargs)
    own = module.state_dict().keys()
    if own and state_dict and not own & state_dict.keys():
        observed = f"The state has {len(state_dict)} entries ({', '.join(list(state_dict)[:3])}), and none has the name of one of {type(module).__name__}: nothing is loaded."
        watch.add("nothing-loaded", place(), observed, "look at what load_state_dict returns; the weights may be an entry of a checkpoint: checkpoint['model']")
    return result


def _named(set_attribute, param, name, value, /):
    """An attribute that is set to a parameter, and that only looks like one that parameters have."""
    if not hasattr(param, name) or callable(getattr(param, name)):
        from difflib import get_close_matches

        near = get_close_matches(name, ["requires_grad", "grad", "data"], 1, 0.85)
        if near:
            observed = f"A parameter gets the attribute {name}, which nothing reads: parameters have {near[0]}."
            _watch.add("option-unread", place(), observed, f"param.{near[0]}")
    set_attribute(param, name, value)


def _made(init, optimizer, /, params, defaults, *rest, **more):
    init(optimizer, params, defaults, *rest, **more)
    _watch.optimizers.append((optimizer, place()))
    _watch.rates[id(optimizer)] = optimizer.defaults.get("lr")
    step = type(optimizer).step
    optimizer.step = lambda *args, **kwargs: _stepped(optimizer, step, args, kwargs)
    optimizer.step.__dict__.update(hooked=True)


def _loss(entropy, /, input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0):
    # What is not added up here is chosen from afterwards.
    at = place()
    _watch.sums = _watch.sums or reduction == "sum"
    _torch._untraced(note_targets, _watch, target)
    _torch._untraced(of_loss, _watch, input, target, ignore_index if reduction != "none" else None, at)
    forgotten(_watch, target)
    return entropy(input, target, weight, size_average, ignore_index, reduce, reduction, label_smoothing)


def _likelihood(likelihood, /, input, target, *args, **kwargs):
    no_logarithms(_watch, "nll_loss", input, 1, place())
    forgotten(_watch, target)
    return likelihood(input, target, *args, **kwargs)


def _divergence(divergence, /, input, *args, **kwargs):
    no_logarithms(_watch, "kl_div", input, -1, place())
    return divergence(input, *args, **kwargs)


def _kept(state_dict, module, /, *args, **kwargs):
    found = state_dict(module, *args, **kwargs)
    if not args and not kwargs:
        _watch.states = [*_watch.states[-15:], (found, _watch.steps)]
    return found


def _scheduled(step, schedule, /, *args, **kwargs):
    return scheduled_by(_watch, schedule, place(), step, args, kwargs)


def _started(init, schedule, /, *args, **kwargs):
    # A schedule makes its first step itself.
    _watch.scheduling += 1
    try:
        init(schedule, *args, **kwargs)
    finally:
        _watch.scheduling -= 1
    note_factor(_watch, schedule)
    if _watch.scheduling == 0 and place() is not None and not is_repeated():
        _watch.made_schedules.append((schedule, place()))


def wrap(owner, name, around):
    """Has `around` called in place of a function or a method, with the function before its arguments."""
    call = getattr(owner, name)

    def wrapped(*args, **kwargs):
        return around(call, *args, **kwargs)

    setattr(owner, name, wrapped)


def _applied(apply, cls, /, *args):
    if place() is not None and not is_repeated():
        _torch._untraced(note_function, _watch, cls, args)
    return apply(cls, *args)


def install():
    """Begins to watch; what was seen before is forgotten."""
    global _watch
    if _watch is not None:
        return
    _watch = Watch()
    watch_merges(_watch)
    wrap(nn.Module, "__call__", _called)
    for name in ("train", "eval", "parameters"):
        wrap(nn.Module, name, asked)
    wrap(nn.Module, "state_dict", _kept)
    wrap(nn.Module, "load_state_dict", _loaded)
    wrap(nn.Module, "zero_grad", _zeroed)
    wrap(nn.Parameter, "__setattr__", _named)
    wrap(Optimizer, "__init__", _made)
    wrap(Optimizer, "zero_grad", _zeroed)
    wrap(LRScheduler, "__init__", _started)
    wrap(LRScheduler, "step", _scheduled)
    wrap(torch.autograd, "backward", _backward)
    apply = torch.autograd.Function.apply.__func__
    torch.autograd.Function.apply = classmethod(lambda cls, *args: _applied(apply, cls, *args))
    wrap(F, "cross_entropy", _loss)
    wrap(F, "nll_loss", _likelihood)
    wrap(F, "kl_div", _divergence)
    wrap(nn.utils, "clip_grad_norm_", _clipped)
    wrap(nn.utils, "clip_grad_value_", _clipped)
    for owner, names in ((torch, ("allclose", "equal")), (numpy, ("allclose", "array_equal"))):
        for name in names:
            wrap(owner, name, partial(compared, _watch))
    wrap(builtins, "print", partial(printed, _watch))
    wrap(math, "cos", partial(note_angle, _watch))


def report():
    """What was found since `install`, as JSON."""
    watch = _watch
    if watch is None:
        return "[]"
    for examine in (unused_layers, never_stepped, shared_layers, own_gradients, failed_checks):
        examine(watch)
    if watch.steps:
        first = (other_start, left_out, fast_schedules, slow_schedules, factors_of_rate, risen_rates, squared_rates, trained_on, zero_rates, unread_rates)
        for examine in (*first, idle_schedules, passed_schedules, wrong_cosines, unregistered):
            examine(watch)
        if len(watch.losses_of_gradients) > 1:
            observed = "zero_grad() ran between two calls of backward() that come before the same step: the step uses the gradients of the last call only."
            watch.add("gradients-cleared", watch.losses_of_gradients[0], observed, "zero_grad() once for each step, before the first backward() or after the step")
        never_reached(watch)
        if watch.early is not None and not watch.clipped:
            at, late = watch.early
            when = "after the step that used them" if late else "before backward() has computed them"
            watch.add("clipping-without-effect", at, f"Gradients are clipped {when}, and at no other time.", "loss.backward(), then clip, then optimizer.step()")
        if watch.in_eval is not None:
            module, at = watch.in_eval
            observed = f"{type(module).__name__} has dropout, and is in evaluation mode while it is trained."
            watch.add("trained-in-eval", at, observed, "model.train() before each epoch")
        trained = {id(param) for optimizer, _ in watch.optimizers for param in params_of(optimizer)}
        for module, at in watch.evaluated:
            if any(id(param) in trained for param in module.parameters()):
                observed = f"{type(module).__name__} runs without gradients in training mode: its dropout is active while it is evaluated, or while it writes text."
                watch.add("evaluated-with-dropout", at, observed, "model.eval() before, model.train() after")
        for at, classes, targets, ignored in watch.losses:
            padding_in_loss(watch, at, classes, targets, ignored)
        switched = [type(it).__name__ for outer in watch.outer for it in outer.modules() if "requires_grad" in vars(it)]
        if switched and watch.optimizers:
            observed = f"{listed(switched)} got an attribute requires_grad, which modules do not have: its parameters are trained as before."
            watch.add("option-unread", watch.optimizers[0][1], observed, "module.requires_grad_(False)")
        for optimizer, at in watch.optimizers:
            own = vars(optimizer)
            if "lr" in own and own["lr"] is not optimizer.defaults.get("lr"):
                watch.add("option-unread", at, "The optimizer got an attribute lr, which nothing reads.", 'for group in optimizer.param_groups: group["lr"] = rate')
            if optimizer.defaults.get("lr") != watch.rates.get(id(optimizer)):
                observed = "The rate is written into optimizer.defaults, which nothing reads after the optimizer is made."
                watch.add("option-unread", at, observed, 'for group in optimizer.param_groups: group["lr"] = rate')
    found = [
        {"mistake": mistake, "cell": at[0], "line": at[1], "function": at[2], "observed": observed, "fix": fix, "title": title, "why": why}
        for mistake, at, observed, fix, title, why in watch.found
    ]
    watch.found = []
    return as_json(found)
