"""`gradcheck`: gradients compared with differences of the function itself."""

import warnings

import torch
from torch._arguments import hint, only_defaults


class GradcheckError(RuntimeError):
    """What `gradcheck` raises when gradients are wrong."""

    __module__ = "torch.autograd.gradcheck"


def _tuple(values):
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _by_differences(func, inputs, at, output, eps):
    """How much an output changes with each element of input `at`: (elements of the input, elements of the output)."""
    flat = inputs[at].detach().reshape(-1)
    rows = []
    for element in range(flat.numel()):
        sides = []
        for by in (eps, -eps):
            moved = flat.clone()
            moved[element] += by
            given = (*inputs[:at], moved.view(inputs[at].shape).requires_grad_(), *inputs[at + 1 :])
            sides.append(_tuple(func(*given))[output].detach().reshape(-1))
        rows.append((sides[0] - sides[1]) / (2 * eps))
    return torch.stack(rows) if rows else torch.zeros(0, 0)


def _by_gradients(output, tensor):
    columns = []
    for at in range(output.numel()):
        seed = torch.zeros_like(output)
        seed.view(-1)[at] = 1
        grad = torch.autograd.grad(output, tensor, seed, retain_graph=True, allow_unused=True)[0]
        columns.append((torch.zeros_like(tensor) if grad is None else grad).reshape(-1))
    return torch.stack(columns, 1)


def gradcheck(
    func,
    inputs,
    *,
    eps=1e-6,
    atol=1e-5,
    rtol=1e-3,
    raise_exception=True,
    nondet_tol=0.0,
    check_undefined_grad=True,
    check_grad_dtypes=False,
    check_batched_grad=False,
    check_batched_forward_grad=False,
    check_forward_ad=False,
    check_backward_ad=True,
    fast_mode=False,
    masked=None,
):
    """Whether the gradients of a function agree with its central differences; by default an error if they do not."""
    hint(nondet_tol)
    hint(check_undefined_grad)
    hint(check_grad_dtypes)
    hint(fast_mode)
    only_defaults(
        "gradcheck",
        check_batched_grad=check_batched_grad or None,
        check_batched_forward_grad=check_batched_forward_grad or None,
        check_forward_ad=check_forward_ad or None,
        check_backward_ad=None if check_backward_ad else False,
        masked=masked,
    )
    inputs = _tuple(inputs)
    checked = [(place, x) for place, x in enumerate(inputs) if isinstance(x, torch.Tensor) and x.requires_grad]
    try:
        if not checked:
            raise ValueError(
                "gradcheck expects at least one input tensor to require gradient, but none of the them have "
                "requires_grad=True."
            )
        for place, tensor in checked:
            if tensor.dtype != torch.float64:
                warnings.warn(
                    f"Input #{place} requires gradient and is not a double precision floating point or complex. This "
                    "check will likely fail if all the inputs are not of double precision floating point or complex. "
                )
        for number, output in enumerate(_tuple(func(*inputs))):
            if not output.requires_grad:
                continue
            for which, (place, tensor) in enumerate(checked):
                numerical = _by_differences(func, inputs, place, number, eps)
                analytical = _by_gradients(output, tensor)
                if not torch.allclose(analytical, numerical, rtol=rtol, atol=atol):
                    raise GradcheckError(
                        f"Jacobian mismatch for output {number} with respect to input {which},\n"
                        f"numerical:{numerical}\nanalytical:{analytical}\n"
                    )
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True
