"""torch.cuda: there is no GPU here, and this says so."""

from contextlib import nullcontext

from torch._arguments import hint, on_cpu
from torch._names import absent_in


def is_available():
    return False


def is_initialized():
    return False


def is_bf16_supported(including_emulation=True):
    hint(including_emulation)
    return False


def device_count():
    return 0


def manual_seed(seed):
    hint(seed)


def manual_seed_all(seed):
    hint(seed)


def _nothing(*args, **kwargs):
    hint(args, kwargs)


empty_cache = init = reset_peak_memory_stats = reset_max_memory_allocated = seed = seed_all = _nothing


def _zero(*args, **kwargs):
    hint(args, kwargs)
    return 0


memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = _zero


def _needed(*args, **kwargs):
    """Nothing to do where the CPU is taken for the GPU; raises where it is not."""
    hint(args, kwargs)
    on_cpu("cuda")


synchronize = set_device = _needed


def current_device():
    on_cpu("cuda")
    return 0


def device(device):
    hint(device)
    on_cpu("cuda")
    return nullcontext()


def _refused(*args, **kwargs):
    hint(args, kwargs)
    on_cpu("cuda")
    raise NotImplementedError("there is no GPU here whose properties torch.cuda could tell: attn takes the CPU for it")


get_device_name = get_device_capability = get_device_properties = mem_get_info = memory_summary = _refused

__getattr__ = absent_in("torch.cuda", globals(), ("amp",))
