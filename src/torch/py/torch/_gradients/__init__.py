"""Reverse-mode differentiation over the recorded operations.

Each record has the operands of its operation. For each operation, a rule computes the gradients of the operands from
the gradient of the result. Where several paths lead to one tensor, their gradients add up.

| file | rules of |
|---|---|
| `_pointwise` | arithmetic, functions of one number |
| `_products` | matrix products |
| `_views` | views, joining, indexing |
| `_reductions` | sums, means, extremes, norms |
| `_nn` | softmax, layer norm, losses, attention |
| `_writes` | writes by index, and operations that only move elements |
| `_composed` | operations that simpler ones express |
"""

import functools

import torch
from _torch import _history, _set_in_backward

_rules = {}
# The hooks that learners registered, by record and result, or by leaf. The tensor is kept with them.
_hooks = {}
# Learners' own autograd functions: the class and the context of each call, by record.
functions = {}


def rule(*names, **options):
    """Registers the function below as the rule of these operations, called with these options.

    A rule takes the operation that ran (a Step) and the gradient of its result (a list if it has several, with None
    for results that have no gradient). It returns a dict from the names of arguments to their gradients.
    """

    def register(function):
        for name in names:
            _rules[name] = functools.partial(function, **options) if options else function
        return function

    return register


class Step:
    """One operation that ran. `step["input"]` is the operand as the operation read it."""

    def __init__(self, record):
        self.record = record
        self.op = record.op
        self.place = record.place
        self.shape = record.shape
        self.arguments = record.arguments()
        self.grads = [None] * record.outputs
        self.saw = False
        # The operands in order, also those in lists: name of the argument, index in its list, tensor, edge, version.
        self.operands = []
        edges, versions = record.edges(), record.versions()
        for name, value in self.arguments.items():
            for at, tensor in enumerate(value if isinstance(value, list) else [value]):
                if isinstance(tensor, torch.Tensor):
                    edge = edges[len(self.operands)] if edges else None
                    version = versions[len(self.operands)]
                    self.operands.append((name, at, tensor, edge, version))

    def __getitem__(self, name):
        value = self.arguments.get(name)
        if isinstance(value, (torch.Tensor, list)):
            self.saw = True
            for found, at, tensor, edge, version in self.operands:
                if found == name and tensor._version != version:
                    raise _modified(tensor, version)
        return value

    def get(self, name, default=None):
        value = self[name]
        return default if value is None else value

    def shape_of(self, name):
        """The shape of an operand; `()` for a number."""
        value = self.arguments.get(name)
        return value.shape if isinstance(value, torch.Tensor) else torch.Size(())

    def wants(self, name):
        """Whether this argument needs a gradient."""
        return any(found == name and _flows(tensor, edge) for found, _, tensor, edge, _ in self.operands)


def _flows(tensor, edge):
    return edge is not None or (tensor.requires_grad and tensor.is_leaf)


def _modified(tensor, version):
    kind = f"{torch._more.kind_of(tensor.dtype)} {list(tensor.shape)}"
    made = _history(tensor)
    came = f", which is output {made[1]} of {made[0].name}," if made else ""
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[{kind}]{came} is at version {tensor._version}; expected version {version} instead. Hint: "
        + (
            "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True)."
        )
    )


def _again():
    return RuntimeError(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). "
        "Specify retain_graph=True if you need to backward through the graph a second time or if you need to access "
        "saved tensors after calling backward."
    )


def sum_to(grad, shape):
    """The gradient of a broadcast result summed to an operand's shape."""
    if grad.shape == shape:
        return grad
    lead = grad.ndim - len(shape)
    dims = list(range(lead)) + [lead + at for at, size in enumerate(shape) if size == 1 and grad.shape[lead + at] != 1]
    grad = grad.sum(dims, keepdim=True) if dims else grad
    return grad.reshape(shape) if grad.shape != shape else grad


def _explored(roots):
    """All steps that lead to these records, and how many steps each of them waits for."""
    steps, waiting = {}, {}
    todo = [record for record, _ in roots]
    while todo:
        record = todo.pop()
        if record.place in steps:
            continue
        step = steps[record.place] = Step(record)
        for _, _, tensor, edge, _ in step.operands:
            if edge is not None:
                waiting[edge[0].place] = waiting.get(edge[0].place, 0) + 1
                if edge[0].place not in steps:
                    todo.append(edge[0])
    return steps, waiting


def _added(old, new):
    return new if old is None else old + new


def _seeds(tensors, given):
    """What to go back with from each result: 1 for a number, else what was given."""
    seeds = []
    for at, (tensor, seed) in enumerate(zip(tensors, given)):
        if seed is not None:
            if seed.shape != tensor.shape:
                raise RuntimeError(
                    f"Mismatch in shape: grad_output[{at}] has a shape of {seed.shape} and output[{at}] has a shape "
                    f"of {tensor.shape}."
                )
            seeds.append(seed)
            continue
        if not tensor.requires_grad:
            raise RuntimeError(f"element {at} of tensors does not require grad and does not have a grad_fn")
        if tensor.numel() != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        seeds.append(torch.ones_like(tensor))
    for at, tensor in enumerate(tensors):
        if not tensor.requires_grad:
            raise RuntimeError(f"element {at} of tensors does not require grad and does not have a grad_fn")
    return seeds


