"""What to say about names that are not here. `src/torch/absent.txt` has those that PyTorch has."""

import _torch

# `missing(place, name, names)`: the error for `place.name`, which is not among the names of `place`.
missing = _torch._missing

# `hasattr`, and `getattr` with a default, take such a name for one that is not there.
Absent = type("NotImplementedError", (NotImplementedError, AttributeError), {"__module__": "builtins"})


def absent_in(place, names, submodules=(), files=None):
    """The `__getattr__` of a module: its submodules and what modules named in `files` define, as they are asked for, and the
    errors for all other names."""

    def __getattr__(name):
        import importlib

        if name in submodules:
            return importlib.import_module(f"{place}.{name}")
        if files is None or name not in files:
            raise missing(place, name, names)
        value = getattr(importlib.import_module(files[name]), name)
        setattr(importlib.import_module(place), name, value)
        return value

    return __getattr__


def imported(name):
    """The error for `from torch.nn import Conv3d`, if PyTorch has the name and attn has not."""
    import sys

    place, _, leaf = name.rpartition(".")
    if place not in sys.modules:
        return None
    error = missing(place, leaf, vars(sys.modules[place]))
    return ImportError(str(error), name=leaf) if isinstance(error, NotImplementedError) else None
