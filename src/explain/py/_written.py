"""Text that a model writes token by token, beside what it says of the same text at once."""

import functools
import inspect

import _torch
import torch
from _begun_anew import output_of, state_of
from _call import moves
from _events import is_repeated, own_frame, place_in
from _models import drops
from _probe_values import figure, first_tensor, is_tokens, parts_of, unless_raised, with_change
from torch import nn

# So many tokens were chosen when a text is compared; more than the last are not.
COMPARED_AT = (2, 4, 8, 12, 16, 24, 32, 48)
# So many texts of each model are followed.
MOST_TEXTS = 6
# A larger difference, relative to the largest output, is neither rounding nor a cache of fewer bits.
FAR = 0.02


class Written:
    """A text that a model reads in the calls of one function, and its last outputs then: (tokens that were read, outputs, rows of
    the batch that go on with what was chosen from them)."""

    def __init__(self, function, frame, bound, name):
        self.function, self.frame, self.name = function, frame, name
        # What all calls were given; a position is the first one.
        self.given = dict(bound)
        self.tokens, self.last, self.outputs, self.chosen, self.is_open = None, None, [], 0, True


def text_of(bound):
    """The argument that holds tokens: its name, and (text, token)."""
    for name, value in bound.items():
        if isinstance(value, torch.Tensor) and is_tokens(value) and value.dtype != torch.bool and value.dim() in (1, 2):
            return name, value[:, None] if value.dim() == 1 else value
    return None, None


def follow(watch, frame):
    """Has the method that runs in a frame followed, where it is one of a model: what reads one token may be no `forward`."""
    code, local = frame.f_code, frame.f_locals
    model = local.get(code.co_varnames[0]) if code.co_argcount else None
    method = vars(type(model)).get(code.co_name)
    if code.co_name in ("forward", "__init__") or not isinstance(model, nn.Module) or getattr(method, "__code__", None) is not code:
        return
    is_read = watch.depth == 1 and not watch.inside_followed and not torch.is_grad_enabled() and not is_repeated()
    known = noted(watch, model, method, {name: local[name] for name in code.co_varnames[1 : code.co_argcount]}, own_frame(frame)) if is_read else None
    if known is not None:
        # What this call returns is not seen.
        text, tokens = known[1], known[3]
        text.tokens, text.storage, text.rows = tokens, known[4], torch.ones(len(tokens), dtype=torch.bool)

    @functools.wraps(method)
    def followed(self, /, *args, **kwargs):
        known = begun(watch, self, method, args, kwargs)
        watch.inside_followed += 1
        try:
            out = method(self, *args, **kwargs)
        finally:
            watch.inside_followed -= 1
        ended(watch, known, out)
        return out

    setattr(type(model), code.co_name, followed)


def begun(watch, module, function, args, kwargs):
    """What is known of a call before it runs; None if it reads no text."""
    if watch.depth or watch.inside_followed or torch.is_grad_enabled() or is_repeated():
        return None
    return _torch._untraced(unless_raised, None, given_to, watch, module, function, args, kwargs, own_frame())


def given_to(watch, module, function, args, kwargs, frame):
    code = inspect.unwrap(function).__code__
    return noted(watch, module, function, {**dict(zip(code.co_varnames[1 : code.co_argcount], args)), **kwargs}, frame)


def ended(watch, known, out):
    if known is not None:
        watch.inside_followed += 1
        _torch._untraced(unless_raised, None, read, watch, *known, out)
        watch.inside_followed -= 1


def noted(watch, module, function, bound, frame):
    name, tokens = text_of(bound)
    if tokens is None or frame is None or module.training and drops(module):
        return None
    fresh = watch.fresh.setdefault(id(module), (module, state_of(module)))[1]
    texts = watch.written.setdefault(id(module), [])
    if not texts or texts[-1].frame is not frame or not texts[-1].is_open and texts[-1].function is not function:
        if len(texts) == MOST_TEXTS or not all(is_empty(watch, it, frame) for it in objects_in(bound.values())):
            return None
        texts.append(Written(function, frame, bound, name))
    for cache in objects_in(bound.values()):
        watch.caches.setdefault(id(cache), (cache, numbers_of(cache)))
    return module, texts[-1], bound, tokens.clone(), tokens.untyped_storage().data_ptr(), fresh, place_in(frame)


def objects_in(values):
    """The caches among arguments: lists, dicts, and objects of the program's classes."""
    found = [it for it in values if isinstance(it, (list, dict)) or hasattr(it, "__dict__") and not isinstance(it, (nn.Module, torch.Tensor))]
    return [*found, *(it for part in found for it in objects_in(parts_of(part)))]


def numbers_of(cache):
    return {name: value for name, value in getattr(cache, "__dict__", {}).items() if type(value) is int}