def run(tensors, given, arrived, wanted=(), keep=False, create=False):
    """Computes gradients and marks what runs as backward's own, not the learner's."""
    before = _set_in_backward(True)
    try:
        _run(tensors, _seeds(tensors, given), arrived, wanted, keep, create)
    finally:
        _set_in_backward(before)


def _run(tensors, seeds, arrived, wanted, keep, create):
    """Computes gradients, starting from `tensors` with the gradients `seeds`. `arrived(tensor, grad)` is called for each
    leaf, and for results that retain their gradients or are `wanted`."""
    roots, leaves = [], {}
    kept = {}
    for tensor in wanted:
        made = _history(tensor)
        if made is not None:
            kept[made[0].place, made[1]] = tensor
    made_of = []
    for tensor, seed in zip(tensors, seeds):
        made = _history(tensor)
        made_of.append((tensor, seed, made))
        if made is not None:
            roots.append(made)
    steps, waiting = _explored(roots)
    with torch.set_grad_enabled(create):
        for tensor, seed, made in made_of:
            if made is None:
                _arrive(leaves, tensor, seed)
                continue
            step = steps[made[0].place]
            step.grads[made[1]] = _added(step.grads[made[1]], seed)
            if tensor.retains_grad:
                kept.setdefault((step.place, made[1]), tensor)
        ready = [steps[place] for place in steps if waiting.get(place, 0) == 0]
        while ready:
            step = ready.pop()
            _go_back(step, steps, waiting, ready, kept, leaves, arrived, keep or create)
        for tensor, grad in leaves.values():
            arrived(tensor, _hooked(tensor._identity, grad) if _hooks else grad)


def _arrive(leaves, tensor, grad):
    found = leaves.get(tensor._identity)
    leaves[tensor._identity] = (tensor, grad if found is None else found[1] + grad)


def _go_back(step, steps, waiting, ready, kept, leaves, arrived, keep):
    for output in range(len(step.grads)):
        if _hooks and step.grads[output] is not None:
            step.grads[output] = _hooked((step.place, output), step.grads[output])
        tensor = kept.get((step.place, output))
        if tensor is not None and step.grads[output] is not None:
            arrived(tensor, step.grads[output])
    grads = {}
    if any(grad is not None for grad in step.grads):
        if step.record.spent:
            raise _again()
        found = _rules.get(step.op)
        if found is None:
            raise NotImplementedError(f"{step.record.called}: attn does not know its gradient yet")
        grads = found(step, step.grads[0] if len(step.grads) == 1 else step.grads)
        if step.saw and not keep:
            step.record.spend()
            functions.pop(step.place, None)
    for name, at, tensor, edge, _ in step.operands:
        grad = grads.get(name)
        if isinstance(grad, (list, tuple)):
            grad = grad[at]
        if edge is not None:
            parent = steps[edge[0].place]
            if grad is not None:
                grad = _as_operand(grad, tensor)
                parent.grads[edge[1]] = _added(parent.grads[edge[1]], grad)
                if tensor.retains_grad:
                    kept.setdefault((parent.place, edge[1]), tensor)
            waiting[parent.place] -= 1
            if waiting[parent.place] == 0:
                ready.append(parent)
        elif grad is not None and tensor.requires_grad and tensor.is_leaf:
            _arrive(leaves, tensor, _as_operand(grad, tensor))


def hook_onto(tensor, hook):
    """Calls `hook(grad)` when the gradient of a tensor is known; a result that is not None replaces the gradient."""
    key = _key(tensor)
    _hooks.setdefault(key, (tensor, []))[1].append(hook)

    class Handle:
        def remove(self):
            tensor, hooks = _hooks.get(key, (None, []))
            if hook in hooks:
                hooks.remove(hook)
            if not hooks:
                _hooks.pop(key, None)

    return Handle()


def _key(tensor):
    made = _history(tensor)
    return tensor._identity if made is None else (made[0].place, made[1])


def _hooked(key, grad):
    for hook in _hooks.get(key, (None, ()))[1]:
        # A hook is the learner's own code.
        _set_in_backward(False)
        changed = hook(grad)
        _set_in_backward(True)
        grad = grad if changed is None else changed
    return grad


def _as_operand(grad, tensor):
    """A gradient in the shape and dtype of its operand."""
    grad = sum_to(grad, tensor.shape)
    return grad if grad.dtype == tensor.dtype else grad.to(tensor.dtype)


from torch._gradients import _composed, _nn, _pointwise, _products, _reductions, _views, _writes  # noqa: E402, F401
