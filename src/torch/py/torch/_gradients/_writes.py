"""Rules of operations that write into a tensor by index, or that only move elements."""

import torch
from _torch import _call
from torch._gradients import rule


@rule("unfold", "diag", "diag_embed", "diagonal", "pad", "as_strided")
def moved(step, grad):
    """Finds where each element of the result came from: runs the operation on the row-major numbers of the elements."""
    return _moved(step, grad, lambda given: _call(step.op, **given))


@rule("getitem")
def getitem(step, grad):
    source, index = list(step.arguments)[:2]
    return _moved(step, grad, lambda given: given[source][given[index]])


def _moved(step, grad, function):
    names = list(step.arguments)
    source = next(name for name in names if step.wants(name))
    shape = step.shape_of(source)
    count = shape.numel()
    given = {name: step[name] for name, value in step.arguments.items() if name != source and value is not None}
    given[source] = torch.arange(1, count + 1, dtype=torch.float64).view(shape)
    if "value" in given:
        # A constant that pads comes from no element.
        given["value"] = 0
    places = function(given).long().reshape(-1)
    whole = torch.zeros(count + 1, dtype=grad.dtype).index_add(0, places, grad.reshape(-1))
    return {source: whole[1:].view(shape)}


@rule("copy_slices")
def copy_slices(step, grad):
    """A tensor that was written through a view: the elements of the view get their gradient through the view."""
    names = list(step.arguments)
    whole, view = step.arguments[names[0]], step.arguments[names[1]]
    places = _places(whole, view)
    flat = grad.reshape(-1)
    left = flat.index_fill(0, places.reshape(-1), 0).view(grad.shape)
    return {names[0]: left, names[1]: flat[places]}


def _places(whole, view):
    """For each element of a view, its place in the row-major order of the whole tensor."""
    start = view.storage_offset() - whole.storage_offset()
    span = sum((size - 1) * stride for size, stride in zip(whole.shape, whole.stride())) + 1
    order = torch.zeros(span, dtype=torch.long)
    order.as_strided(whole.shape, whole.stride(), 0).copy_(torch.arange(whole.numel()).view(whole.shape))
    return order.as_strided(view.shape, view.stride(), start).clone()


@rule("scatter")
def scatter(step, grad):
    index, dim = step["index"], step["dim"]
    grads = {"input": grad.scatter(dim, index, 0)}
    for name in ("src", "value"):
        if step.wants(name):
            grads[name] = grad.gather(dim, index)
    return grads


@rule("scatter_add")
def scatter_add(step, grad):
    return {"input": grad, "src": lambda: grad.gather(step["dim"], step["index"])}


@rule("index_add")
def index_add(step, grad):
    def of_source():
        part = grad.index_select(step["dim"], step["index"]).expand(step["source"].shape)
        alpha = step.get("alpha", 1)
        return part if alpha == 1 else part * alpha

    return {"input": grad, "source": of_source}


@rule("index_copy")
def index_copy(step, grad):
    dim, index = step["dim"], step["index"]
    step.wants("source") and step["source"]  # PyTorch saves it.
    return {"input": grad.index_fill(dim, index, 0), "source": grad.index_select(dim, index)}


@rule("index_fill")
def index_fill(step, grad):
    dim, index = step["dim"], step["index"]
    return {"input": grad.index_fill(dim, index, 0), "value": grad.index_select(dim, index).sum()}


@rule("index_put")
def index_put(step, grad):
    indices = tuple(step["indices"])
    left = grad
    if not step.get("accumulate"):
        left = grad.clone()
        left[indices] = 0
    return {"input": left, "values": grad[indices]}


@rule("masked_scatter")
def masked_scatter(step, grad):
    mask = step["mask"].expand(grad.shape)
    taken = grad.masked_select(mask)
    shape = step.shape_of("source")
    whole = torch.zeros(shape.numel(), dtype=grad.dtype)
    return {
        "input": grad.masked_fill(mask, 0),
        "source": whole.index_copy(0, torch.arange(taken.numel()), taken).view(shape),
    }


@rule("function")
def own_function(step, grads):
    """A custom torch.autograd.Function."""
    from torch._gradients import functions

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