def is_empty(watch, cache, frame):
    """Whether a cache is a new one, or is given as one: as a default, or with the numbers that it had before the first text."""
    defaults = getattr(inspect.unwrap(frame.f_globals.get(frame.f_code.co_name)), "__defaults__", None) or ()
    if id(cache) not in watch.caches or any(cache is it for it in defaults):
        return True
    if isinstance(cache, (list, dict)):
        return not cache or bool(objects_in(parts_of(cache)))
    numbers = watch.caches[id(cache)][1]
    return bool(numbers) and numbers == numbers_of(cache)


def read(watch, module, text, bound, tokens, storage, fresh, at, out):
    """Notes what a call returned, and compares the text from time to time."""
    out = first_tensor(out).detach()
    last = out[:, -1] if out.dim() == 3 else out
    is_alike = text.tokens is None or len(text.tokens) == len(tokens)
    if not is_alike or not text.is_open or not out.is_floating_point() or last.dim() != 2 or len(last) != len(tokens):
        text.is_open = False
        return
    if text.tokens is None:
        text.rows = torch.ones(len(tokens), dtype=torch.bool)
        text.tokens = tokens
    else:
        for name in list(text.given):
            if not is_same(text.given[name], bound.get(name)) and name != text.name:
                del text.given[name]
        rows = torch.zeros(len(text.tokens), dtype=torch.bool)
        if storage != text.storage and text.last is not None:
            chosen = tokens[:, 0] == text.last.argmax(-1)
            # A text that has ended is filled up with one token.
            ended = tokens[:, 0] == text.tokens[:, -1]
            held = is_held(torch.cat([text.tokens, tokens], dim=1), text.frame)
            text.is_open = tokens.shape[1] == 1 and (held or bool((chosen | ended | ~text.rows).all()))
            if text.is_open:
                rows = text.rows = text.rows if held else text.rows & chosen
                text.chosen += 1
        if text.last is not None:
            text.outputs.append((text.tokens.shape[1], text.last, rows))
        if text.is_open:
            text.tokens = torch.cat([text.tokens, tokens], dim=1)
    text.last, text.storage = last.clone(), storage
    if text.chosen and (text.chosen in COMPARED_AT or not text.is_open):
        compare(watch, module, text, fresh, at)


def is_held(tokens, frame):
    """Whether a variable of the function has the texts so far, with what was read last or without it: also tokens that were drawn
    are their own, and no draft or beam that is given up."""
    values = [torch.tensor([value]) if type(value) is list and value and all(type(it) is int for it in value) else value for value in list(frame.f_locals.values())]
    texts = [value.reshape(-1, value.shape[-1]) for value in values if isinstance(value, torch.Tensor) and value.dim() in (1, 2) and is_tokens(value)]
    return any(torch.equal(it, tokens) or tokens.shape[1] > 2 and torch.equal(it, tokens[:, :-1]) for it in texts)


def is_same(value, other):
    if isinstance(value, torch.Tensor):
        return isinstance(other, torch.Tensor) and value.shape == other.shape and bool(torch.equal(value, other))
    return type(value) is int and type(other) is int or value is other


def compare(watch, module, text, fresh, at):
    """Reports the first token that was chosen from other outputs than the whole text has there. One at least is the same."""
    whole = at_once(module, text, fresh)
    if whole is None:
        return
    for tokens, outputs, rows in text.outputs:
        far = (whole[:, tokens - 1].double() - outputs.double()).abs().amax(1) / float(whole.abs().max())
        if float(far.min()) < FAR / 10:
            watch.alike.add(id(module))
        far = far[rows]
        if id(module) in watch.alike and bool((far > FAR).any()):
            observed = f"{type(module).__name__} read a text of {text.tokens.shape[1]} tokens in parts, as it was written, and reads it again at once: the outputs of token {tokens - 1} differ by {figure(float(far.max()) * 100)} % of the largest."
            watch.add("cache-differs", at, observed, "the past first, then the new; positions that go on at the cache's length, and a mask that hides the same as without a cache")
            return


def at_once(module, text, fresh):
    """What the model returns for a whole text, by the function that read it or by `forward`; None if neither takes it alone."""
    for function in dict.fromkeys([text.function, inspect.unwrap(type(module).forward)]):
        parameters = list(inspect.signature(function).parameters.values())[1:]
        name = text.name if function is text.function else parameters[0].name
        needed = [it for it in parameters if it.name != name and it.default is it.empty and it.kind not in (it.VAR_POSITIONAL, it.VAR_KEYWORD)]
        if all(it.name in text.given for it in needed):
            given = {it.name: text.given[it.name] for it in needed}
            texts = text.tokens, with_change(text.tokens, 1, text.tokens.shape[1] - 1)
            outputs = [unless_raised(None, output_of, module, function, (), {**given, name: it}, fresh) for it in texts]
            if all(it is not None and it.dim() == 3 and it.shape[:2] == text.tokens.shape for it in outputs) and not any(moves(*outputs, 1)[:-1]):
                return outputs[0]
    return None
