"""Gradients: the nodes of the graph that `grad_fn` shows, and the way back along them."""

import warnings

import _torch
import torch
from torch._arguments import only_defaults


_kinds = {}


class Node:
    """Which operation made a tensor. Each operation has a class of its own, named as `grad_fn` shows it."""

    def __new__(cls, name, place, record=None):
        # Nodes of a learner's own functions are in the module of `Function`.
        module = "torch.autograd.function" if record is not None and record.is_custom else "builtins"
        if (module, name) not in _kinds:
            _kinds[module, name] = type(name, (Node,), {"__module__": module})
        return object.__new__(_kinds[module, name])

    def __init__(self, name, place, record=None):
        self._name = name
        self._place = place
        self._record = record

    def name(self):
        return self._name

    @property
    def next_functions(self):
        """The operations that made the operands, and which of their results those were."""
        from torch._gradients import Step

        nodes = []
        for _, _, tensor, edge in Step(self._record).operands if self._record else ():
            if edge is not None:
                nodes.append((Node(edge[0].name, edge[0].place, edge[0]), edge[1]))
            elif tensor.requires_grad and tensor.is_leaf:
                node = Node("AccumulateGrad", tensor._identity)
                node.variable = tensor
                nodes.append((node, 0))
            else:
                nodes.append((None, 0))
        return tuple(nodes)

    def __eq__(self, other):
        return isinstance(other, Node) and self._place == other._place

    def __hash__(self):
        return hash(self._place)


class Context:
    """What a custom function keeps between `forward` and `backward`."""

    _not_differentiable = ()
    _materializes = True
    saved_tensors = ()

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors):
        pass

    def mark_non_differentiable(self, *tensors):
        self._not_differentiable = tensors

    def set_materialize_grads(self, value):
        self._materializes = value


class Function:
    """A custom operation: `forward(ctx, ...)` computes it, `backward(ctx, grad)` returns the gradients of its inputs."""

    @classmethod
    def apply(cls, *args):
        from _torch import _made_by
        from torch._gradients import functions

        context = Context()
        tensors = [arg for arg in args if isinstance(arg, torch.Tensor)]
        context._tensors = [isinstance(arg, torch.Tensor) for arg in args]
        context.needs_input_grad = tuple(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args)
        with torch.no_grad():
            if cls.setup_context is Function.setup_context:
                result = cls.forward(context, *args)
            else:
                result = cls.forward(*args)
                cls.setup_context(context, args, result)
        if not torch.is_grad_enabled() or not any(context.needs_input_grad):
            return result
        results = result if isinstance(result, tuple) else (result,)
        made = results
        results = tuple(out.view_as(out) if any(out is given for given in tensors) else out for out in results)
        context._results = [(out.shape, out.dtype) for out in results]
        place = _made_by(cls.__name__, tensors, list(results))
        functions[place] = (cls, context)
        results = tuple(
            out.detach() if any(given is marked for marked in context._not_differentiable) else out
            for out, given in zip(results, made)
        )
        return results if isinstance(result, tuple) else results[0]

    @staticmethod
    def forward(ctx, *args):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grads):
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )


def once_differentiable(function):
    return function


def _several(value):
    return tuple(value) if isinstance(value, (list, tuple)) else (value,)


def backward(
    tensors, grad_tensors=None, retain_graph=None, create_graph=False, grad_variables=None, inputs=None
):
    """Adds to `grad` of each leaf how much the tensors change with it."""
    only_defaults("backward", grad_variables=grad_variables)
    tensors = _several(tensors)
    given = (None,) * len(tensors) if grad_tensors is None else _several(grad_tensors)
    wanted = () if inputs is None else _several(inputs)
    if inputs is not None and not wanted:
        raise RuntimeError("`inputs` argument to `backward()` cannot be empty.")
    keep = create_graph if retain_graph is None else retain_graph
    _torch._backward(tensors, given, wanted, bool(keep), bool(create_graph))


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph=None,
    create_graph=False,
    only_inputs=True,
    allow_unused=None,
    is_grads_batched=False,
    materialize_grads=False,
):
    """How much the outputs change with each input; adds to no `grad`."""
    only_defaults("grad", only_inputs=not only_inputs, is_grads_batched=is_grads_batched)
    outputs, inputs = _several(outputs), _several(inputs)
    given = (None,) * len(outputs) if grad_outputs is None else _several(grad_outputs)
    for tensor in inputs:
        if not tensor.requires_grad:
            raise RuntimeError("One of the differentiated Tensors does not require grad")
    keep = create_graph if retain_graph is None else retain_graph
    found = _torch._grad(outputs, given, inputs, bool(keep), bool(create_graph))
    grads = []
    for tensor, got in zip(inputs, found):
        if got is None and materialize_grads:
            got = torch.zeros_like(tensor)
        if got is None and not allow_unused:
            raise RuntimeError(
                "One of the differentiated Tensors appears to not have been used in the graph. Set allow_unused=True "
                "if this is the desired behavior."
            )
        grads.append(got)
    return tuple(grads)


class GradcheckError(RuntimeError):
    """A gradient that is not how the result changes."""


def gradcheck(func, inputs, *, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True):
    """Whether each result of a function changes with each input as its gradient says: by differences, in double precision."""
    inputs = _several(inputs)
    if not any(isinstance(it, torch.Tensor) and it.requires_grad for it in inputs):
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have requires_grad=True.")
    for place, output in enumerate(_several(func(*inputs))):
        for at, value in enumerate(inputs):
            if not (output.requires_grad and isinstance(value, torch.Tensor) and value.requires_grad):
                continue

            def differences(step):
                sides = [func(*inputs[:at], value.detach() + side * step, *inputs[at + 1 :]) for side in (1, -1)]
                up, down = (_several(it)[place].detach().flatten() for it in sides)
                return (up - down) / (2 * eps)

            numerical = torch.stack([differences(eps * one.view_as(value)) for one in torch.eye(value.numel(), dtype=value.dtype)])
            ways = [one.view_as(output) for one in torch.eye(output.numel(), dtype=output.dtype)]
            rows = [grad(output, value, way, retain_graph=True, materialize_grads=True, allow_unused=True)[0].flatten() for way in ways]
            analytical = torch.stack(rows, 1)
            if not torch.allclose(analytical, numerical, rtol, atol):
                if raise_exception:
                    raise GradcheckError(
                        f"Jacobian mismatch for output {place} with respect to input {at},\nnumerical:{numerical}\nanalytical:{analytical}\n"
                    )
                return False
    return True


class set_detect_anomaly:
    """Whether backward raises where a gradient becomes NaN, and names the line that computed the result."""

    def __init__(self, mode=True, check_nan=True):
        self.prev = _torch._set_nan_is_error(bool(mode and check_nan))

    def __enter__(self):
        pass

    def __exit__(self, *error):
        _torch._set_nan_is_error(self.prev)


class detect_anomaly(set_detect_anomaly):
    """As `set_detect_anomaly`, within a block."""

    def __init__(self, check_nan=True):
        warnings.warn(
            "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for "
            "debugging.",
            stacklevel=2,
        )
        self.check_nan = check_nan

    def __enter__(self):
        self.prev = _torch._set_nan_is_error(bool(self.check_nan))


def __getattr__(name):
    if name in ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled"):
        return getattr(torch, name)
    if name == "Variable":
        return lambda data, requires_grad=False, volatile=None: data.requires_grad_(requires_grad)
    from torch._names import missing

    raise missing("torch.autograd", name, ("backward", "grad", "no_grad", "enable_grad"))
