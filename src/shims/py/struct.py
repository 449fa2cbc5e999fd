"""Numbers as bytes."""

from _struct import calcsize, error, pack, unpack

__all__ = ["calcsize", "pack", "pack_into", "unpack", "unpack_from", "iter_unpack", "Struct", "error"]


def _part(name, buffer, offset, size):
    """So many bytes of a buffer, as a view. Negative offsets count from its end."""
    view = memoryview(buffer).cast("B")
    start = offset + len(view) if offset < 0 else offset
    if start < 0:
        raise error("offset out of range for a buffer of this size")
    if start + size > len(view):
        raise error(f"{name} requires a buffer of at least {start + size} bytes")
    return view[start : start + size]


def pack_into(format, buffer, offset, *values):
    packed = pack(format, *values)
    _part("pack_into", buffer, offset, len(packed))[:] = packed


def unpack_from(format, buffer, offset=0):
    return unpack(format, _part("unpack_from", buffer, offset, calcsize(format)))


def iter_unpack(format, buffer):
    size = calcsize(format)
    if not size or len(buffer) % size:
        raise error(f"iterative unpacking requires a buffer of a multiple of {size} bytes")
    for offset in range(0, len(buffer), size):
        yield unpack_from(format, buffer, offset)


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
