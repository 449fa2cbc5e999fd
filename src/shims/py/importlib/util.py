"""Checks whether a module can be imported."""

import sys


def find_spec(name, package=None):
    if name in sys.modules:
        return getattr(sys.modules[name], "__spec__", None)
    try:
        for finder in sys.meta_path:
            spec = finder.find_spec(name, None, None)
            if spec is not None:
                return spec
    except ImportError:
        pass
    return None
