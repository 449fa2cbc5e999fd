"""The part of `packaging` that compares versions."""

__version__ = "24.2"
