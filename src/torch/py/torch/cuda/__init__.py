"""torch.cuda: there is no GPU here, and this says so."""

from contextlib import nullcontext

from torch._arguments import hint, on_cpu
from torch._names import absent_in


def always(answer):
    """A function that takes any arguments and has one answer."""

    def function(*args, **kwargs):
        hint(args, kwargs)
        return answer

    return function


is_available = is_initialized = is_bf16_supported = always(False)
device_count = memory_allocated = max_memory_allocated = memory_reserved = max_memory_reserved = always(0)
empty_cache = init = reset_peak_memory_stats = reset_max_memory_allocated = always(None)
seed = seed_all = manual_seed = manual_seed_all = always(None)


def synchronize(*args, **kwargs):
    """Nothing to do where the CPU is taken for the GPU; raises where it is not."""
    hint(args, kwargs)
    on_cpu("cuda")


set_device = synchronize


def current_device():
    on_cpu("cuda")
    return 0


def device(device):
    hint(device)
    on_cpu("cuda")
    return nullcontext()


def get_device_name(*args, **kwargs):
    synchronize(*args, **kwargs)
    raise NotImplementedError("there is no GPU here whose properties torch.cuda could tell: attn takes the CPU for it")


get_device_capability = get_device_properties = mem_get_info = memory_summary = get_device_name

__getattr__ = absent_in("torch.cuda", globals(), ("amp",))
