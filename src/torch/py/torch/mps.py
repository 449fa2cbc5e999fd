"""torch.mps: there is no Apple GPU here."""

from torch.cuda import always

is_available = always(False)
device_count = current_allocated_memory = always(0)
manual_seed = seed = empty_cache = synchronize = always(None)
