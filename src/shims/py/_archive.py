"""Zip archives whose entries are not compressed, as `torch.save` and `numpy.savez` write them, in memory."""

import io
import struct
import zipfile

# The contents of each entry begin at a multiple of this.
_ALIGNMENT = 64


def pack(entries):
    """The bytes of an archive of these `(name, bytes)`."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, contents in entries:
            entry = zipfile.ZipInfo(name)
            # The extra field that PyTorch aligns with begins with four bytes of its own.
            padding = -(file.tell() + zipfile.sizeFileHeader + len(name.encode()) + 4) % _ALIGNMENT
            entry.extra = struct.pack("<2sH", b"FB", padding) + bytes(padding)
            archive.writestr(entry, contents)
            entry.extra = b""
    return file.getvalue()


def unpack(data):
    """The contents of an archive by name. Errors: ValueError, it is no archive, or an entry is compressed or damaged."""
    try:
        with zipfile.ZipFile(io.BytesIO(data), metadata_encoding="utf-8") as archive:
            return {entry.filename: archive.read(entry) for entry in archive.infolist()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OverflowError, EOFError, struct.error) as error:
        raise ValueError(f"{error}; attn reads archives that are neither compressed nor encrypted") from None
