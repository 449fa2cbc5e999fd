"""The OrderedDict of `collections`: a dict that knows how to move a key to an end, and shows itself in pairs."""

from _collections_abc import ItemsView, KeysView, ValuesView


class _Shown:
    """A view that shows its elements, and can be walked backwards."""

    def __reversed__(self):
        return reversed(list(self))

    def __repr__(self):
        return f"{type(self).__name__}({list(self)!r})"


class odict_keys(_Shown, KeysView):
    pass


class odict_values(_Shown, ValuesView):
    pass


class odict_items(_Shown, ItemsView):
    def __iter__(self):
        return iter(dict.items(self._mapping))


class OrderedDict(dict):
    """A dict that remembers the order in which keys came, and can change it."""

    def keys(self):
        return odict_keys(self)

    def values(self):
        return odict_values(self)

    def items(self):
        return odict_items(self)

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
