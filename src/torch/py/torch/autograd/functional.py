"""Derivatives of functions: Jacobian and Hessian matrices, and their products with vectors.

Rows of a Jacobian are gradients, one for each element of the result. A product of the Jacobian with a vector from the
right is the gradient of a gradient: v J is linear in v, and its gradient in the direction u is J u.
"""

import torch
from torch._arguments import only_defaults


def _tensors(value, what, name):
    """Whether a tuple was given, and the tensors as a tuple."""
    several = isinstance(value, tuple)
    tensors = value if several else (value,)
    for at, tensor in enumerate(tensors):
        if not isinstance(tensor, torch.Tensor):
            which = f"value at index {at}" if several else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} has type "
                f"{type(tensor)}."
            )
    return several, tensors


def _as_given(tensors, several):
    return tensors if several else tensors[0]


def _copies(tensors, create_graph, track):
    """Tensors of their own, so that a function that also reads the originals has no gradient for that."""
    return tuple(
        tensor.view_as(tensor) if create_graph and tensor.requires_grad else tensor.detach().requires_grad_(track)
        for tensor in tensors
    )


def _results(func, inputs, name, strict):
    several, outputs = _tensors(func(*inputs), "outputs of the user-provided function", name)
    for at, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise RuntimeError(
                f"Output {at} of the user-provided function does not require gradients. The outputs must be computed in "
                "a differentiable manner from the input when running in strict mode."
            )
    return several, outputs


def _vector(v, others, several, name, create_graph, missing):
    """The vector as a tuple of tensors with the shapes of others."""
    if v is None:
        if len(others) != 1 or others[0].numel() != 1:
            raise RuntimeError(missing)
        return None
    _, v = _tensors(v, "v", name)
    v = _copies(v, create_graph, False)
    if len(v) != len(others):
        raise RuntimeError(
            f"v is a tuple of invalid length: should be {len(others)} but got {len(v)}."
            if several
            else "The given v should contain a single Tensor."
        )
    for at, (part, other) in enumerate(zip(v, others)):
        if part.size() != other.size():
            where = f"Entry {at} in " if several else ""
            raise RuntimeError(f"{where}v has invalid size: should be {other.size()} but got {part.size()}.")
    return v


