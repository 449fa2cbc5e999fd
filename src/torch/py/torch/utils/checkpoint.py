"""torch.utils.checkpoint: calls the function; operands are kept for gradients as in any other call."""


from torch._arguments import hint


def checkpoint(function, *args, use_reentrant=None, preserve_rng_state=True, **kwargs):
    """The function's result."""
    hint(use_reentrant, preserve_rng_state)
    for option in ("context_fn", "determinism_check", "debug"):
        kwargs.pop(option, None)
    return function(*args, **kwargs)
