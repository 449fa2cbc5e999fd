"""Versions and their order, as PEP 440 has them: releases, and what comes before and after one."""

import re
from functools import total_ordering

__all__ = ["InvalidVersion", "Version", "parse"]

_FORM = re.compile(r"v?(\d+(?:\.\d+)*)(?:(a|b|rc)(\d+))?(?:\.post(\d+))?(?:\.dev(\d+))?(?:\+([a-z0-9.]+))?")


class InvalidVersion(ValueError):
    pass


def parse(version):
    return Version(version)


@total_ordering
class Version:
    def __init__(self, version):
        found = _FORM.fullmatch(version.strip().lower())
        if found is None:
            raise InvalidVersion(f"Invalid version: {version!r}")
        release, stage, pre, post, dev, self.local = found.groups()
        self.release = tuple(map(int, release.split(".")))
        self.pre = (stage, int(pre)) if stage else None
        self.post, self.dev = (None if number is None else int(number) for number in (post, dev))

    @property
    def _key(self):
        release = list(self.release)
        while release[-1:] == [0]:
            release.pop()
        last = ("z",) if self.post is not None or self.dev is None else ("",)
        local = [(part.isdigit(), int(part) if part.isdigit() else part) for part in (self.local or "").split(".") if part]
        dev = float("inf") if self.dev is None else self.dev
        return release, self.pre or last, -1 if self.post is None else self.post, dev, local

    major = property(lambda self: self.release[0])
    minor = property(lambda self: (*self.release, 0)[1])
    micro = property(lambda self: (*self.release, 0, 0)[2])
    is_prerelease = property(lambda self: self.pre is not None or self.dev is not None)
    base_version = property(lambda self: ".".join(map(str, self.release)))

    @property
    def public(self):
        parts = ["{}{}".format(*self.pre)] if self.pre else []
        parts += [f".{name}{number}" for name, number in (("post", self.post), ("dev", self.dev)) if number is not None]
        return self.base_version + "".join(parts)

    def __str__(self):
        return self.public + (f"+{self.local}" if self.local else "")

    def __repr__(self):
        return f"<Version('{self}')>"

    def __hash__(self):
        return hash(str(self._key))

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other):
        return self._key < other._key if isinstance(other, Version) else NotImplemented