def _grads(outputs, inputs, v, create_graph):
    """v J, with None for inputs that nothing depends on."""
    given = (None,) * len(outputs) if v is None else v
    pairs = [(output, part) for output, part in zip(outputs, given) if output is not None and output.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return torch.autograd.grad(
        tuple(output for output, _ in pairs),
        inputs,
        tuple(part for _, part in pairs),
        create_graph=create_graph,
        retain_graph=True,
        allow_unused=True,
    )


def _filled(grads, like, strict, message):
    """Zeros in place of None; in strict mode an error."""
    for at, grad in enumerate(grads):
        if grad is None and strict:
            raise RuntimeError(message.format(at))
    return tuple(torch.zeros_like(other) if grad is None else grad for grad, other in zip(grads, like))


def _finished(tensors, create_graph):
    return tensors if create_graph else tuple(tensor.detach() for tensor in tensors)


_INDEPENDENT = "The output of the user-provided function is independent of input {}. This is not allowed in strict mode."
_NUMBERED = (
    "Output NUMBER of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
_TRICK = (
    "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double "
    "backward trick to compute forward mode gradients. This is not allowed in strict mode."
)
_SECOND = (
    "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode."
)
_SECOND_TRICK = (
    "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in "
    "strict mode as it prevents from using the double backward trick to replace forward mode AD."
)


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    """The result of a function, and v J: the product of a vector with its Jacobian."""
    several, inputs = _tensors(inputs, "inputs", "vjp")
    with torch.enable_grad():
        inputs = _copies(inputs, create_graph, True)
        several_out, outputs = _results(func, inputs, "vjp", strict)
        missing = (
            "The vector v can only be None if the user-provided function returns a single Tensor with a single element."
        )
        v = _vector(v, outputs, several_out, "vjp", create_graph, missing)
        grads = _filled(_grads(outputs, inputs, v, create_graph), inputs, strict, _INDEPENDENT)
    outputs, grads = _finished(outputs, create_graph), _finished(grads, create_graph)
    return _as_given(outputs, several_out), _as_given(grads, several)


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    """The result of a function, and J v: the product of its Jacobian with a vector."""
    several, inputs = _tensors(inputs, "inputs", "jvp")
    with torch.enable_grad():
        inputs = _copies(inputs, create_graph, True)
        missing = (
            "The vector v can only be None if the input to the user-provided function is a single Tensor with a single "
            "element."
        )
        v = _vector(v, inputs, several, "jvp", create_graph, missing)
        several_out, outputs = _results(func, inputs, "jvp", strict)
        # u J is linear in u, so its gradient does not depend on the values of u.
        u = tuple(torch.zeros_like(output, requires_grad=True) for output in outputs)
        rows = _grads(outputs, inputs, u, True)
        products = _filled(_grads(rows, u, v, create_graph), outputs, strict, _TRICK)
    outputs, products = _finished(outputs, create_graph), _finished(products, create_graph)
    return _as_given(outputs, several_out), _as_given(products, several_out)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    """How much each element of the result changes with each element of the input: shape of the result, then of the input."""
    if strategy != "reverse-mode":
        only_defaults("jacobian", strategy=strategy)
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please "
            "either set `strict=False` or `vectorize=False`."
        )
    several, inputs = _tensors(inputs, "inputs", "jacobian")
    with torch.enable_grad():
        inputs = _copies(inputs, create_graph, True)
        several_out, outputs = _results(func, inputs, "jacobian", strict)
        matrices = []
        for number, output in enumerate(outputs):
            rows = []
            for element in output.reshape(-1):
                message = _NUMBERED.replace("NUMBER", str(number))
                rows.append(_filled(_grads((element,), inputs, None, create_graph), inputs, strict, message))
            matrices.append(
                tuple(
                    torch.stack(column).view(output.shape + tensor.shape)
                    if rows
                    else tensor.new_zeros(output.shape + tensor.shape)
                    for column, tensor in zip(zip(*rows) if rows else inputs, inputs)
                )
            )
    matrices = tuple(_as_given(_finished(row, create_graph), several) for row in matrices)
    return _as_given(matrices, several_out)


def _single(func, name, strict):
    """The function, which must return one number."""

    def of(*inputs):
        several, outputs = _results(func, inputs, name, strict)
        if several:
            raise RuntimeError(f"The function given to {name} should return a single Tensor")
        if outputs[0].numel() != 1:
            raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
        return outputs[0].squeeze()

    return of


def hessian(func, inputs, create_graph=False, strict=False, vectorize=False, outer_jacobian_strategy="reverse-mode"):
    """The second derivatives of a function that returns one number: the Jacobian of its gradient."""
    if outer_jacobian_strategy != "reverse-mode":
        only_defaults("hessian", outer_jacobian_strategy=outer_jacobian_strategy)
    several, tensors = _tensors(inputs, "inputs", "hessian")
    single = _single(func, "hessian", strict)

    def gradient(*inputs):
        grads = jacobian(single, inputs, create_graph=True)
        for at, grad in enumerate(grads):
            if strict and not grad.requires_grad:
                raise RuntimeError(
                    "While computing the hessian, found that the jacobian of the user-provided function with respect to "
                    f"input {at} is independent of the input. This is not allowed in strict mode. You should ensure "
                    "that your function is twice differentiable and that the jacobian depends on the inputs (this would "
                    "be violated by a linear function for example)."
                )
        return grads

    found = jacobian(gradient, tensors, create_graph, strict, vectorize)
    return found if several else found[0][0]


def _gradient(func, inputs, name, strict):
    """The result of a function that returns one number, and its gradient as a function of the inputs."""
    output = _single(func, name, strict)(*inputs)
    grads = _filled(_grads((output,), inputs, None, True), inputs, strict, _INDEPENDENT)
    return output, grads


_NO_VECTOR = (
    "The vector v can only be None if the input to the user-provided function is a single Tensor with a single element."
)


def _vector_product(func, inputs, v, create_graph, strict, name, product):
    """The result of a function that returns one number, and `product(gradient, inputs, v)`."""
    several, inputs = _tensors(inputs, "inputs", name)
    with torch.enable_grad():
        inputs = _copies(inputs, create_graph, True)
        v = _vector(v, inputs, several, name, create_graph, _NO_VECTOR)
        output, grads = _gradient(func, inputs, name, strict)
        products = product(grads, inputs, v)
    return _finished((output,), create_graph)[0], _as_given(_finished(products, create_graph), several)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    """The result of a function that returns one number, and v H: the product of a vector with its Hessian."""

    def product(grads, inputs, v):
        return _filled(_grads(grads, inputs, v, create_graph), inputs, strict, _SECOND)

    return _vector_product(func, inputs, v, create_graph, strict, "vhp", product)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    """The result of a function that returns one number, and H v: the product of its Hessian with a vector."""

    def product(grads, inputs, v):
        u = tuple(torch.zeros_like(tensor, requires_grad=True) for tensor in inputs)
        rows = _grads(grads, inputs, u, True)
        return _filled(_grads(rows, u, v, create_graph), inputs, strict, _SECOND_TRICK)

    return _vector_product(func, inputs, v, create_graph, strict, "hvp", product)
