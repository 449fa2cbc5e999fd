"""Numbers as bytes."""

from _struct import _unpack_at, calcsize, error, pack, pack_into, unpack

__all__ = ["calcsize", "pack", "pack_into", "unpack", "unpack_from", "iter_unpack", "Struct", "error"]


def unpack_from(format, buffer, offset=0):
    if offset < 0:
        offset += len(buffer)
        if offset < 0:
            raise error("offset out of range for a buffer of this size")
    return _unpack_at(format, buffer, offset)


def iter_unpack(format, buffer):
    size = calcsize(format)
    if not size or len(buffer) % size:
        raise error(f"iterative unpacking requires a buffer of a multiple of {size} bytes")
    for offset in range(0, len(buffer), size):
        yield _unpack_at(format, buffer, offset)


class Struct:
    """A format that is used again."""

    def __init__(self, format):
        self.format = format if isinstance(format, str) else format.decode()
        self.size = calcsize(format)

    def pack(self, *values):
        return pack(self.format, *values)

    def pack_into(self, buffer, offset, *values):
        return pack_into(self.format, buffer, offset, *values)

    def unpack(self, buffer):
        return unpack(self.format, buffer)

    def unpack_from(self, buffer, offset=0):
        return unpack_from(self.format, buffer, offset)

    def iter_unpack(self, buffer):
        return iter_unpack(self.format, buffer)
