"""Streams in memory, and over the files that a session may open (`_files` decides)."""

from _io import (
    DEFAULT_BUFFER_SIZE,
    BlockingIOError,
    BufferedReader,
    BufferedWriter,
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

SEEK_SET, SEEK_CUR, SEEK_END = 0, 1, 2


class FileIO(RawIOBase):
    """A file without a buffer."""

    def __init__(self, file, mode="r", closefd=True, opener=None):
        import _files
        from os import fspath

        if not closefd or opener is not None:
            raise ValueError("attn opens files by name alone: closefd and opener are not there")
        if isinstance(file, int):
            raise OSError(9, "Bad file descriptor")
        path = fspath(file)
        if isinstance(path, bytes):
            path = path.decode()
        self.name = file
        self._kind = mode.replace("b", "")
        if "+" in mode:
            raise NotImplementedError("attn opens a file to read it or to write it, not for both at once")
        self._file = _files.open(path, self._kind)

    @property
    def mode(self):
        return self._kind + "b"

    def readable(self):
        return self._kind == "r"

    def writable(self):
        return self._kind != "r"

    def seekable(self):
        return True

    def readinto(self, buffer):
        if not self.readable():
            raise UnsupportedOperation("File not open for reading")
        return self._file.readinto(buffer)

    def write(self, data):
        if not self.writable():
            raise UnsupportedOperation("File not open for writing")
        return self._file.write(data)

    def seek(self, offset, whence=SEEK_SET):
        return self._file.seek(offset, whence)

    def close(self):
        if not self.closed:
            try:
                super().close()
            finally:
                file = getattr(self, "_file", None)
                if file is not None:
                    file.close()

    def __repr__(self):
        if self.closed:
            return "<_io.FileIO [closed]>"
        return f"<_io.FileIO name={self.name!r} mode={self.mode!r} closefd=True>"


def open(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
    """Opens a file, as Python's own `open` does; text is UTF-8 unless `encoding` says otherwise."""
    if not isinstance(mode, str):
        raise TypeError(f"open() argument 'mode' must be str, not {type(mode).__name__}")
    letters = set(mode)
    if letters - set("axrwb+t") or len(mode) > len(letters):
        raise ValueError(f"invalid mode: {mode!r}")
    if not letters & set("rwxa"):
        raise ValueError("Must have exactly one of create/read/write/append mode and at most one plus")
    if len(letters & set("rwxa")) > 1:
        raise ValueError("must have exactly one of create/read/write/append mode")
    if "b" in letters and "t" in letters:
        raise ValueError("can't have text and binary mode at once")
    binary = "b" in letters
    if binary:
        for value, name in ((encoding, "an encoding"), (errors, "an errors"), (newline, "a newline")):
            if value is not None:
                raise ValueError(f"binary mode doesn't take {name} argument")
    kind = next(letter for letter in "rwxa" if letter in letters)
    if buffering == 0 and not binary:
        raise ValueError("can't have unbuffered text I/O")
    raw = FileIO(file, kind + ("+" if "+" in letters else ""), closefd, opener)
    try:
        if buffering == 0:
            return raw
        size = buffering if buffering > 1 else DEFAULT_BUFFER_SIZE
        if kind == "a":
            raw.seek(0, SEEK_END)
        buffered = (BufferedReader if kind == "r" else BufferedWriter)(raw, size)
        if binary:
            return buffered
        text = TextIOWrapper(buffered, encoding or "utf-8", errors, newline, buffering == 1)
        text.mode = mode
        return text
    except BaseException:
        raw.close()
        raise


def open_code(path):
    return open(path, "rb")
