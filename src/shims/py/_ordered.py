"""The OrderedDict of `collections`: a dict that knows how to move a key to an end, and shows itself in pairs."""


class _View:
    def __init__(self, view):
        self._view = view

    def __iter__(self):
        return iter(self._view)

    def __len__(self):
        return len(self._view)

    def __reversed__(self):
        return reversed(self._view)

    def __contains__(self, value):
        return value in self._view

    def __eq__(self, other):
        return self._view == getattr(other, "_view", other)

    def __and__(self, other):
        return set(self) & set(other)

    def __or__(self, other):
        return set(self) | set(other)

    def __sub__(self, other):
        return set(self) - set(other)

    def __xor__(self, other):
        return set(self) ^ set(other)

    def __rsub__(self, other):
        return set(other) - set(self)

    __rand__, __ror__, __rxor__ = __and__, __or__, __xor__
    __hash__ = None

    def isdisjoint(self, other):
        return not set(self) & set(other)

    def __repr__(self):
        return f"{type(self).__name__}({list(self)!r})"


class odict_keys(_View):
    pass


class odict_values(_View):
    pass


class odict_items(_View):
    pass


class OrderedDict(dict):
    """A dict that remembers the order in which keys came, and can change it."""

    def keys(self):
        return odict_keys(dict.keys(self))

    def values(self):
        return odict_values(dict.values(self))

    def items(self):
        return odict_items(dict.items(self))

    def move_to_end(self, key, last=True):
        """Moves a key to the end, or to the start."""
        value = dict.pop(self, key)
        if last:
            self[key] = value
        else:
            others = list(dict.items(self))
            dict.clear(self)
            self[key] = value
            dict.update(self, others)

    def popitem(self, last=True):
        """Removes and returns the last pair, or the first."""
        if not self:
            raise KeyError("dictionary is empty")
        key = next(reversed(self)) if last else next(iter(self))
        return key, dict.pop(self, key)

    def __eq__(self, other):
        if isinstance(other, OrderedDict):
            return list(dict.items(self)) == list(dict.items(other))
        return dict.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def __or__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        joined = type(self)(self)
        joined.update(other)
        return joined

    def __ror__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        joined = type(self)(other)
        joined.update(self)
        return joined

    def copy(self):
        return type(self)(self)

    __copy__ = copy

    @classmethod
    def fromkeys(cls, iterable, value=None):
        made = cls()
        for key in iterable:
            made[key] = value
        return made

    def __reduce__(self):
        return type(self), (), vars(self) or None, None, iter(dict.items(self))

    def __repr__(self):
        if not self:
            return f"{type(self).__name__}()"
        return f"{type(self).__name__}({list(dict.items(self))!r})"


for _class in (OrderedDict, odict_keys, odict_values, odict_items):
    _class.__module__ = "collections" if _class is OrderedDict else "builtins"
del _class

# This class replaces the pure Python one in `collections`.
import _collections

_collections.OrderedDict = OrderedDict
