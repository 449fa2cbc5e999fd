"""Classes of artists."""

from ._artists import Colorbar

__all__ = ["Colorbar"]
