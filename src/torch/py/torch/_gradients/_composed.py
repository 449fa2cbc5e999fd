"""Rules of operations that simpler operations express: those are differentiated."""

import torch
from torch._gradients import rule


def composed(*names):
    """Registers a rule for these operations. The function below computes the same result from operations that have rules;
    it takes the arguments by name."""

    def register(function):
        @rule(*names)
        def back(step, grads):
            return _through(step, grads, function)

        return function

    return register


def _through(step, grads, function):
    """The gradients of the arguments through a function of them that computes the same result."""
    create = torch.is_grad_enabled()
    given, wanted = {}, {}
    with torch.enable_grad():
        for name in step.arguments:
            value = step[name]
            if isinstance(value, torch.Tensor) and step.wants(name):
                # Cut off from its history: the engine continues from here, not this rule.
                value = value.view_as(value) if create else value.detach().requires_grad_()
                wanted[name] = value
            given[name] = value
        result = function(**given)
        results = list(result) if isinstance(result, tuple) else [result]
        grads = grads if isinstance(grads, list) else [grads]
        pairs = [(out, grad) for out, grad in zip(results, grads) if grad is not None and out.requires_grad]
        if not pairs:
            return {}
        outs, seeds = zip(*pairs)
        found = torch.autograd.grad(
            outs, list(wanted.values()), seeds, create_graph=create, allow_unused=True
        )
    return dict(zip(wanted, found))


@composed("elu")
def elu(input, alpha, **rest):
    return torch.where(input > 0, input, alpha * input.clamp(max=0).expm1())


@composed("softplus")
def softplus(input, beta, threshold):
    return torch.where(input * beta > threshold, input, (input.clamp(max=threshold / beta) * beta).exp().log1p() / beta)


@composed("logaddexp")
def logaddexp(input, other):
    return torch.stack(torch.broadcast_tensors(input, other)).logsumexp(0)


@composed("cumprod")
def cumprod(input, dim, **rest):
    parts = input.unbind(dim)
    products = [parts[0]]
    for part in parts[1:]:
        products.append(products[-1] * part)
    return torch.stack(products, dim)


@composed("rms_norm")
def rms_norm(input, normalized_shape, weight, eps):
    dims = tuple(range(input.ndim - len(normalized_shape), input.ndim))
    eps = torch.finfo(input.dtype).eps if eps is None else eps
    result = input * (input.pow(2).mean(dims, keepdim=True) + eps).rsqrt()
    return result if weight is None else result * weight


@composed("nan_to_num")
def nan_to_num(input, **rest):
    return torch.where(input.isfinite(), input, 0.0)


@composed("normalize")
def normalize(input, p, dim, eps, **rest):
    return input / input.norm(p, dim, keepdim=True).clamp_min(eps)
