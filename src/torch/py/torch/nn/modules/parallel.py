"""Modules on several devices: here there is one."""

from torch._arguments import only_defaults

from .module import Module


class DataParallel(Module):
    """Calls its module, as PyTorch does where there is no GPU."""

    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        only_defaults("DataParallel", device_ids=device_ids or None, output_device=output_device, dim=dim or None)
        self.module = module
        self.device_ids = []

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
