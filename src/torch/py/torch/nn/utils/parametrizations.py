"""Ready-made parametrizations: weight norm and spectral norm."""

import _torch
import torch
from torch.nn import Module
from torch.nn.functional import normalize
from torch.nn.utils.parametrize import register_parametrization

__all__ = ["spectral_norm", "weight_norm"]


def _named(weight):
    _torch._name_node(weight, "WeightNormInterface", 0)
    return weight


class _WeightNorm(Module):
    """Length times direction. Salimans & Kingma 2016."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def _norm(self, weight):
        others = [axis for axis in range(weight.dim()) if axis != self.dim]
        return weight.norm(2) if self.dim == -1 else weight.norm(2, others, keepdim=True)

    def forward(self, weight_g, weight_v):
        """The weight from its length and a vector in its direction."""
        return _named(weight_v * (weight_g / self._norm(weight_v)))

    def right_inverse(self, weight):
        """The length of a weight, and the weight as a direction."""
        return self._norm(weight), weight


def weight_norm(module, name="weight", dim=0):
    """The weight as a length and a direction, which are learned apart."""
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    return module


class _SpectralNorm(Module):
    """The weight divided by its largest singular value, found by power iteration. Miyato et al. 2018."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        if n_power_iterations <= 0:
            raise ValueError(
                f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}"
            )
        self.dim = dim if dim >= 0 else dim + weight.ndim
        self.eps = eps
        if weight.ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._matrix(weight)
            rows, columns = matrix.size()
            u = matrix.new_empty(rows).normal_(0, 1)
            v = matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", normalize(v, dim=0, eps=eps))
            self._iterate(matrix, 15)

    def _matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *(axis for axis in range(weight.dim()) if axis != self.dim))
        return weight.flatten(1)

    @torch.no_grad()
    def _iterate(self, matrix, times):
        for _ in range(times):
            self._u.copy_(normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(normalize(torch.mv(matrix.t(), self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        """The weight with a largest singular value of about 1."""
        if weight.ndim == 1:
            return normalize(weight, dim=0, eps=self.eps)
        matrix = self._matrix(weight)
        if self.training:
            self._iterate(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.dot(u, torch.mv(matrix, v))

    def right_inverse(self, value):
        """The value itself: its singular value is not known to be 1."""
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """The weight divided by its largest singular value."""
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if type(module).__name__.startswith("ConvTranspose") else 0
    register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
    return module


def __getattr__(name):
    from torch._names import missing

    raise missing("torch.nn.utils.parametrizations", name, __all__)
