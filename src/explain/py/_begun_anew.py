"""Text that a model writes while it still keeps what it read of the text before."""

import copy

import torch
from _cached import is_object
from _call import copied
from _models import drops
from _probe_values import figure, first_tensor, is_tokens

# Texts of fewer calls may be no texts.
FEWEST_CALLS = 3


class Text:
    """The calls of a model in one call of the program's function that writes a text."""

    def __init__(self, frame, args, state, caches):
        self.frame, self.calls, self.state, self.caches = frame, 1, state, caches
        # How many calls with one token each came last.
        self.singles = 0
        self.starts = [it for it in args if type(it) is int]
        self.tokens = texts_in(args)


def numbered(args):
    """The tensors among arguments that hold numbers of tokens."""
    return [it for it in args if isinstance(it, torch.Tensor) and is_tokens(it) and it.dtype != torch.bool]


def texts_in(args):
    return next((it for it in numbered(args) if it.dim() >= 2), None)


def state_of(module):
    """What the parts of a module keep, besides parameters, buffers and parts: where, and the values."""
    plain = lambda part: {name: copy.copy(value) if isinstance(value, (list, dict)) else value for name, value in vars(part).items() if not name.startswith("_") and name != "training"}
    return [(part, plain(part)) for part in module.modules()]


def is_same(one, other):
    return len(one) == len(other) and all(
        a is b and mine.keys() == own.keys() and all(mine[name] is own[name] or type(mine[name]) is int and mine[name] == own[name] for name in mine)
        for (a, mine), (b, own) in zip(one, other)
    )


def begun_anew(watch, module, args, kwargs, frame, at):
    """Notes a call without gradients. At the first call of a later text: whether its output is another one than with what the
    model kept when the first text began."""
    given = [*args, *kwargs.values()]
    tokens, key = texts_in(given), (id(module), id(frame.f_code))
    known = watch.texts.get(key)
    caches = [it for it in given if isinstance(it, list) or is_object(it)]
    if tokens is None or key in watch.examined_texts or len(watch.texts) > 64:
        return
    # In one call of the function a text begins where several tokens are read after single ones.
    if known is not None and known.frame is frame and (known.singles < FEWEST_CALLS or tokens.shape[1] < FEWEST_CALLS):
        known.calls, known.singles = known.calls + 1, known.singles + 1 if tokens.shape[1] == 1 else 0
        return
    # A cache that is passed, and what it was before the first text.
    kept = {id(it): (it, copied({0: it})[0]) for it in caches} if known is None else known.caches
    text = Text(frame, given, state_of(module) if known is None else known.state, kept)
    watch.texts[key] = text
    if known is None or known.calls < FEWEST_CALLS or known.tokens is None:
        return
    passed = [it for it in caches if id(it) in kept]
    if not passed and is_same(known.state, state_of(module)):
        return
    # One token that goes on with the text is no beginning.
    is_prompt = tokens.shape[1] > 1 or known.tokens.shape[1] == 1 and bool((tokens == known.tokens.flatten()[0]).all())
    if not (is_prompt or text.starts and text.starts == known.starts):
        return
    watch.examined_texts.add(key)
    if module.training and drops(module):
        return
    function = type(module).forward
    now = output_of(module, function, args, kwargs, None)
    as_before = lambda value: kept[id(value)][1] if id(value) in kept else value
    fresh = output_of(module, function, [as_before(it) for it in args], {name: as_before(it) for name, it in kwargs.items()}, known.state)
    if now is None or fresh is None or now.shape != fresh.shape:
        return
    far = float((now.double() - fresh.double()).abs().max())
    if far > 1e-3 * float(fresh.abs().max()):
        keeps = f"the {type(passed[0]).__name__} that {type(module).__name__} is given still has" if passed else f"{type(module).__name__} still keeps"
        observed = f"A second text begins, and {keeps} what was read of the one before: the first outputs differ by {figure(far)} from those with nothing kept."
        watch.add("cache-differs", at, observed, "empty the cache before each text: reset_cache(), or a new cache")


def output_of(module, function, args, kwargs, state):
    """What a function of a copy of a module returns, with what its parts kept at another time."""
    arguments = copied({0: module, **dict(enumerate(args, 1)), **kwargs})
    twin = arguments.pop(0)
    if state and [id(it) for it, _ in state] != [id(it) for it in module.modules()]:
        return None
    for part, values in zip(twin.modules(), state or []):
        for name in list(vars(part)):
            if not name.startswith("_") and name != "training" and name not in values[1]:
                del vars(part)[name]
        # A flag, such as one for weights that are merged, is none of a text.
        vars(part).update({name: value for name, value in values[1].items() if type(value) is not bool})
    placed = [arguments.pop(at) for at in range(1, len(args) + 1)]
    with torch.random.fork_rng():
        return first_tensor(function(twin, *placed, **arguments))
