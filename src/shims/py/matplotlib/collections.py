"""Classes of artists."""

from ._artists import PathCollection, PolyCollection, QuadMesh

__all__ = ["PathCollection", "PolyCollection", "QuadMesh"]
