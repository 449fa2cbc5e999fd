"""Versions and their order, as PEP 440 has them."""

__all__ = ["InvalidVersion", "Version", "parse"]

_STAGES = {"a": "a", "alpha": "a", "b": "b", "beta": "b", "c": "rc", "pre": "rc", "preview": "rc", "rc": "rc"}


class InvalidVersion(ValueError):
    pass


def parse(version):
    return Version(version)


def _pieces(text):
    """Runs of digits and runs of letters, in order; the separators are dropped."""
    pieces, piece = [], ""
    for letter in text:
        if piece and (not letter.isalnum() or letter.isdigit() != piece[-1].isdigit()):
            pieces.append(piece)
            piece = ""
        if letter.isalnum():
            piece += letter
        elif letter not in ".-_":
            raise InvalidVersion(f"Invalid version: {text!r}")
    return pieces + [piece] if piece else pieces


class Version:
    def __init__(self, version):
        text = version.strip().lower()
        public, _, local = (text[1:] if text.startswith("v") else text).partition("+")
        epoch, mark, rest = public.partition("!")
        if not mark:
            epoch, rest = "0", public
        release, count = [], 0
        for part in rest.split("."):
            digits = part[: len(part) - len(part.lstrip("0123456789"))]
            if not digits:
                break
            release.append(int(digits))
            count += len(digits) + 1
            if digits != part:
                break
        if not release or not epoch.isdigit():
            raise InvalidVersion(f"Invalid version: {version!r}")
        self.epoch = int(epoch)
        self.release = tuple(release)
        self.local = local or None
        self.pre = self.post = self.dev = None
        pieces = _pieces(rest[count - 1 :])
        while pieces:
            word = pieces.pop(0)
            number = int(pieces.pop(0)) if pieces and pieces[0].isdigit() else 0
            if word in _STAGES:
                self.pre = (_STAGES[word], number)
            elif word in ("post", "rev", "r"):
                self.post = number
            elif word == "dev":
                self.dev = number
            elif word.isdigit():
                self.post = int(word)
            else:
                raise InvalidVersion(f"Invalid version: {version!r}")

    @property
    def _key(self):
        release = self.release
        while len(release) > 1 and release[-1] == 0:
            release = release[:-1]
        if self.pre is not None:
            pre = (1, *self.pre)
        else:
            pre = (0,) if self.post is None and self.dev is not None else (2,)
        post = -1 if self.post is None else self.post
        dev = float("inf") if self.dev is None else self.dev
        local = tuple((1, int(part), "") if part.isdigit() else (0, 0, part) for part in _pieces(self.local or ""))
        return self.epoch, release, pre, post, dev, local

    major = property(lambda self: self.release[0])
    minor = property(lambda self: self.release[1] if len(self.release) > 1 else 0)
    micro = property(lambda self: self.release[2] if len(self.release) > 2 else 0)
    is_prerelease = property(lambda self: self.pre is not None or self.dev is not None)
    is_postrelease = property(lambda self: self.post is not None)
    is_devrelease = property(lambda self: self.dev is not None)
    base_version = property(lambda self: (f"{self.epoch}!" if self.epoch else "") + ".".join(map(str, self.release)))

    @property
    def public(self):
        text = self.base_version
        if self.pre is not None:
            text += "".join(map(str, self.pre))
        if self.post is not None:
            text += f".post{self.post}"
        if self.dev is not None:
            text += f".dev{self.dev}"
        return text

    def __str__(self):
        return self.public + (f"+{self.local}" if self.local else "")

    def __repr__(self):
        return f"<Version('{self}')>"

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other):
        return self._key < other._key if isinstance(other, Version) else NotImplemented

    def __le__(self, other):
        return self._key <= other._key if isinstance(other, Version) else NotImplemented

    def __gt__(self, other):
        return self._key > other._key if isinstance(other, Version) else NotImplemented

    def __ge__(self, other):
        return self._key >= other._key if isinstance(other, Version) else NotImplemented
