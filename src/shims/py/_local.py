"""Loads the modules beside the program."""

import sys
from _frozen_importlib import ModuleSpec


class _Loader:
    def __init__(self, path, source):
        self.path, self.source = path, source

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        module.__file__ = self.path
        # The text is kept for tracebacks and `inspect.getsource`, as that of a cell is.
        sys._cells[self.path] = self.source
        exec(compile(self.source, self.path, "exec"), module.__dict__)


def spec(name, path, source, package):
    found = ModuleSpec(name, _Loader(path, source), origin=path, is_package=package)
    if package:
        found.submodule_search_locations = [path.removesuffix("__init__.py")]
    return found
