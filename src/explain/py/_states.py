"""Decoders that a program calls token by token, and whether what they have read reaches the next call."""

import torch
from torch import nn

RECURRENT = (nn.RNNBase, nn.LSTMCell, nn.GRUCell)


class Step:
    """A call of a recurrent layer: the token of each text, its input, its results, and the targets of a loss of this step alone."""

    def __init__(self, tokens, given, results):
        self.tokens, self.given, self.results, self.targets = None if tokens is None else tokens.reshape(-1), given, results, None


def first_of(state):
    return state[0] if isinstance(state, (tuple, list)) and state else state


def note_step(watch, layer, args, kwargs, out, at):
    """Notes a call that reads one token of each text and begins with the state that the call before began with."""
    tokens, watch.token = watch.token, None
    if at is None:
        return
    state = first_of(args[1] if len(args) > 1 else kwargs.get("hx"))
    if isinstance(state, torch.Tensor) and tokens is not None and state.numel():
        note_state(watch, layer, tokens.reshape(-1), state, first_of(out[1] if isinstance(out, tuple) and len(out) > 1 else out), at)
    if not torch.is_grad_enabled():
        return
    # A state that was computed: texts may all begin with zeros.
    is_state = isinstance(state, torch.Tensor) and state.grad_fn is not None
    texts = state.shape[-2] if is_state and state.dim() > 1 else 0
    # A decoder may have looked up all of its tokens before.
    if not texts or not isinstance(args[0], torch.Tensor) or texts * args[0].shape[-1] != args[0].numel():
        watch.reading.pop(id(layer), None)
        return
    known = watch.reading.get(id(layer))
    if known is None or known[1].data_ptr() != state.data_ptr() or known[1].shape != state.shape:
        known = watch.reading[id(layer)] = (layer, state, at, [])
    parts = out if isinstance(out, tuple) else (out,)
    results = [it for part in parts for it in (part if isinstance(part, tuple) else (part,))]
    if len(known[3]) < 64:
        known[3].append(Step(tokens if tokens is not None and tokens.numel() == texts else None, args[0], results))


# So many calls in a row that begin with one state are no beams, which share their parent's: of several texts, and of one.
OF_SEVERAL, OF_ONE = 5, 12


def note_state(watch, layer, tokens, state, result, at):
    """A layer that gets, in training, the state that its last call returned, and always the same one when it writes."""
    start, ended, row = watch.at_states.get(id(layer), (None, None, []))
    grad, here = torch.is_grad_enabled(), (state.data_ptr(), state.shape)
    if grad:
        if here == ended:
            watch.passes.add(id(layer))
        row = []
    else:
        row = [*row, tokens] if here == start else [tokens]
    watch.at_states[id(layer)] = (here, (result.data_ptr(), result.shape) if isinstance(result, torch.Tensor) else None, row)
    enough = OF_SEVERAL if tokens.numel() > 1 else OF_ONE
    if id(layer) in watch.passes and len(row) == enough and bool((state != 0).any()) and any(not torch.equal(it, tokens) for it in row):
        observed = f"{type(layer).__name__} gets the state that it returned last while it is trained. Here {len(row)} calls in a row, with other tokens, begin with the same state: what it has written is forgotten."
        watch.add("state-not-passed", at, observed, "pass the new state on: out, hidden = self.gru(x, hidden)")


def forgotten(watch, targets):
    """A decoder that reads the targets one by one, none of which reaches a later call."""
    for layer, _, at, steps in list(watch.reading.values()):
        texts = steps[0].given.numel() // steps[0].given.shape[-1]
        is_known = all(it.tokens is not None for it in steps)
        if targets.numel() == texts:
            steps[-1].targets = targets.reshape(-1)
            orders = [[it.targets for it in steps]]
        elif targets.numel() == texts * len(steps):
            orders = [targets.reshape(texts, -1).unbind(1), targets.reshape(-1, texts).unbind(0)]
        else:
            continue
        if len(steps) < 4 or is_known and not any(follows(steps, columns) for columns in orders):
            continue
        watch.reading.pop(id(layer))
        if not any(depends(steps[later], steps[:later]) for later in (1, 2, 3)):
            name = type(layer).__name__
            observed = f"{name} reads a text token by token, and {len(steps)} calls begin with the same state. No call depends on the results of those before it: each predicts its token from the newest one alone."
            watch.add("state-not-passed", at, observed, "pass the new state on: out, hidden = self.gru(x, hidden)")


def follows(steps, columns):
    """Whether most calls read the token that the call before had to predict."""
    if any(column is None for column in columns):
        return False
    pairs = [(step.tokens, column) for step, column in zip(steps[1:], columns)]
    same = [column for tokens, column in pairs if torch.equal(tokens, column)]
    return len(same) >= 3 and 2 * len(same) > len(pairs) and len(torch.cat(same).unique()) > 1


def depends(step, before):
    """Whether the input of a call was computed from the results of earlier ones."""
    if step.given.grad_fn is None:
        return False
    results = [it for other in before for it in other.results]
    try:
        grads = torch.autograd.grad(step.given, results, torch.ones_like(step.given), retain_graph=True, allow_unused=True)
    except RuntimeError:
        return True
    return any(grad is not None for grad in grads)
