"""Classes of artists."""

from ._artists import BarContainer

__all__ = ["BarContainer"]
