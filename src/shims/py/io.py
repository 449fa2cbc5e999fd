"""Streams in memory; streams over files are refused."""

from _io import (
    DEFAULT_BUFFER_SIZE,
    BlockingIOError,
    BytesIO,
    IncrementalNewlineDecoder,
    StringIO,
    TextIOWrapper,
    UnsupportedOperation,
    _BufferedIOBase as BufferedIOBase,
    _IOBase as IOBase,
    _RawIOBase as RawIOBase,
    _TextIOBase as TextIOBase,
    text_encoding,
)
import builtins

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2

open = builtins.open


def open_code(path):
    return open(path, "rb")


class FileIO(RawIOBase):
    def __init__(self, file, *args, **options):
        open(file)
