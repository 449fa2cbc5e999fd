"""torch.backends: what kinds of hardware there are. Here: the CPU."""

import contextlib
import sys

from torch._arguments import hint


class _Backend:
    """A backend that is not there: it keeps what is set and is not available."""

    def __init__(self, name, available=False, **settings):
        self.__name__ = "torch.backends." + name
        self._available = available
        self.__dict__.update(settings)

    def is_available(self):
        return self._available

    def is_built(self):
        return self._available

    def version(self):
        return None

    def __repr__(self):
        return f"<module '{self.__name__}'>"

    def _switch(self, *args, **kwargs):
        hint(args, kwargs)

    def _enabled(self):
        return True

    def __getattr__(self, name):
        raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")

    enable_flash_sdp = enable_math_sdp = enable_mem_efficient_sdp = enable_cudnn_sdp = _switch
    flash_sdp_enabled = math_sdp_enabled = mem_efficient_sdp_enabled = cudnn_sdp_enabled = _enabled


def _sdp_kernel(enable_flash=True, enable_math=True, enable_mem_efficient=True, enable_cudnn=True):
    """A context that does nothing: there is one way to compute attention here."""
    hint(enable_flash, enable_math, enable_mem_efficient, enable_cudnn)
    return contextlib.nullcontext({})


cpu = _Backend("cpu", True)
mps = _Backend("mps")
cudnn = _Backend(
    "cudnn", enabled=True, benchmark=False, deterministic=False, allow_tf32=True, benchmark_limit=10
)
cuda = _Backend("cuda")
cuda.sdp_kernel = _sdp_kernel
cuda.matmul = _Backend("cuda.matmul", allow_tf32=False, allow_fp16_reduced_precision_reduction=True)
mkl = _Backend("mkl")
mkldnn = _Backend("mkldnn")
openmp = _Backend("openmp")

# `import torch.backends.cudnn` finds them.
sys.modules.update({part.__name__: part for part in (cpu, mps, cudnn, cuda, mkl, mkldnn, openmp)})
