"""torch.cuda.amp: the older names of torch.amp."""

import torch
from torch import amp


class autocast(amp.autocast):
    def __init__(self, enabled=True, dtype=torch.float16, cache_enabled=True):
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    def __init__(self, *args, **kwargs):
        super().__init__("cuda", *args, **kwargs)
