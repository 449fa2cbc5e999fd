"""Methods of tensors that are seldom called: each is loaded when first used. `self` is the tensor."""

import _torch
import torch
from torch._arguments import hint, on_cpu, only_defaults
from torch import _more
from torch._more import kind_of


def type(self, dtype=None, non_blocking=False, **kwargs):
    """The tensor's kind as text, or the tensor in another dtype."""
    hint(non_blocking, kwargs)
    if dtype is None:
        return kind_of(self.dtype)
    if isinstance(dtype, str):
        name = dtype.rpartition(".")[2]
        if not dtype.startswith("torch.") or not name.endswith("Tensor") or not hasattr(_more, name):
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = getattr(_more, name)._dtype
    elif not isinstance(dtype, torch.dtype):
        dtype = getattr(dtype, "_dtype", dtype)
    return self.to(dtype)


def numpy(self, *, force=False):
    """The array on the tensor's elements: a change of one changes the other."""
    if self.requires_grad and torch.is_grad_enabled() and not force:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    if self.dtype is torch.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    import numpy as module

    return module.asarray(self.detach() if self.requires_grad else self)


def __array__(self, dtype=None):
    made = numpy(self)
    return made if dtype is None else made.astype(dtype, copy=False)


def __copy__(self):
    """Another tensor of the same elements."""
    if isinstance(self, torch.nn.Parameter):
        made = torch.Tensor._make_subclass(self.__class__, self, self.requires_grad)
    else:
        made = self.detach().requires_grad_(self.requires_grad)
    made.__dict__.update(self.__dict__)
    return made


def __reduce_ex__(self, protocol):
    """What `pickle` keeps of it."""
    hint(protocol)
    data = _torch._storage_bytes(self.detach().contiguous().clone())
    return _unpickled, (data, self.dtype, tuple(self.shape), self.requires_grad, self.__class__)


def _unpickled(data, dtype, shape, requires_grad, kind):
    made = _torch._from_bytes(data, dtype).reshape(shape)
    if issubclass(kind, torch.nn.Parameter):
        return kind(made, requires_grad)
    return made.requires_grad_(requires_grad)


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    from torch.autograd import backward

    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def register_hook(self, hook):
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    from torch._gradients import hook_onto

    return hook_onto(self, hook)


def share_memory_(self):
    return self


def pin_memory(self, device=None):
    on_cpu(device)
    return self


def cuda(self, device=None, non_blocking=False, memory_format=None):
    hint(device, non_blocking, memory_format)
    on_cpu("cuda")
    return self


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A tensor of these data in this tensor's dtype."""
    on_cpu(device)
    only_defaults("new_tensor", layout=None if layout is torch.strided else layout, pin_memory=pin_memory)
    if isinstance(data, torch.Tensor):
        made = data.detach().clone().to(dtype or self.dtype)
        return made.requires_grad_(requires_grad)
    return torch.tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


def index_put_(self, indices, values, accumulate=False):
    """`self[indices] = values`; `accumulate` adds them, also where an index comes twice."""
    if not accumulate:
        self[tuple(indices)] = values
        return self
    places = (one.nonzero(as_tuple=True) if one.dtype is torch.bool else (one,) for one in indices)
    at = torch.broadcast_tensors(*(index for several in places for index in several))
    sizes, rest = self.shape[: len(at)], self.shape[len(at) :]
    flat = torch.zeros_like(at[0])
    for index, size in zip(at, sizes):
        if index.numel() and not -size <= int(index.min()) <= int(index.max()) < size:
            raise IndexError(f"index out of range in index_put_() of a dimension of size {size}")
        flat = flat * size + index % size
    values = values.to(self.dtype).expand(*flat.shape, *rest).reshape(-1, *rest)
    whole = self.contiguous()
    whole.view(-1, *rest).index_add_(0, flat.reshape(-1), values)
    return self if self.is_contiguous() else self.copy_(whole)
