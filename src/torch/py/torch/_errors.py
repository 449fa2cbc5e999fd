"""Errors that say what they are about, so that attn can explain them without reading their text."""

from _torch import _about


def dropout_probability(p):
    return _about(ValueError(f"dropout probability has to be between 0 and 1, but got {p}"), "dropout probability")


def channels(input, weight, groups):
    x = input if input.dim() == weight.dim() else input.unsqueeze(0)
    message = (
        f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(x.shape)} to have "
        f"{weight.size(1) * groups} channels, but got {x.size(1)} channels instead"
    )
    return _about(RuntimeError(message), "channels", input.shape, weight.shape, groups)


def uneven_heads(width, heads):
    return _about(AssertionError("embed_dim must be divisible by num_heads"), "uneven heads", width, heads)


def no_forward(module):
    message = f'Module [{type(module).__name__}] is missing the required "forward" function'
    return _about(NotImplementedError(message), "no forward")


def not_initialised(kind):
    return _about(AttributeError(f"cannot assign {kind} before Module.__init__() call"), "not initialised")


def state_dict(module, errors, missing, unexpected):
    told = "\n\t".join(errors)
    error = RuntimeError(f"Error(s) in loading state_dict for {type(module).__name__}:\n\t{told}")
    return _about(error, "state dict keys", missing, unexpected) if missing or unexpected else error
