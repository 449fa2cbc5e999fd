"""Modules and parameters in a row, in a list, or by name."""

import torch
from torch.nn.parameter import Parameter

from ._show import indented
from .module import Module


def _place(index, length):
    """The index counted from the front. Errors: IndexError when there is none."""
    try:
        index = index.__index__()
    except AttributeError:
        raise TypeError(f"'{type(index).__name__}' object cannot be interpreted as an integer") from None
    if not -length <= index < length:
        raise IndexError(f"index {index} is out of range")
    return index % length


class _Numbered(Module):
    """Modules or parameters in order."""

    _kept_in = "_modules"

    @property
    def _held(self):
        return self.__dict__[self._kept_in]

    def _key(self, index):
        return list(self._held)[_place(index, len(self))]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._part(list(self._held.items())[index])
        return self._held[self._key(index)]

    def __setitem__(self, index, value):
        setattr(self, self._key(index), value)

    def __delitem__(self, index):
        for key in list(self._held)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        left = list(self._held.values())
        self._held.clear()
        self._held.update((str(place), value) for place, value in enumerate(left))

    def __len__(self):
        return len(self._held)

    def __iter__(self):
        return iter(self._held.values())

    def append(self, module):
        self.add_module(str(len(self)), module)
        return self

    def extend(self, values):
        if not hasattr(values, "__iter__") or isinstance(values, torch.Tensor):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but got {type(values).__name__}"
            )
        for value in values:
            self.append(value)
        return self

    def pop(self, key):
        module = self[key]
        del self[key]
        return module


class Sequential(_Numbered):
    """Modules that are called in order, each with the output of the one before."""

    def __init__(self, *args):
        super().__init__()
        if len(args) == 1 and isinstance(args[0], dict) and hasattr(args[0], "move_to_end"):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for place, module in enumerate(args):
                self.add_module(str(place), module)

    def forward(self, input):
        for module in self:
            input = module(input)
        return input

    def _part(self, pairs):
        part = Sequential()
        for name, module in pairs:
            part.add_module(name, module)
        return type(self)(*part) if type(self) is not Sequential else part


class _List(_Numbered):
    """What ModuleList and ParameterList share."""

    def __init__(self, values=None):
        super().__init__()
        if values is not None:
            self += values

    def _part(self, pairs):
        return type(self)(value for _, value in pairs)

    def __iadd__(self, values):
        return self.extend(values)


class ModuleList(_List):
    """A list of modules; they are registered."""

    def __init__(self, modules=None):
        super().__init__(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def insert(self, index, module):
        for place in range(len(self), index, -1):
            self._modules[str(place)] = self._modules[str(place - 1)]
        self._modules[str(index)] = module

    def __repr__(self):
        # Neighbours that look the same are shown once: (0-11): 12 x Block(...)
        texts = [repr(module) for module in self]
        if not texts:
            return self._get_name() + "()"
        runs = [[0, 0]]
        for place, text in enumerate(texts[1:], 1):
            if text == texts[runs[-1][0]]:
                runs[-1][1] = place
            else:
                runs.append([place, place])
        lines = []
        for start, end in runs:
            text = indented(texts[start], 2)
            lines.append(f"({start}): {text}" if start == end else f"({start}-{end}): {end - start + 1} x {text}")
        return self._get_name() + "(\n  " + "\n  ".join(lines) + "\n)"


class ModuleDict(Module):
    """A dict of modules; they are registered."""

    # The attribute of a module that has what the dict holds.
    _kept_in = "_modules"
    _kept = property(lambda self: self.__dict__[self._kept_in])

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._kept[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._kept[key]

    def __len__(self):
        return len(self._kept)

    def __iter__(self):
        return iter(self._kept)

    def __contains__(self, key):
        return key in self._kept

    def keys(self):
        return self._kept.keys()

    def items(self):
        return self._kept.items()

    def values(self):
        return self._kept.values()

    def clear(self):
        self._kept.clear()

    def pop(self, key):
        return self._kept.pop(key)

    def update(self, modules):
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                "ModuleDict.update should be called with an iterable of key/value pairs, "
                f"but got {type(modules).__name__}"
            )
        if hasattr(modules, "keys"):
            for key in modules.keys():
                self[key] = modules[key]
            return
        for place, pair in enumerate(modules):
            if len(pair) != 2:
                raise ValueError(
                    f"ModuleDict update sequence element #{place} has length {len(pair)}; 2 is required"
                )
            self[pair[0]] = pair[1]


class ParameterList(_List):
    """A list of parameters; they are registered."""

    _kept_in = "_parameters"

    def __setitem__(self, index, value):
        super().__setitem__(index, _as_parameter(value))

    def append(self, value):
        self.register_parameter(str(len(self)), _as_parameter(value))
        return self

    def extra_repr(self):
        shapes = ["x".join(map(str, value.shape)) for value in self]
        rows = enumerate(zip(self, shapes))
        return "\n".join(f"  ({at}): Parameter containing: [{value.dtype} of size {shape}]" for at, (value, shape) in rows)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(ModuleDict):
    """A dict of parameters; they are registered."""

    _kept_in = "_parameters"

    def __setitem__(self, key, value):
        self.register_parameter(key, _as_parameter(value))

    def update(self, parameters):
        super().update(dict(sorted(parameters.items())) if type(parameters) is dict else parameters)

    def extra_repr(self):
        shapes = {key: "x".join(map(str, value.shape)) for key, value in self.items()}
        return "\n".join(f"  ({key}): Parameter containing: [{self[key].type()} of size {shape}]" for key, shape in shapes.items())


def _as_parameter(value):
    return Parameter(value) if isinstance(value, torch.Tensor) and not isinstance(value, Parameter) else value
