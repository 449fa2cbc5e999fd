"""Classes of artists."""

from ._artists import AxesImage

__all__ = ["AxesImage"]
