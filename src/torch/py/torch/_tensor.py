"""Methods of tensors that are seldom called: each is loaded when first used. `self` is the tensor."""

import torch
from torch._more import _KINDS, kind_of


def type(self, dtype=None, non_blocking=False, **kwargs):
    """The tensor's kind as text, or the tensor in another dtype."""
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
    raise NotImplementedError(
        "Tensor.numpy: NumPy is not part of attn. tensor.tolist() gives the same numbers as lists"
    )


def __array__(self, dtype=None):
    return numpy(self)


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


def share_memory_(self):
    return self


def is_shared(self):
    return False


def pin_memory(self, device=None):
    return self


def is_pinned(self, device=None):
    return False


def cuda(self, device=None, non_blocking=False, memory_format=None):
    from torch.cuda import no_gpu

    raise no_gpu()


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
    if isinstance(data, torch.Tensor):
        made = data.detach().clone().to(dtype or self.dtype)
        return made.requires_grad_(requires_grad)
    return torch.tensor(data, dtype=dtype or self.dtype, requires_grad=requires_grad)


def storage(self):
    return self.untyped_storage()


def is_inference(self):
    return False


def is_conj(self):
    return False


is_neg = is_conj


def resolve_conj(self):
    return self


resolve_neg = resolve_conj


def is_signed(self):
    return self.dtype.is_signed
