"""Stand-ins for modules that attn does not have.

Importing one, or a name from one, is harmless, so that the rest of a notebook's first cell runs; using it raises an
ImportError that says what serves instead.
"""

from _frozen_importlib import ModuleSpec

_Module = type(__import__("sys"))


def _part(name, advice):
    """A name of such a module. Errors can be named in `except`, though nothing raises them."""
    if name.endswith(("Error", "Exception")):
        return type(name.rpartition(".")[2], (Exception,), {})
    return Part(name, advice)


class Part:
    """A name of such a module: a function or class that is not here, or a module within it."""

    def __init__(self, name, advice):
        self.__dict__["_name"] = name
        self.__dict__["_advice"] = advice

    def _refuse(self, *args, **kwargs):
        raise ImportError(f"{self._name} is not here: {self._advice}", name=self._name.partition(".")[0])

    __call__ = __mro_entries__ = __getitem__ = __iter__ = __len__ = __enter__ = __or__ = __ror__ = _refuse
    __setattr__ = __contains__ = __bool__ = __str__ = __format__ = __add__ = __radd__ = _refuse

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(f"'{self._name}' has no attribute '{name}'")
        return _part(f"{self._name}.{name}", self._advice)

    def __instancecheck__(self, value):
        return False

    def __repr__(self):
        return f"<{self._name}, which is not here>"


class Later(_Module):
    """A module that is not here."""

    def __init__(self, name, advice):
        super().__init__(name)
        self.__dict__["_advice"] = advice

    def __getattr__(self, name):
        if name[:2] == "__":
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        return _part(f"{self.__name__}.{name}", self._advice)


class _Loader:
    def __init__(self, advice):
        self._advice = advice

    def create_module(self, spec):
        return Later(spec.name, self._advice)

    def exec_module(self, module):
        pass


def spec(name, advice):
    return ModuleSpec(name, _Loader(advice), is_package=True)


class _Same:
    """Loads a module that has the names of another one, where a package keeps them in a file of their own."""

    def __init__(self, target):
        self._target = target

    def create_module(self, spec):
        from importlib import import_module

        package, _, name = self._target.rpartition(".")
        try:
            return import_module(self._target)
        except ImportError:
            # An object among a module's names, such as torch.backends.cudnn.
            return getattr(import_module(package), name)

    def exec_module(self, module):
        pass


def same(name, target):
    return ModuleSpec(name, _Same(target))
