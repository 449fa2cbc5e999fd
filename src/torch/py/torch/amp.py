"""torch.amp: attn computes in the dtype that is written, so these do nothing."""

from torch._more import autocast


class GradScaler:
    def __init__(self, device="cpu", init_scale=65536.0, enabled=True, **kwargs):
        pass

    def scale(self, outputs):
        return outputs

    def step(self, optimizer, *args, **kwargs):
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        pass

    def unscale_(self, optimizer):
        pass
