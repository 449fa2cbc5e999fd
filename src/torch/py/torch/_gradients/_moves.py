"""Rules of operations that move elements, or write them by index: a gradient goes back to where its number came from."""

import torch
from _torch import _call
from torch._gradients import expressed, rule

expressed("movedim", input=lambda grad, source, destination: grad.movedim(destination, source))
expressed("flip", input=lambda grad, dims: grad.flip(dims))
expressed(
    "scatter",
    input=lambda grad, dim, index: grad.scatter(dim, index, 0),
    src=lambda grad, dim, index: grad.gather(dim, index),
    value=lambda grad, dim, index: grad.gather(dim, index),
)
expressed("scatter_add", input=lambda grad: grad, src=lambda grad, dim, index: grad.gather(dim, index))
expressed(
    "index_copy",
    input=lambda grad, dim, index: grad.index_fill(dim, index, 0),
    source=lambda grad, dim, index, source: grad.index_select(dim, index),  # PyTorch saves the source.
)
expressed(
    "index_fill",
    input=lambda grad, dim, index: grad.index_fill(dim, index, 0),
    value=lambda grad, dim, index: grad.index_select(dim, index).sum(),
)
expressed(
    "index_add",
    input=lambda grad: grad,
    source=lambda grad, dim, index, source, alpha: grad.index_select(dim, index).expand(source.shape) * alpha,
)


@rule("unfold", "diag", "diag_embed", "diagonal", "pad", "as_strided")
def moved(step, grad):
    """Finds where each element of the result came from: runs the operation on the row-major numbers of the elements."""
    source = next(name for name in step.arguments if step.wants(name))
    shape = step.shape_of(source)
    count = shape.numel()
    given = {name: step[name] for name, value in step.arguments.items() if name != source and value is not None}
    given[source] = torch.arange(1, count + 1, dtype=torch.float64).view(shape)
    if "value" in given:
        # A constant that pads comes from no element.
        given["value"] = 0
    places = _call(step.op, **given).long().reshape(-1)
    whole = torch.zeros(count + 1, dtype=grad.dtype).index_add(0, places, grad.reshape(-1))
    return {source: whole[1:].view(shape)}


@rule("broadcast_tensors")
def broadcast_tensors(step, grads):
    return {"tensors": grads if isinstance(grads, list) else [grads]}


@rule("repeat")
def repeat(step, grad):
    shape, times = step.shape_of("input"), step["repeats"]
    times = (1,) * (grad.ndim - len(times)) + tuple(times)
    lead = (1,) * (grad.ndim - len(shape)) + tuple(shape)
    folded = [size for pair in zip(times, lead) for size in pair]
    return {"input": grad.reshape(folded).sum(tuple(range(0, 2 * grad.ndim, 2))).reshape(shape)}


@rule("embedding")
def embedding(step, grad):
    index, shape = step["input"].reshape(-1), step.shape_of("weight")
    rows = grad.reshape(-1, shape[-1])
    padding = step.arguments.get("padding_idx")
    if padding is not None:
        rows = rows.masked_fill((index == padding % shape[0]).unsqueeze(-1), 0)
    return {"weight": torch.zeros(shape, dtype=grad.dtype).index_add(0, index, rows)}


@rule("masked_select")
def masked_select(step, grad):
    mask = step["mask"].expand(torch.broadcast_shapes(step["input"].shape, step["mask"].shape))
    return {"input": torch.zeros(mask.shape, dtype=grad.dtype).masked_scatter(mask, grad)}


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
