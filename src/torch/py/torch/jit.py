"""torch.jit: programs are run as they are written, so nothing is compiled."""

from torch._arguments import hint


def script(obj=None, *args, **kwargs):
    hint(args, kwargs)
    return obj if obj is not None else script


def trace(func, example_inputs=None, *args, **kwargs):
    hint(example_inputs, args, kwargs)
    return func


def ignore(drop=False, **kwargs):
    hint(kwargs)
    return drop if callable(drop) else lambda function: function


def export(function):
    return function


unused = export


def is_scripting():
    return False


is_tracing = is_scripting
ScriptModule = type("ScriptModule", (), {})
