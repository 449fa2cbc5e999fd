"""Classes of artists."""

from ._artists import Legend

__all__ = ["Legend"]
