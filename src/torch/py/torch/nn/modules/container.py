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
    """What Sequential and ModuleList share: modules in order."""

    def _key(self, index):
        return list(self._modules)[_place(index, len(self._modules))]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self._part(list(self._modules.items())[index])
        return self._modules[self._key(index)]

    def __setitem__(self, index, module):
        setattr(self, self._key(index), module)

    def __delitem__(self, index):
        for key in list(self._modules)[index] if isinstance(index, slice) else [self._key(index)]:
            delattr(self, key)
        left = list(self._modules.values())
        self._modules.clear()
        self._modules.update((str(place), module) for place, module in enumerate(left))

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def append(self, module):
        self.add_module(str(len(self)), module)
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

    def insert(self, index, module):
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        length = len(self)
        if not -length <= index <= length:
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        for place, one in enumerate(modules):
            self._modules[str(place)] = one
        return self

    def extend(self, sequential):
        for module in sequential:
            self.append(module)
        return self

    def __add__(self, other):
        return Sequential(*self).__iadd__(other)

    def __iadd__(self, other):
        if not isinstance(other, Sequential):
            raise ValueError(
                f"add operator supports only objects of Sequential class, but {type(other)} is given."
            )
        return self.extend(other)

    def __mul__(self, other):
        if not isinstance(other, int):
            raise TypeError(f"unsupported operand type(s) for *: {type(self)} and {type(other)}")
        if other <= 0:
            raise ValueError(f"Non-positive multiplication factor {other} for {type(self)}")
        return Sequential(*list(self) * other)

    __rmul__ = __mul__


class ModuleList(_Numbered):
    """A list of modules; they are registered."""

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self += modules

    def _part(self, pairs):
        return type(self)(module for _, module in pairs)

    def __iadd__(self, modules):
        return self.extend(modules)

    def __add__(self, other):
        return ModuleList([*self, *other])

    def extend(self, modules):
        if not hasattr(modules, "__iter__"):
            raise TypeError(
                "ModuleList.extend should be called with an iterable, but got " + type(modules).__name__
            )
        for module in modules:
            self.append(module)
        return self

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

    def __init__(self, modules=None):
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key):
        return self._modules[key]

    def __setitem__(self, key, module):
        self.add_module(key, module)

    def __delitem__(self, key):
        del self._modules[key]

    def __len__(self):
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules)

    def __contains__(self, key):
        return key in self._modules

    def keys(self):
        return self._modules.keys()

    def items(self):
        return self._modules.items()

    def values(self):
        return self._modules.values()

    def clear(self):
        self._modules.clear()

    def pop(self, key):
        return self._modules.pop(key)

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


def _described(value):
    """How a list shows a parameter."""
    if not isinstance(value, torch.Tensor):
        return f"Object of type: {type(value).__name__}"
    kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
    return f"{kind} containing: [{value.dtype} of size {'x'.join(map(str, value.shape))}]"


class ParameterList(Module):
    """A list of parameters; they are registered."""

    def __init__(self, values=None):
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)(getattr(self, str(place)) for place in range(*index.indices(len(self))))
        return getattr(self, str(_place(index, len(self))))

    def __setitem__(self, index, value):
        if isinstance(value, torch.Tensor) and not isinstance(value, Parameter):
            value = Parameter(value)
        setattr(self, str(_place(index, len(self))), value)

    def __len__(self):
        return self._size

    def __iter__(self):
        return iter(getattr(self, str(place)) for place in range(len(self)))

    def __iadd__(self, values):
        return self.extend(values)

    def append(self, value):
        place = len(self)
        self._size += 1
        self[place] = value
        return self

    def extend(self, values):
        if not hasattr(values, "__iter__") or isinstance(values, torch.Tensor):
            raise TypeError(
                "ParameterList.extend should be called with an iterable, but got " + type(values).__name__
            )
        for value in values:
            self.append(value)
        return self

    def extra_repr(self):
        return "\n".join(f"  ({place}): {_described(value)}" for place, value in enumerate(self))

    def __call__(self, *args, **kwargs):
        raise RuntimeError("ParameterList should not be called.")
