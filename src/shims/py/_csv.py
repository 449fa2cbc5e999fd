"""What `csv` is made of: reading and writing lines of fields. Source: RFC 4180 and Python's documentation of `csv`."""

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE, QUOTE_STRINGS, QUOTE_NOTNULL = range(6)

__version__ = "1.0"
__doc__ = "CSV parsing and writing."

_dialects = {}


class Error(Exception):
    pass


class Dialect:
    """How fields are separated and quoted."""

    _names = {
        "delimiter": ",",
        "quotechar": '"',
        "skipinitialspace": False,
        "lineterminator": "\r\n",
        "quoting": QUOTE_MINIMAL,
    }
    # What has its default alone.
    _fixed = {"escapechar": None, "doublequote": True, "strict": False}

    def __init__(self, dialect=None, **words):
        if isinstance(dialect, str):
            dialect = get_dialect(dialect)
        for name, default in self._names.items():
            setattr(self, name, words.pop(name, getattr(dialect, name, default)))
        for name, default in self._fixed.items():
            if words.pop(name, getattr(dialect, name, default)) != default:
                raise NotImplementedError(f"csv: attn has {name}={default!r} only")
        if words:
            raise TypeError(f"this function got an unexpected keyword argument '{next(iter(words))}'")
        for name in ("delimiter", "quotechar"):
            value = getattr(self, name)
            if not isinstance(value, str) or len(value) != 1:
                raise TypeError(f'"{name}" must be a unicode character, not {value!r}')
        if self.quoting not in (QUOTE_MINIMAL, QUOTE_ALL):
            raise NotImplementedError("csv: attn has the quoting QUOTE_MINIMAL and QUOTE_ALL")


def register_dialect(name, dialect=None, **words):
    _dialects[name] = Dialect(dialect, **words)


def unregister_dialect(name):
    if _dialects.pop(name, None) is None:
        raise Error("unknown dialect")


def get_dialect(name):
    if name not in _dialects:
        raise Error("unknown dialect")
    return _dialects[name]


def list_dialects():
    return list(_dialects)


def field_size_limit(limit=None):
    return 131072


class reader:
    """Lists of fields, one for each record of an iterable of lines."""

    def __init__(self, lines, dialect="excel", **words):
        self.dialect = Dialect(dialect, **words)
        self.line_num = 0
        self._lines = iter(lines)

    def __iter__(self):
        return self

    def __next__(self):
        how = self.dialect
        fields, field, inside = [], "", False
        # `start`: nothing of this field has been read; `quote`: a quote ended, or was the first of two.
        state = "start"
        while True:
            try:
                line = next(self._lines)
            except StopIteration:
                if inside:
                    break
                raise
            if not isinstance(line, str):
                raise Error(f"iterator should return strings, not {type(line).__name__} (the file should be opened in text mode)")
            self.line_num += 1
            if not inside and not line.strip("\r\n"):
                return []
            for at, letter in enumerate(line):
                if inside:
                    if letter == how.quotechar:
                        inside, state = False, "quote"
                    else:
                        field += letter
                elif state == "quote" and letter == how.quotechar:
                    field += letter
                    inside = True
                elif letter == how.delimiter:
                    fields.append(field)
                    field, state = "", "start"
                elif letter in "\r\n":
                    if line[at:].strip("\r\n"):
                        raise Error("new-line character seen in unquoted field - do you need to open the file with newline=''?")
                    break
                elif letter == how.quotechar and state == "start":
                    inside = True
                elif state != "start" or letter != " " or not how.skipinitialspace:
                    field += letter
                    state = "field"
            if not inside:
                break
        return [*fields, field]


class _Writer:
    def __init__(self, file, dialect, words):
        self.dialect = Dialect(dialect, **words)
        self._write = file.write

    def writerow(self, row):
        try:
            values = list(row)
        except TypeError:
            raise Error(f"iterable expected, not {type(row).__name__}") from None
        fields = [self._field(value, len(values) == 1) for value in values]
        return self._write(self.dialect.delimiter.join(fields) + self.dialect.lineterminator)

    def writerows(self, rows):
        for row in rows:
            self.writerow(row)

    def _field(self, value, alone):
        how = self.dialect
        text = "" if value is None else repr(value) if isinstance(value, float) else str(value)
        special = (how.delimiter, how.quotechar, "\r", "\n", *how.lineterminator)
        if how.quoting != QUOTE_ALL and not any(letter in text for letter in special) and not (alone and not text):
            return text
        return how.quotechar + text.replace(how.quotechar, how.quotechar * 2) + how.quotechar


def writer(file, dialect="excel", **words):
    """Writes rows of fields to `file`."""
    return _Writer(file, dialect, words)
