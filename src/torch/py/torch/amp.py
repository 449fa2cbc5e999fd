"""torch.amp: attn computes in the dtype that is written, so these do nothing."""

from torch._arguments import hint
from torch._more import autocast


class GradScaler:
    """As PyTorch's without a GPU, where it changes nothing."""

    def __init__(self, device="cuda", init_scale=65536.0, enabled=True, **kwargs):
        hint(init_scale, kwargs)
        if device == "cpu" and enabled:
            raise NotImplementedError("GradScaler on the CPU is not part of attn; use enabled=False")

    def scale(self, outputs):
        return outputs

    def step(self, optimizer, *args, **kwargs):
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        hint(new_scale)

    def unscale_(self, optimizer):
        hint(optimizer)

    def is_enabled(self):
        return False

    def get_scale(self):
        return 1.0

    def state_dict(self):
        return {}

    def load_state_dict(self, state_dict):
        hint(state_dict)
