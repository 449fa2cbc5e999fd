"""binascii: bytes as text in base 64, and their checksum."""

from _crc32 import crc32 as crc32

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
_VALUES = {code: value for value, code in enumerate(_ALPHABET)}


class Error(ValueError):
    """Text that is not in the form it should have."""


def b2a_base64(data, *, newline=True):
    """Bytes in base 64, three as four characters."""
    data = bytes(data)
    out = bytearray()
    for at in range(0, len(data), 3):
        part = data[at : at + 3]
        number = int.from_bytes(part + bytes(3 - len(part)), "big")
        four = bytes(_ALPHABET[number >> shift & 63] for shift in (18, 12, 6, 0))
        out += four[: len(part) + 1] + b"=" * (3 - len(part))
    return bytes(out) + (b"\n" if newline else b"")


def a2b_base64(data, /, *, strict_mode=False):
    """The bytes that base 64 stands for; other characters are left out, unless in strict mode."""
    data = data.encode("ascii") if isinstance(data, str) else bytes(data)
    kept = bytearray(code for code in data if code in _VALUES)
    if strict_mode and len(kept) != len(data.rstrip(b"=")):
        raise Error("Only base64 data is allowed")
    if len(kept) % 4 == 1:
        raise Error(
            "Invalid base64-encoded string: number of data characters "
            f"({len(kept)}) cannot be 1 more than a multiple of 4"
        )
    if len(kept) % 4 and data.count(b"=") < 4 - len(kept) % 4:
        raise Error("Incorrect padding")
    out = bytearray()
    for at in range(0, len(kept), 4):
        part = kept[at : at + 4]
        number = 0
        for code in part + b"A" * (4 - len(part)):
            number = number << 6 | _VALUES[code]
        out += number.to_bytes(3, "big")[: len(part) - 1]
    return bytes(out)


def __getattr__(name):
    if name in ("a2b_hex", "b2a_hex", "hexlify", "unhexlify"):
        raise AttributeError(f"binascii.{name} is not part of attn: bytes.hex() and bytes.fromhex() do the same")
    raise AttributeError(f"module 'binascii' has no attribute {name!r}")
