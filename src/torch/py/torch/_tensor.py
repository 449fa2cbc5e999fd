"""Methods of tensors that are seldom called: each is loaded when first used. `self` is the tensor."""

import torch
from torch._arguments import hint, on_cpu, only_defaults
from torch._combined import dist, fliplr, flipud, float_power, isneginf, isposinf, logcumsumexp, svd, swapdims, xlogy
from torch._more import _KINDS, kind_of


def type(self, dtype=None, non_blocking=False, **kwargs):
    """The tensor's kind as text, or the tensor in another dtype."""
    hint(non_blocking, kwargs)
    if dtype is None:
        return kind_of(self.dtype)
    if isinstance(dtype, str):
        name = dtype.rpartition(".")[2].removesuffix("Tensor")
        found = [known for known, kind in _KINDS.items() if kind == name]
        if not found or not dtype.startswith("torch."):
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = getattr(torch, found[0])
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


def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
    from torch.autograd import backward

    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


def register_hook(self, hook):
    if not self.requires_grad:
        raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
    from torch._gradients import hook_onto

    return hook_onto(self, hook)


def register_post_accumulate_grad_hook(self, hook):
    raise NotImplementedError("Tensor.register_post_accumulate_grad_hook is not part of attn")


def dim_order(self, *, ambiguity_check=False):
    """The dimensions from the one whose steps in memory are the largest to the one whose steps are the smallest."""
    formats = (torch.contiguous_format, torch.channels_last)
    if not isinstance(ambiguity_check, bool):
        listed = isinstance(ambiguity_check, list) and all(item in formats for item in ambiguity_check)
        if not listed:
            raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    order = sorted(range(self.dim()), key=lambda axis: (-self.stride(axis), axis))
    sizes = [(self.stride(axis), self.shape[axis]) for axis in order]
    ambiguous = any(size == 1 for _, size in sizes) or len({step for step, _ in sizes}) < len(sizes)
    if ambiguity_check is True and (ambiguous or 0 in self.shape):
        raise RuntimeError(
            "The tensor does not have unique dim order, or cannot map to exact one of the given memory formats."
        )
    return tuple(order)


def share_memory_(self):
    return self


def is_shared(self):
    return False


def pin_memory(self, device=None):
    on_cpu(device)
    return self


def is_pinned(self, device=None):
    on_cpu(device)
    return False


def cuda(self, device=None, non_blocking=False, memory_format=None):
    hint(device, non_blocking, memory_format)
    on_cpu("cuda")
    return self


def apply_(self, callable):
    """Puts callable(element) in place of each element."""
    if self.requires_grad:
        raise RuntimeError("apply_(): cannot be called on a tensor that requires gradient")
    done = [callable(value) for value in self.flatten().tolist()]
    return self.copy_(torch.tensor(done, dtype=self.dtype).view(self.shape))


def map_(self, tensor, callable):
    """Puts callable(element, other element) in place of each element."""
    others = tensor.expand(self.shape).flatten().tolist()
    done = [callable(a, b) for a, b in zip(self.flatten().tolist(), others)]
    return self.copy_(torch.tensor(done, dtype=self.dtype).view(self.shape))


def new_tensor(self, data, *, dtype=None, device=None, requires_grad=False, layout=None, pin_memory=False):
    """A tensor of these data in this tensor's dtype."""
    on_cpu(device)
    only_defaults("new_tensor", layout=None if layout is torch.strided else layout, pin_memory=pin_memory)
    if isinstance(data, torch.Tensor):
        made = data.detach().clone().to(dtype or self.dtype)
        return made.requires_grad_(requires_grad)
    return torch.tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


def storage(self):
    from torch.storage import TypedStorage

    elements = self.untyped_storage().nbytes() // self.element_size()
    return TypedStorage(self.detach().as_strided((elements,), (1,), 0))


def is_inference(self):
    return False


def is_conj(self):
    return False


is_neg = is_conj


def resolve_conj(self):
    return self


resolve_neg = resolve_conj


def cov(self, *, correction=1, fweights=None, aweights=None):
    return torch.cov(self, correction=correction, fweights=fweights, aweights=aweights)


def corrcoef(self):
    return torch.corrcoef(self)


def is_signed(self):
    return self.dtype.is_signed
