"""Batch normalisation: mean 0 and variance 1 for each channel over the batch."""

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.parameter import Parameter

from .module import Module


class _BatchNorm(Module):
    _dims = ()
    _version = 2

    def __init__(
        self, num_features, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name in ("weight", "bias"):
            param = Parameter(torch.empty(num_features, device=device, dtype=dtype)) if affine else None
            self.register_parameter(name, param)
        on = track_running_stats
        self.register_buffer("running_mean", torch.zeros(num_features, dtype=dtype) if on else None)
        self.register_buffer("running_var", torch.ones(num_features, dtype=dtype) if on else None)
        self.register_buffer("num_batches_tracked", torch.tensor(0, dtype=torch.long) if on else None)
        self.reset_parameters()

    def reset_running_stats(self):
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            init.zeros_(self.bias)

    def forward(self, input):
        if input.dim() not in self._dims:
            expected = " or ".join(f"{dim}D" for dim in self._dims)
            raise ValueError(f"expected {expected} input (got {input.dim()}D input)")
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        by_batch = self.training or (self.running_mean is None and self.running_var is None)
        keep = not self.training or self.track_running_stats
        return F.batch_norm(
            input,
            self.running_mean if keep else None,
            self.running_var if keep else None,
            self.weight,
            self.bias,
            by_batch,
            factor,
            self.eps,
        )

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Input (N, C) or (N, C, L)."""

    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Input (N, C, H, W)."""

    _dims = (4,)
