"""The elements under a tensor, as far as one looks at them."""


class UntypedStorage:
    def __init__(self, place, bytes):
        self._place = place
        self._bytes = bytes

    def data_ptr(self):
        return self._place

    def nbytes(self):
        return self._bytes

    def size(self):
        return self._bytes

    def __len__(self):
        return self._bytes

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._place == other._place

    def __repr__(self):
        return f"[torch.storage.UntypedStorage(device=cpu) of size {self._bytes}]"


class TypedStorage:
    """The elements of a storage in order."""

    def __init__(self, elements):
        self._elements = elements

    def __len__(self):
        return len(self._elements)

    size = __len__

    def __getitem__(self, at):
        if isinstance(at, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        return self._elements[at].item()

    def tolist(self):
        return self._elements.tolist()

    def data_ptr(self):
        return self._elements.data_ptr()

    def __repr__(self):
        lines = "".join(f" {value}\n" for value in self.tolist())
        return f"{lines}[torch.storage.TypedStorage(dtype={self._elements.dtype}, device=cpu) of size {len(self)}]"
