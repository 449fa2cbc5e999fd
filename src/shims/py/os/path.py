"""`os.path`: paths as text, and what is known of the files that a session may open."""

sep = "/"
curdir = "."
pardir = ".."
extsep = "."


def _text(value):
    method = getattr(type(value), "__fspath__", None)
    return method(value) if method is not None else value


def join(first, *others):
    joined = _text(first)
    for other in others:
        other = _text(other)
        if other.startswith("/"):
            joined = other
        elif not joined or joined.endswith("/"):
            joined += other
        else:
            joined += "/" + other
    return joined


def split(value):
    value = _text(value)
    cut = value.rfind("/") + 1
    head, tail = value[:cut], value[cut:]
    if head and head != "/" * len(head):
        head = head.rstrip("/")
    return head, tail


def basename(value):
    return split(value)[1]


def dirname(value):
    return split(value)[0]


def splitext(value):
    value = _text(value)
    start = value.rfind("/") + 1
    dot = value.rfind(".")
    if dot <= start or not value[start:dot].strip("."):
        return value, ""
    return value[:dot], value[dot:]


def splitdrive(value):
    return "", _text(value)


def isabs(value):
    return _text(value).startswith("/")


def normpath(value):
    value = _text(value)
    root = "/" if value.startswith("/") else ""
    parts = []
    for part in value.split("/"):
        if part in ("", "."):
            continue
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".." or not root:
            parts.append(part)
    return root + "/".join(parts) or "."


def abspath(value):
    import os

    return normpath(join(os.getcwd(), value))


def realpath(value, *, strict=False):
    return abspath(value)


def normcase(value):
    return _text(value)


def expanduser(value):
    return _text(value)


def expandvars(value):
    return _text(value)


def relpath(value, start="."):
    here = abspath(start).strip("/").split("/") if abspath(start) != "/" else []
    there = abspath(value).strip("/").split("/") if abspath(value) != "/" else []
    same = 0
    while same < min(len(here), len(there)) and here[same] == there[same]:
        same += 1
    return "/".join([".."] * (len(here) - same) + there[same:]) or "."


def commonprefix(values):
    values = [_text(value) for value in values]
    if not values:
        return ""
    low, high = min(values), max(values)
    for index, letter in enumerate(low):
        if letter != high[index]:
            return low[:index]
    return low


def _kind(value, follow=True):
    """`file`, `dir`, `link`, `other`, or None for what is not there or not open to cells."""
    import _files

    try:
        return _files.stat(_decoded(value), follow)[0]
    except (OSError, ValueError):
        return None


def _decoded(value):
    value = _text(value)
    return value.decode() if isinstance(value, bytes) else value


def exists(value):
    return _kind(value) is not None


def lexists(value):
    return _kind(value, False) is not None


def isfile(value):
    return _kind(value) == "file"


def isdir(value):
    return _kind(value) == "dir"


def islink(value):
    return _kind(value, False) == "link"


def ismount(value):
    return False


def getsize(value):
    import _files

    return _files.stat(_decoded(value), True)[1]


def getmtime(value):
    import _files

    return _files.stat(_decoded(value), True)[2]


getatime = getctime = getmtime


def samefile(one, other):
    return abspath(one) == abspath(other)
