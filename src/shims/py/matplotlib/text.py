"""Classes of artists."""

from ._artists import Text, Annotation

__all__ = ["Text", "Annotation"]
