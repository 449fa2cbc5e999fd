"""torch.utils.checkpoint: calls the function; operands are kept for gradients as in any other call."""


from torch._arguments import hint


def checkpoint(function, *args, use_reentrant=None, **kwargs):
    """The function's result."""
    hint(use_reentrant)
    return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, **kwargs):
    hint(segments, kwargs)
    for function in functions:
        input = function(input)
    return input
