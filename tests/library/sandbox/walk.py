"""Walks over every object that a cell can reach from a fresh namespace, and prints what it finds of native code.

A line for each native function, `module.name`, then the line `walked N objects`.
"""

import builtins
import gc
import sys

# Modules that nothing imported yet are reachable too: a cell may import each of them.
for name in sorted(set(sys.builtin_module_names)):
    __import__(name)
import collections, contextlib, copy, dataclasses, enum, functools, inspect, io, json, logging, math, os, random
import re, string, textwrap, threading, time, traceback, types, typing, warnings, weakref
import numpy, numpy.linalg, numpy.random
import torch, torch.nn, torch.utils.data

FUNCTION = type(len)
seen = {}
functions = set()
pending = [("builtins", builtins), ("sys", sys), ("globals", globals()), ("frame", sys._getframe())]


def generator():
    yield


async def coroutine():
    pass


waiting = generator()
pending += [("generator", waiting), ("function", generator), ("code", generator.__code__)]
try:
    raise ValueError
except ValueError as error:
    pending.append(("exception", error))


def reachable(value):
    """What `value` refers to, its elements, and the attributes of what has attributes that native code computes."""
    yield "class", type(value)
    if isinstance(value, COMPUTED):
        for name in dir(value):
            try:
                yield name, getattr(value, name)
            except Exception:
                pass
    if isinstance(value, type):
        for name, attribute in vars(value).items():
            yield name, attribute
    if isinstance(value, dict):
        for key, element in list(value.items()):
            yield str(key), element
    elif isinstance(value, (list, tuple, set, frozenset)):
        for element in list(value):
            yield "element", element
    for element in gc.get_referents(value):
        yield "referent", element


COMPUTED = (
    types.ModuleType,
    type,
    types.FunctionType,
    types.FrameType,
    types.CodeType,
    types.GeneratorType,
    types.TracebackType,
    BaseException,
)
# Made anew each time that they are asked for: what they are bound to is reached without them.
BOUND = ("method", "method-wrapper")

while pending:
    path, value = pending.pop()
    if id(value) in seen or isinstance(value, (int, float, str, bytes, torch.Tensor)):
        continue
    seen[id(value)] = value
    if type(value) is FUNCTION:
        owner = getattr(value, "__self__", None)
        if owner is not None and not isinstance(owner, types.ModuleType):
            continue
        functions.add(f"{getattr(value, '__module__', None)}.{value.__name__}")
    if type(value).__name__ not in BOUND:
        for name, element in reachable(value):
            pending.append((path + "." + name, element))

for name in sorted(functions):
    print(name)
print(f"walked {len(seen) // 1000} thousand objects")
