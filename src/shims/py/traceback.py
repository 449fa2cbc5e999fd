"""Exceptions as text: the frames that belong to cells, then the exception."""

import sys
from collections import namedtuple

FrameSummary = namedtuple("FrameSummary", "filename lineno name line")


def extract_tb(tb, limit=None):
    frames = []
    while tb is not None and (limit is None or len(frames) < limit):
        code = tb.tb_frame.f_code
        frames.append(FrameSummary(code.co_filename, tb.tb_lineno, code.co_name, ""))
        tb = tb.tb_next
    return frames


def format_list(frames):
    return [f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}\n' for frame in frames]


def format_tb(tb, limit=None):
    return format_list(extract_tb(tb, limit))


def format_exception_only(exc, value=None):
    value = exc if value is None else value
    kind = type(value)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = kind.__module__ + "." + name
    text = str(value)
    return [f"{name}: {text}\n" if text else f"{name}\n"]


def format_exception(exc, value=None, tb=None, limit=None, chain=True):
    value = exc if value is None else value
    lines = []
    cause = value.__cause__
    context = None if value.__suppress_context__ else value.__context__
    if chain and cause is not None:
        lines += format_exception(cause)
        lines.append("\nThe above exception was the direct cause of the following exception:\n\n")
    elif chain and context is not None:
        lines += format_exception(context)
        lines.append("\nDuring handling of the above exception, another exception occurred:\n\n")
    frames = format_tb(value.__traceback__, limit)
    if frames:
        lines.append("Traceback (most recent call last):\n")
    return lines + frames + format_exception_only(value)


def format_exc(limit=None, chain=True):
    value = sys.exc_info()[1]
    return "".join(format_exception(value, limit=limit, chain=chain)) if value is not None else "NoneType: None\n"


def print_exception(exc, value=None, tb=None, limit=None, file=None, chain=True):
    print("".join(format_exception(exc, value, tb, limit, chain)), end="", file=file or sys.stderr)


def print_exc(limit=None, file=None, chain=True):
    print(format_exc(limit, chain), end="", file=file or sys.stderr)


def clear_frames(tb):
    """Frames keep their variables: they can be asked for afterwards."""


class TracebackException:
    """What is printed of an exception, for `unittest`."""

    def __init__(self, exc_type, exc_value, exc_traceback=None, **options):
        self._lines = format_exception(exc_value)

    def format(self, **options):
        return iter(self._lines)
