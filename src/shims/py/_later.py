"""Stand-ins for modules that attn does not have.

Importing one is harmless, so that the rest of a notebook's first cell runs; using it raises an
ImportError that says what serves instead.
"""

from _frozen_importlib import ModuleSpec

_Module = type(__import__("sys"))

# Parts of these modules that are imported by name: `from matplotlib import pyplot`.
_PARTS = ("pyplot", "ticker", "cm", "colors", "animation", "gridspec", "patches", "request", "parse")


class Later(_Module):
    def __init__(self, name, advice):
        super().__init__(name)
        self.__dict__["_advice"] = advice

    def __getattr__(self, name):
        if name in _PARTS:
            return __import__(f"{self.__name__}.{name}", fromlist=["_advice"])
        if name[:2] == "__":
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        top = self.__name__.partition(".")[0]
        raise ImportError(f"{self.__name__}.{name} is not here: {self._advice}", name=top)


class _Loader:
    def __init__(self, advice):
        self._advice = advice

    def create_module(self, spec):
        return Later(spec.name, self._advice)

    def exec_module(self, module):
        pass


def spec(name, advice):
    return ModuleSpec(name, _Loader(advice), is_package=True)
