"""Records what CPython 3.11 says when a builtin function or method is called with too few or too many arguments.

Usage: python make_argument_counts.py > src/session/argument_counts.txt

A line has a text, in which {q} is the function's qualified name, {f} its name and {n} the number that was given, then a
tab and the functions that say it: with too few arguments after `<`, with too many after `>`.
"""
import builtins
import collections
import math
import re
import sys

SKIPPED = {"aiter", "anext", "breakpoint", "exit", "quit", "help", "copyright", "credits", "license", "input", "open", "print", "__build_class__"}
TYPES = [str, list, dict, set, frozenset, tuple, int, float, bool, bytes, bytearray, range, complex]
CLASSES = [*TYPES, slice, enumerate, reversed, zip, map, filter, object, type, property, memoryview]
ABOUT_COUNT = re.compile(r"argument|positional")


class Odd:
    """An argument that no function takes."""


def text(call, count):
    try:
        call(*[Odd()] * count)
    except TypeError as error:
        said = str(error)
        if count == 0 and "missing required argument" in said and "(pos 1)" in said:
            return said
        if ABOUT_COUNT.search(said) and re.search(rf"\b{count}\b|no arguments|at least", said) and "Odd" not in said:
            return said
    except BaseException:
        pass
    return None


def functions():
    for name, function in sorted(vars(builtins).items()):
        if callable(function) and not isinstance(function, type) and name not in SKIPPED:
            yield name, name, function
    for name, function in sorted(vars(math).items()):
        if callable(function):
            yield f"math.{name}", name, function
    for cls in TYPES:
        for name in sorted(vars(cls)):
            method = getattr(cls, name)
            if not name.startswith("__") and callable(method):
                yield f"{cls.__name__}.{name}", name, getattr(cls(1) if cls is range else cls(), name)
    for cls in CLASSES:
        yield cls.__name__, cls.__name__, cls


def main():
    rows = collections.defaultdict(list)
    for qualified, name, call in functions():
        said = {count: text(call, count) for count in range(8)}
        wrong = [count for count, words in said.items() if words]
        right = [count for count in range(8) if count not in wrong]
        for count in wrong:
            few = not right or count < right[0]
            last = count + 1 in wrong and not (few and right and count + 1 == right[0])
            if few and right and count != right[0] - 1:
                continue
            if not few and last:
                continue
            words = said[count]
            shown = qualified if f"{qualified}()" in words else name
            mark = "{q}" if shown == qualified and "." in qualified else "{f}"
            template = re.sub(rf"^{re.escape(shown)}(?=\(| )", mark, words)
            template = re.sub(rf"\b{count}( given|$)", r"{n}\1", template)
            rows[template].append(("<" if few else ">") + qualified)
    for template, names in sorted(rows.items()):
        print(template, " ".join(names), sep="\t")


main()
