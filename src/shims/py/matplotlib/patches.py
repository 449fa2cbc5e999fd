"""Classes of artists."""

from ._artists import Rectangle

__all__ = ["Rectangle"]
