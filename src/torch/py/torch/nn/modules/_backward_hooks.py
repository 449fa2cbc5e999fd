"""The backward hooks of a module: they see the gradients of its inputs and outputs, and may replace them."""

import warnings

import torch
from torch.autograd import Function


class BackwardHookFunction(Function):
    """The identity; its gradients go through `ctx.hook`."""

    @staticmethod
    def forward(ctx, hook, *tensors):
        ctx.hook = hook
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*[tensor for tensor in tensors if not tensor.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx, *grads):
        return (None, *ctx.hook(grads))


class BackwardHooks:
    """The hooks of one call of `module`."""

    def __init__(self, module):
        self.module = module
        self.hooks = [*module._backward_hooks.values()]
        self.grad_output = None
        # Which inputs and outputs are tensors; None for the inputs while none of them requires a gradient.
        self.inputs = self.outputs = None
        self.input_count = self.output_count = 0

    def on_inputs(self, args):
        self.input_count = len(args)
        args, self.inputs = _through(self._inputs_reached, args)
        return args

    def on_output(self, output):
        if not isinstance(output, (torch.Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                f"but received {type(output)}"
            )
            return output
        outputs = output if isinstance(output, tuple) else (output,)
        self.output_count = len(outputs)
        outputs, self.outputs = _through(self._outputs_reached, outputs)
        return outputs if isinstance(output, tuple) else outputs[0]

    def _outputs_reached(self, grads):
        grad_output = _spread(grads, self.outputs, self.output_count)
        if self.inputs is None:
            for hook in self.hooks:
                changed = hook(self.module, (None,) * self.input_count, grad_output)
                if changed is not None and not (isinstance(changed, tuple) and all(grad is None for grad in changed)):
                    raise RuntimeError(
                        "Backward hook for Modules where no input requires gradient should always return None or None "
                        "for all gradients."
                    )
        else:
            self.grad_output = grad_output
        return tuple(grad_output[at] for at in self.outputs)

    def _inputs_reached(self, grads):
        if self.grad_output is None:
            return grads
        grad_input, grad_output = _spread(grads, self.inputs, self.input_count), self.grad_output
        self.grad_output = None
        for hook in self.hooks:
            changed = hook(self.module, grad_input, grad_output)
            if changed is not None:
                changed = changed if isinstance(changed, tuple) else (changed,)
                if len(changed) != len(grad_input):
                    raise RuntimeError(
                        f"Backward hook returned an invalid number of grad_input, got {len(changed)}, but expected "
                        f"{len(grad_input)}"
                    )
                grad_input = changed
        return tuple(grad_input[at] for at in self.inputs)


def _through(hook, values):
    """The values, tensors passed through the identity with this hook, and where the tensors are."""
    at = [index for index, value in enumerate(values) if isinstance(value, torch.Tensor)]
    if not torch.is_grad_enabled() or not any(values[index].requires_grad for index in at):
        return values, None
    passed = dict(zip(at, BackwardHookFunction.apply(hook, *[values[index] for index in at])))
    return tuple(passed.get(index, value) for index, value in enumerate(values)), at


def _spread(grads, at, count):
    """The gradients at their places among `count` values, None elsewhere."""
    found = dict(zip(at, grads))
    return tuple(found.get(index) for index in range(count))
