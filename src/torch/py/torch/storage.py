"""The elements under a tensor, as far as one looks at them."""


class UntypedStorage:
    def __init__(self, place, bytes):
        self._place = place
        self._bytes = bytes

    def data_ptr(self):
        return self._place

    def nbytes(self):
        return self._bytes

    size = __len__ = nbytes

    def __eq__(self, other):
        return isinstance(other, UntypedStorage) and self._place == other._place

    def __repr__(self):
        return f"[torch.storage.UntypedStorage(device=cpu) of size {self._bytes}]"
