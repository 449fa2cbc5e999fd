"""What `Module` needs only now and then: calls through hooks, and the arguments of `to`."""

import torch


def call(module, args, kwargs):
    """A call of `module` with its hooks before and after."""
    for key, hook in [*module._forward_pre_hooks.items()]:
        if key in module._forward_pre_hooks_with_kwargs:
            result = hook(module, args, kwargs)
            if result is not None:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        "forward pre-hook must return None or a tuple of (new_args, new_kwargs), "
                        f"but got {result}."
                    )
                args, kwargs = result
        else:
            result = hook(module, args)
            if result is not None:
                args = result if isinstance(result, tuple) else (result,)
    backward_hooks = None
    if module._backward_hooks:
        from ._backward_hooks import BackwardHooks

        backward_hooks = BackwardHooks(module)
        args = backward_hooks.on_inputs(args)
    output = module.forward(*args, **kwargs)
    for key, hook in [*module._forward_hooks.items()]:
        if key in module._forward_hooks_with_kwargs:
            result = hook(module, args, kwargs, output)
        else:
            result = hook(module, args, output)
        output = output if result is None else result
    return output if backward_hooks is None else backward_hooks.on_output(output)


def dtype_of_to(args, kwargs):
    """The dtype that a call `module.to(...)` names, or None."""
    unknown = set(kwargs) - {"device", "dtype", "non_blocking", "memory_format", "tensor", "other"}
    if unknown:
        raise TypeError(f"to() got an unexpected keyword argument '{sorted(unknown)[0]}'")
    dtype = kwargs.get("dtype")
    for value in (*args, kwargs.get("tensor"), kwargs.get("other"), kwargs.get("device")):
        if isinstance(value, torch.dtype):
            dtype = value
        elif isinstance(value, torch.Tensor):
            dtype = value.dtype
        elif isinstance(value, (str, torch.device)):
            torch.empty(0).to(value)
    if dtype is not None and not dtype.is_floating_point:
        raise TypeError(
            f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}"
        )
    return dtype
