"""torch.mps: there is no Apple GPU here."""

from torch._arguments import hint


def is_available():
    return False


def device_count():
    return 0


def _nothing(*args, **kwargs):
    hint(args, kwargs)


manual_seed = seed = empty_cache = synchronize = _nothing


def current_allocated_memory():
    return 0
