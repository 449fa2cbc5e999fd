"""Importing by name."""

import sys

__all__ = ["import_module", "invalidate_caches", "reload"]


def import_module(name, package=None):
    if name.startswith("."):
        if not package:
            raise TypeError(f"the 'package' argument is required to perform a relative import for {name!r}")
        level = len(name) - len(name.lstrip("."))
        base = package.rsplit(".", level - 1)[0]
        name = base + "." + name[level:] if name[level:] else base
    __import__(name)
    return sys.modules[name]


def reload(module):
    """Returns the module as it is: the modules in attn do not change while it runs."""
    return module


def invalidate_caches():
    pass


def __getattr__(name):
    if name in ("metadata", "util"):
        return import_module("importlib." + name)
    raise AttributeError(f"module 'importlib' has no attribute {name!r}")
