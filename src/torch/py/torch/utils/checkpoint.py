"""torch.utils.checkpoint: nothing is kept for gradients, so nothing has to be computed again."""


def checkpoint(function, *args, use_reentrant=None, **kwargs):
    """The function's result."""
    return function(*args, **kwargs)


def checkpoint_sequential(functions, segments, input, **kwargs):
    for function in functions:
        input = function(input)
    return input
