"""Classes of artists."""

from ._artists import Line2D

__all__ = ["Line2D"]
