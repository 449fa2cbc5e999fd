"""torch.amp: automatic mixed precision."""

import warnings

from torch._arguments import hint
from torch._autocast import autocast, is_autocast_available

# PyTorch has a folder of files here: `from torch.amp.autocast_mode import autocast`.
__path__ = []
__all__ = ["GradScaler", "autocast", "is_autocast_available"]


class GradScaler:
    """What scales a loss so that small gradients stay numbers in float16 on a GPU. Where there is none it is switched off, as
    PyTorch's is, and passes everything on."""

    def __init__(
        self,
        device="cuda",
        init_scale=65536.0,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        hint(init_scale, growth_factor, backoff_factor, growth_interval)
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.")
        elif enabled:
            raise NotImplementedError(
                f"GradScaler({device!r}) is not part of attn: bfloat16 needs none, and enabled=False switches it off"
            )

    def scale(self, outputs):
        return outputs

    def unscale_(self, optimizer):
        pass

    def step(self, optimizer, *args, **kwargs):
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        pass

    def is_enabled(self):
        return False

    def get_scale(self):
        return 1.0

    def state_dict(self):
        return {}

    def load_state_dict(self, state_dict):
        pass
