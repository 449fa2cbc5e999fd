"""Rules of gradients in torch operations, so that gradients have gradients themselves.

Each record has the operands of its operation. For each operation, a rule computes the gradients of the operands from
the gradient of the result. Which records are visited, and how gradients add up, is in `src/ops/backward`, as are the rules
of the operations that training calls. Those below are of all others, and of operations whose gradients a kernel computes
in one pass: where second derivatives are asked for, that pass cannot be recorded.

| file | rules of |
|---|---|
| `_pointwise` | arithmetic, functions of one number |
| `_linear` | linear algebra |
| `_moves` | rearrangements, and writes by index |
| `_reductions` | extremes, norms, products |
| `_composed` | operations that simpler ones express |
| `_nn` | softmax, losses |
"""

import functools

import torch
from _torch import _history

_rules = {}
# The hooks that learners registered, by record and result, or by leaf. The tensor is kept with them.
_hooks = {}
# Learners' own autograd functions: the class and the context of each call, by record.
functions = {}


def rule(*names, **options):
    """Registers the function below as the rule of these operations, called with these options.

    A rule takes the operation that ran (a Step) and the gradient of its result (a list if it has several, with None
    for results that have no gradient). It returns a dict from the names of arguments to their gradients; a function
    computes a gradient only if it is needed, so that it reads only what PyTorch saves.
    """

    def register(function):
        for name in names:
            _rules[name] = functools.partial(function, **options) if options else function
        return function

    return register


def expressed(operation, **gradients):
    """Registers expressions for the gradients of operands. Their parameters are the gradient and the arguments they read."""

    @rule(operation)
    def back(step, grad):
        def gradient(expression):
            names = expression.__code__.co_varnames[1 : expression.__code__.co_argcount]
            return lambda: expression(grad, *(step[name] for name in names))

        return {name: gradient(expression) for name, expression in gradients.items()}


class Step:
    """One operation that ran. `step["input"]` is the operand as the operation read it."""

    def __init__(self, record):
        self.record = record
        self.op = record.op
        self.place = record.place
        self.arguments = record.arguments()
        self.saw = False
        # The operands in order, also those in lists: name of the argument, index in its list, tensor, edge.
        self.operands = []
        edges = record.edges()
        for name, value in self.arguments.items():
            for at, tensor in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(tensor, torch.Tensor):
                    edge = edges[len(self.operands)] if edges else None
                    self.operands.append((name, at, tensor, edge))

    def __getitem__(self, name):
        value = self.arguments.get(name)
        if isinstance(value, (torch.Tensor, list)):
            self.saw = True
            for place, operand in enumerate(self.operands):
                if operand[0] == name:
                    self.record.check_operand(place)
        return value

    def get(self, name, default=None):
        value = self[name]
        return default if value is None else value

    def result(self, function):
        """The saved result, or what `function` computes from the operands if nobody has the result any more."""
        saved = self.record.saved_result()
        self.saw = True
        return function() if saved is None else saved

    def shape_of(self, name):
        """The shape of an operand; `()` for a number."""
        value = self.arguments.get(name)
        return value.shape if isinstance(value, torch.Tensor) else torch.Size(())

    def wants(self, name):
        """Whether this argument needs a gradient."""
        return any(found == name and _flows(tensor, edge) for found, _, tensor, edge in self.operands)


def _flows(tensor, edge):
    return edge is not None or (tensor.requires_grad and tensor.is_leaf)


def by_rule(record, grads, keep):
    """The gradients of the tensors among a record's arguments in order, and whether the rule read operands. A gradient may
    have the shape that its operand was broadcast to. If `keep` is not set, the record is not used again."""
    step = Step(record)
    found = _rules.get(step.op)
    if found is None:
        raise NotImplementedError(f"{record.called}: attn does not know its gradient yet")
    grads = found(step, grads[0] if len(grads) == 1 else grads)
    if step.saw and not keep:
        functions.pop(step.place, None)
    of_operands = []
    for name, at, tensor, edge in step.operands:
        grad = grads.get(name)
        if isinstance(grad, (list, tuple)):
            grad = grad[at]
        of_operands.append((grad() if callable(grad) else grad) if _flows(tensor, edge) else None)
    return of_operands, step.saw


def hook_onto(tensor, hook):
    """Calls `hook(grad)` when the gradient of a tensor is known; a result that is not None replaces the gradient."""
    key = _key(tensor)
    _hooks.setdefault(key, (tensor, []))[1].append(hook)

    class Handle:
        def remove(self):
            place = key if key in _hooks else _key(tensor)
            _, hooks = _hooks.get(place, (None, []))
            if hook in hooks:
                hooks.remove(hook)
            if not hooks:
                _hooks.pop(place, None)

    return Handle()


def rename_hooks(old, new):
    """The hooks of a leaf stay with it when `data` is assigned and it becomes another tensor inside."""
    if old in _hooks:
        _hooks[new] = _hooks.pop(old)


def _key(tensor):
    made = _history(tensor)
    return tensor._identity if made is None else (made[0].place, made[1])


def hooked(key, grad):
    """The gradient of a leaf, or of a record's result, after its hooks."""
    for hook in _hooks.get(key, (None, ()))[1]:
        changed = hook(grad)
        grad = grad if changed is None else changed
    return grad


def warn_of_nan(name, cell, line):
    """Says which line computed the result whose gradients are NaN, before the error."""
    import warnings

    warnings.warn(f"Error detected in {name}. It was computed in line {line} of {cell}.")


@rule("function")
def own_function(step, grads):
    """A custom torch.autograd.Function."""
    made, context = functions[step.place]
    grads = grads if isinstance(grads, list) else [grads]
    if context._materializes:
        grads = [
            torch.zeros(shape, dtype=dtype) if grad is None else grad
            for grad, (shape, dtype) in zip(grads, context._results)
        ]
    step.saw = True
    found = made.backward(context, *grads)
    found = found if isinstance(found, tuple) else (found,)
    tensors = [grad for grad, at in zip(found, context._tensors) if at]
    return {next(iter(step.arguments)): tensors}


from torch._gradients import _composed, _linear, _moves, _nn, _pointwise, _reductions  # noqa: E402, F401
