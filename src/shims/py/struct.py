"""Numbers as bytes."""

from _struct import calcsize, error, pack, unpack

__all__ = ["calcsize", "pack", "unpack", "Struct", "error"]


class Struct:
    """A format that is used again."""

    def __init__(self, format):
        self.format = format if isinstance(format, str) else format.decode()
        self.size = calcsize(format)

    def pack(self, *values):
        return pack(self.format, *values)

    def unpack(self, buffer):
        return unpack(self.format, buffer)


def __getattr__(name):
    if name in ("iter_unpack", "pack_into", "unpack_from"):
        raise AttributeError(f"struct.{name} is not part of attn: pack and unpack take slices of bytes")
    raise AttributeError(f"module 'struct' has no attribute {name!r}")
