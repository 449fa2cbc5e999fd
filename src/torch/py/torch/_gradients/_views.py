"""Rules of views, of joining and of indexing: a gradient goes back to where its number came from."""

import torch
from torch._gradients import rule, sum_to


@rule("view", "view_as", "reshape", "reshape_as", "flatten", "unflatten", "ravel", "squeeze", "unsqueeze")
def reshaped(step, grad):
    return {"input": grad.reshape(step.shape_of("input"))}


@rule("clone", "contiguous", "to", "type_as", "float", "double", "half", "bfloat16", "expand", "expand_as", "broadcast_to")
def same(step, grad):
    return {"input": grad}  # summed back to the operand's shape, in its dtype


@rule("transpose", "swapaxes")
def transpose(step, grad):
    first, second = [value for name, value in step.arguments.items() if isinstance(value, int)][:2]
    return {"input": grad.transpose(first, second)}


@rule("t", "mT", "mH")
def transposed(step, grad):
    return {"input": grad.mT if grad.ndim > 1 else grad}


@rule("T")
def reversed_axes(step, grad):
    return {"input": grad.mT if grad.ndim == 2 else grad.permute(tuple(range(grad.ndim))[::-1])}


@rule("permute")
def permute(step, grad):
    dims = [at % grad.ndim for at in step["dims"]]
    return {"input": grad.permute([dims.index(at) for at in range(grad.ndim)])}


@rule("movedim")
def movedim(step, grad):
    return {"input": grad.movedim(step["destination"], step["source"])}


def _written(step, write):
    """Zeros of the input's shape with the gradient written into what the view saw."""
    whole = torch.zeros(step.shape_of("input"), dtype=step.arguments["input"].dtype)
    write(whole)
    return {"input": whole}


@rule("setitem")
def setitem(step, grad):
    names = list(step.arguments)
    index = step[next(name for name, value in step.arguments.items() if isinstance(value, tuple))]
    left = grad.clone()
    left[index] = 0
    return {names[0]: left, names[1]: grad[index]}


@rule("select")
def select(step, grad):
    return _written(step, lambda whole: whole.select(step["dim"], step["index"]).copy_(grad))


@rule("narrow")
def narrow(step, grad):
    start, length = step["start"], step["length"]
    return _written(step, lambda whole: whole.narrow(step["dim"], int(start), length).copy_(grad))


@rule("unbind")
def unbind(step, grads):
    grads = grads if isinstance(grads, list) else [grads]
    one = next(grad for grad in grads if grad is not None)
    filled = [torch.zeros_like(one) if grad is None else grad for grad in grads]
    return {"input": torch.stack(filled, step.get("dim", 0))}


@rule("split", "split_with_sizes", "chunk")
def split(step, grads):
    grads = grads if isinstance(grads, list) else [grads]
    given = {name: value for name, value in step.arguments.items() if name != "input" and value is not None}
    parts = getattr(torch.zeros(step.shape_of("input")), step.op)(**given)
    whole = [torch.zeros_like(part) if grad is None else grad for part, grad in zip(parts, grads)]
    return {"input": torch.cat(whole, step.get("dim", 0))}


def _listed(step):
    return next(value for value in step.arguments.values() if isinstance(value, list))


@rule("cat")
def cat(step, grad):
    dim, grads, start = step.get("dim", 0), [], 0
    for tensor in _listed(step):
        if tensor.shape == (0,) and grad.ndim != 1:
            grads.append(None)
            continue
        grads.append(grad.narrow(dim, start, tensor.shape[dim]))
        start += tensor.shape[dim]
    return {"tensors": grads}


@rule("stack")
def stack(step, grad):
    return {"tensors": list(grad.unbind(step.get("dim", 0)))}


@rule("broadcast_tensors")
def broadcast_tensors(step, grads):
    tensors = _listed(step)
    grads = grads if isinstance(grads, list) else [grads]
    return {"tensors": [grad if grad is None else sum_to(grad, it.shape) for it, grad in zip(tensors, grads)]}


@rule("repeat")
def repeat(step, grad):
    shape = step.shape_of("input")
    times = next(value for value in step.arguments.values() if isinstance(value, tuple))
    times = (1,) * (grad.ndim - len(times)) + tuple(times)
    lead = (1,) * (grad.ndim - len(shape)) + tuple(shape)
    folded = [size for pair in zip(times, lead) for size in pair]
    return {"input": grad.reshape(folded).sum(tuple(range(0, 2 * grad.ndim, 2))).reshape(shape)}


@rule("flip")
def flip(step, grad):
    return {"input": grad.flip(step["dims"])}


@rule("gather")
def gather(step, grad):
    index = step["index"] if "index" in step.arguments else step["indices"]
    return {"input": torch.zeros(step["input"].shape, dtype=grad.dtype).scatter_add(step["dim"], index, grad)}


@rule("index_select")
def index_select(step, grad):
    whole = torch.zeros(step.shape_of("input"), dtype=grad.dtype)
    return {"input": whole.index_add(step["dim"], step["index"], grad)}


@rule("embedding")
def embedding(step, grad):
    index, shape = step["input"].reshape(-1), step.shape_of("weight")
    rows = grad.reshape(-1, shape[-1])
    padding = step.arguments.get("padding_idx")
    if padding is not None:
        rows = rows.masked_fill((index == padding % shape[0]).unsqueeze(-1), 0)
    if step.arguments.get("scale_grad_by_freq"):
        rows = rows / torch.bincount(index, minlength=shape[0])[index].unsqueeze(-1)
    return {"weight": torch.zeros(shape, dtype=grad.dtype).index_add(0, index, rows)}


@rule("masked_select")
def masked_select(step, grad):
    mask = step["mask"].expand(torch.broadcast_shapes(step["input"].shape, step["mask"].shape))
    return {"input": torch.zeros(mask.shape, dtype=grad.dtype).masked_scatter(mask, grad)}
