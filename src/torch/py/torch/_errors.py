"""Errors that say what they are about, so that attn can explain them without reading their text."""

from _torch import _about


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
