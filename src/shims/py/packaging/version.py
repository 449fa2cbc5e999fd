"""Versions and their order: releases, what comes before one (`2.0rc1`, `2.0.dev3`), and what stands behind a `+`."""

import re
from functools import total_ordering

__all__ = ["InvalidVersion", "Version", "parse"]

_FORM = re.compile(r"v?(\d+(?:\.\d+)*)(?:(\.dev|a|b|rc)(\d+))?(\+[a-z0-9.]+)?")


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
        self.base_version, stage, number, local = found.groups()
        self.release = tuple(map(int, self.base_version.split(".")))
        self.major, self.minor = (*self.release, 0)[:2]
        self._text = version.strip().lower().removeprefix("v")
        # `.dev` is before `a`, and no stage is after `rc`.
        end = max((at for at, part in enumerate(self.release, 1) if part), default=0)
        self._key = self.release[:end], stage or "z", int(number or 0), local or ""

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<Version('{self}')>"

    def __hash__(self):
        return hash(self._key)

    def __eq__(self, other):
        return self._key == other._key if isinstance(other, Version) else NotImplemented

    def __lt__(self, other):
        return self._key < other._key if isinstance(other, Version) else NotImplemented
