"""What `csv` is made of: reading and writing lines of fields. Source: RFC 4180 and Python's documentation of `csv`."""

QUOTE_MINIMAL, QUOTE_ALL, QUOTE_NONNUMERIC, QUOTE_NONE, QUOTE_STRINGS, QUOTE_NOTNULL = range(6)

__version__ = "1.0"
__doc__ = "CSV parsing and writing."

_limit = 131072
_dialects = {}


class Error(Exception):
    pass


class Dialect:
    """How fields are separated and quoted."""

    _names = {
        "delimiter": ",",
        "quotechar": '"',
        "escapechar": None,
        "doublequote": True,
        "skipinitialspace": False,
        "lineterminator": "\r\n",
        "quoting": QUOTE_MINIMAL,
        "strict": False,
    }

    def __init__(self, dialect=None, **words):
        if isinstance(dialect, str):
            dialect = get_dialect(dialect)
        for name, default in self._names.items():
            setattr(self, name, words.pop(name, getattr(dialect, name, default)))
        if words:
            raise TypeError(f"this function got an unexpected keyword argument '{next(iter(words))}'")
        for name in ("delimiter", "quotechar", "escapechar"):
            value = getattr(self, name)
            if value is None and name != "delimiter":
                continue
            if not isinstance(value, str):
                kind = type(value).__name__
                raise TypeError(f'"{name}" must be a unicode character' + (", not " + kind if value is None else f" or None, not {kind}"))
            if len(value) != 1:
                raise TypeError(f'"{name}" must be a unicode character, not a string of length {len(value)}')
        if self.quoting not in range(6):
            raise TypeError('bad "quoting" value')
        if self.quotechar is None and self.quoting != QUOTE_NONE:
            raise TypeError("quotechar must be set if quoting enabled")


def register_dialect(name, dialect=None, **words):
    if not isinstance(name, str):
        raise TypeError("dialect name must be a string")
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
    global _limit
    before = _limit
    if limit is not None:
        _limit = limit
    return before


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
        fields, field = [], []
        quoted = inside = False
        # `start`: nothing of this field has been read; `quote`: a quote ended, or was the first of two.
        state = "start"
        while True:
            try:
                line = next(self._lines)
            except StopIteration:
                if inside and (field or fields or quoted):
                    if how.strict:
                        raise Error("unexpected end of data") from None
                    break
                raise
            if not isinstance(line, str):
                raise Error(f"iterator should return strings, not {type(line).__name__} (the file should be opened in text mode)")
            self.line_num += 1
            if not inside and not line.strip("\r\n"):
                return []
            letters = iter(line)
            for letter in letters:
                if inside:
                    if letter == how.escapechar:
                        field.append(next(letters, ""))
                    elif letter == how.quotechar:
                        inside, state = False, "quote"
                    else:
                        field.append(letter)
                elif state == "quote" and letter == how.quotechar and how.doublequote:
                    field.append(letter)
                    inside = True
                elif letter == how.delimiter:
                    fields.append(self._field(field, quoted))
                    field, quoted, state = [], False, "start"
                elif letter in "\r\n":
                    rest = "".join(letters).strip("\r\n")
                    if rest:
                        raise Error("new-line character seen in unquoted field - do you need to open the file with newline=''?")
                    break
                elif letter == how.quotechar and state == "start" and how.quoting != QUOTE_NONE:
                    quoted = inside = True
                elif letter == how.escapechar:
                    field.append(next(letters, ""))
                    state = "field"
                elif state == "start" and letter == " " and how.skipinitialspace:
                    pass
                elif state == "quote" and how.strict:
                    raise Error(f"'{how.delimiter}' expected after '{how.quotechar}'")
                else:
                    field.append(letter)
                    state = "field"
                if len(field) > _limit:
                    raise Error(f"field larger than field limit ({_limit})")
            if not inside:
                break
        fields.append(self._field(field, quoted))
        return fields

    def _field(self, field, quoted):
        text = "".join(field)
        how = self.dialect.quoting
        if quoted:
            return text
        if how == QUOTE_NONNUMERIC or (how == QUOTE_STRINGS and text):
            return float(text)
        return None if how in (QUOTE_NOTNULL, QUOTE_STRINGS) and not text else text


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
        number = isinstance(value, (int, float))
        special = [how.delimiter, how.quotechar, how.escapechar, "\r", "\n", *how.lineterminator]
        needed = any(letter and letter in text for letter in special)
        if how.quoting == QUOTE_NONE:
            if alone and not text:
                raise Error("single empty field record must be quoted")
            if needed and how.escapechar is None:
                raise Error("need to escape, but no escapechar set")
            return "".join(how.escapechar + letter if letter in special else letter for letter in text) if needed else text
        quote = (
            how.quoting == QUOTE_ALL
            or (how.quoting == QUOTE_NONNUMERIC and not number)
            or (how.quoting == QUOTE_STRINGS and isinstance(value, str))
            or (how.quoting == QUOTE_NOTNULL and value is not None)
            or needed
            or (alone and not text)
        )
        if not quote:
            return text
        if how.doublequote:
            text = text.replace(how.quotechar, how.quotechar * 2)
        elif how.escapechar is not None:
            text = text.replace(how.escapechar, how.escapechar * 2).replace(how.quotechar, how.escapechar + how.quotechar)
        elif how.quotechar in text:
            raise Error("need to escape, but no escapechar set")
        return how.quotechar + text + how.quotechar


def writer(file, dialect="excel", **words):
    """Writes rows of fields to `file`."""
    return _Writer(file, dialect, words)
