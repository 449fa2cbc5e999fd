"""torch.nn.utils: gradient clipping."""

from torch._arguments import hint
from torch._names import absent_in
import torch


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scales all gradients so that their total norm is at most max_norm; returns the norm before."""
    hint(foreach)
    params = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    grads = [param.grad for param in params if param.grad is not None]
    if not grads:
        return torch.tensor(0.0)
    total = torch.stack([grad.norm(norm_type) for grad in grads]).norm(norm_type)
    if error_if_nonfinite and not torch.isfinite(total):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To disable this error and scale the gradients by the non-finite norm anyway, set "
            "`error_if_nonfinite=False`"
        )
    factor = (max_norm / (total + 1e-6)).clamp(max=1.0)
    with torch.no_grad():
        for grad in grads:
            grad.mul_(factor)
    return total


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Clamps each element of each gradient to -clip_value .. clip_value."""
    hint(foreach)
    params = [parameters] if isinstance(parameters, torch.Tensor) else list(parameters)
    with torch.no_grad():
        for param in params:
            if param.grad is not None:
                param.grad.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters):
    return torch.cat([param.view(-1) for param in parameters])


def vector_to_parameters(vec, parameters):
    """Gives parameters the elements of a vector, one after the other."""
    start = 0
    for param in parameters:
        param.data = vec[start : start + param.numel()].view_as(param).data
        start += param.numel()


__getattr__ = absent_in("torch.nn.utils", globals(), ("rnn",))
