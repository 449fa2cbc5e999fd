"""The named tuples that max, topk, sort and others return."""


class _Named(tuple):
    _names = ()

    def __repr__(self):
        fields = ",\n".join(f"{name}={value!r}" for name, value in zip(self._names, self))
        return f"torch.return_types.{type(self).__name__}(\n{fields})"

    def __getattr__(self, name):
        if name in self._names:
            return self[self._names.index(name)]
        raise AttributeError(f"'torch.return_types.{type(self).__name__}' object has no attribute '{name}'")


_types = {}


def _make(name, names, values):
    if name not in _types:
        _types[name] = type(name, (_Named,), {"_names": tuple(names), "__module__": "torch.return_types"})
    return _types[name](values)
