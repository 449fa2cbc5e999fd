"""One side of a pattern: `b (h w) ... 1` as a list of groups of axes."""

ELLIPSIS = "…"


class EinopsError(RuntimeError):
    """A pattern, a shape or a length that does not fit."""


EinopsError.__module__ = "einops"


class Anonymous:
    """An axis that has a length and no name, such as the 2 of `h 2`. Each one is an axis of its own."""

    def __init__(self, length):
        self.length = int(length)
        if self.length < 1:
            raise EinopsError(f"Anonymous axis should have positive length, not {self.length}")

    def __repr__(self):
        return f"{self.length}-axis"


class Side:
    """The groups of one side, in order: a list of axes each, or ELLIPSIS for the axes that `...` stands for.

    An axis is a name or an `Anonymous`. A group without axes is an axis of length 1.
    """

    def __init__(self, text, underscore=False, duplicates=False):
        self.text, self.underscore, self.duplicates = text, underscore, duplicates
        self.groups, self.axes, self.grouped_ellipsis = [], set(), False
        if "." in text:
            if "..." not in text:
                raise EinopsError("Expression may contain dots only inside ellipsis (...)")
            if text.count("...") != 1 or text.count(".") != 3:
                raise EinopsError(
                    "Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor "
                )
        self.ellipsis = "..." in text
        self._read(text.replace("...", ELLIPSIS))

    def _read(self, text):
        group, word = None, ""
        for char in text + " ":
            if char.isalnum() or char in ("_", ELLIPSIS):
                word += char
                continue
            if char not in "() ":
                raise EinopsError(f"Unknown character '{char}'")
            if word:
                self._add(word, group)
                word = ""
            if char == "(":
                if group is not None:
                    raise EinopsError("Axis composition is one-level (brackets inside brackets not allowed)")
                group = []
            elif char == ")":
                if group is None:
                    raise EinopsError("Brackets are not balanced")
                self.groups.append(group)
                group = None
        if group is not None:
            raise EinopsError(f'Imbalanced parentheses in expression: "{self.text}"')

    def _add(self, word, group):
        if word in self.axes and not self.duplicates and not (self.underscore and word == "_"):
            raise EinopsError(f'Indexing expression contains duplicate dimension "{word}"')
        if word == ELLIPSIS:
            self.axes.add(word)
            self.grouped_ellipsis = group is not None
            if group is None:
                self.groups.append(ELLIPSIS)
            else:
                group.append(ELLIPSIS)
            return
        if word.isdecimal() and int(word) == 1:
            if group is None:
                self.groups.append([])
            return
        axis = Anonymous(word) if word.isdecimal() else checked_name(word, self.underscore)
        self.axes.add(axis)
        if group is None:
            self.groups.append([axis])
        else:
            group.append(axis)

    @property
    def lengths_given(self):
        """Whether a length above 1 stands in the pattern."""
        return any(isinstance(axis, Anonymous) for axis in self.axes)

    def spread(self, names):
        """The groups with the axes `names` in place of `...`."""
        groups = []
        for group in self.groups:
            if group == ELLIPSIS:
                groups += [[name] for name in names]
            else:
                groups.append([axis for part in group for axis in (names if part == ELLIPSIS else [part])])
        return groups


def checked_name(name, underscore=False):
    """The name, if it can be that of an axis."""
    reason = wrong_name(name, underscore)
    if reason:
        raise EinopsError(f"Invalid axis identifier: {name}\n{reason}")
    return name


def wrong_name(name, underscore=False):
    """Why the name cannot be that of an axis, or nothing."""
    if not name.isidentifier():
        return "not a valid python identifier"
    if (name.startswith("_") or name.endswith("_")) and not (underscore and name == "_"):
        return "axis name should should not start or end with underscore"
    return ""
