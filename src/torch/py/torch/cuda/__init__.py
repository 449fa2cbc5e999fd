"""torch.cuda: there is no GPU here, and this says so."""

from torch._arguments import hint


def no_gpu():
    return RuntimeError(
        "attn computes on the CPU: there is no CUDA device here. "
        "device = 'cuda' if torch.cuda.is_available() else 'cpu' picks what there is"
    )


_no_gpu = no_gpu


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


def _refused(*args, **kwargs):
    raise no_gpu()


synchronize = current_device = get_device_name = get_device_capability = get_device_properties = _refused
set_device = mem_get_info = memory_summary = device = _refused


def __getattr__(name):
    if name == "amp":
        import torch.cuda.amp as amp

        return amp
    from torch._names import missing

    raise missing("torch.cuda", name, globals())
