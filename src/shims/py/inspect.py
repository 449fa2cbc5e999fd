"""The part of `inspect` that lesson code and the standard library use here."""

import sys
import types

CO_VARARGS, CO_VARKEYWORDS = 4, 8


class _empty:
    """Marks a missing default or annotation."""


class _Kind(int):
    def __new__(cls, value, name, description):
        kind = super().__new__(cls, value)
        kind.name, kind.description = name, description
        return kind

    def __repr__(self):
        return f"<_ParameterKind.{self.name}: {int(self)}>"

    def __str__(self):
        return self.name


def formatannotation(annotation):
    if isinstance(annotation, type):
        if annotation.__module__ == "builtins":
            return annotation.__qualname__
        return annotation.__module__ + "." + annotation.__qualname__
    return repr(annotation).replace("typing.", "")


class Parameter:
    POSITIONAL_ONLY = _Kind(0, "POSITIONAL_ONLY", "positional-only")
    POSITIONAL_OR_KEYWORD = _Kind(1, "POSITIONAL_OR_KEYWORD", "positional or keyword")
    VAR_POSITIONAL = _Kind(2, "VAR_POSITIONAL", "variadic positional")
    KEYWORD_ONLY = _Kind(3, "KEYWORD_ONLY", "keyword-only")
    VAR_KEYWORD = _Kind(4, "VAR_KEYWORD", "variadic keyword")
    empty = _empty

    def __init__(self, name, kind, *, default=_empty, annotation=_empty):
        self.name, self.kind, self.default, self.annotation = name, kind, default, annotation

    def __str__(self):
        text = self.name
        if self.annotation is not _empty:
            text += ": " + formatannotation(self.annotation)
        if self.default is not _empty:
            text += (" = " if self.annotation is not _empty else "=") + repr(self.default)
        return {2: "*", 4: "**"}.get(self.kind, "") + text

    def __repr__(self):
        return f'<Parameter "{self}">'


class Signature:
    empty = _empty

    def __init__(self, parameters=None, *, return_annotation=_empty):
        self.parameters = types.MappingProxyType({parameter.name: parameter for parameter in parameters or ()})
        self.return_annotation = return_annotation

    def __str__(self):
        shown, starred = [], False
        kinds = list(self.parameters.values())
        for index, parameter in enumerate(kinds):
            if parameter.kind == Parameter.KEYWORD_ONLY and not starred:
                shown.append("*")
                starred = True
            starred = starred or parameter.kind == Parameter.VAR_POSITIONAL
            shown.append(str(parameter))
            last = index + 1 == len(kinds) or kinds[index + 1].kind != Parameter.POSITIONAL_ONLY
            if parameter.kind == Parameter.POSITIONAL_ONLY and last:
                shown.append("/")
        text = "(" + ", ".join(shown) + ")"
        if self.return_annotation is not _empty:
            text += " -> " + formatannotation(self.return_annotation)
        return text

    def __repr__(self):
        return f"<Signature {self}>"


def signature(function, **options):
    function = unwrap(function)
    if isinstance(function, type):
        method = function.__init__
        if not isinstance(method, types.FunctionType):
            method = function.__new__
        if not isinstance(method, types.FunctionType):
            raise ValueError(f"no signature found for builtin type {function!r}")
        return _without_first(signature(method))
    if isinstance(function, types.MethodType):
        return _without_first(signature(function.__func__))
    if not isinstance(function, types.FunctionType):
        call = getattr(type(function), "__call__", None)
        if isinstance(call, types.FunctionType):
            return _without_first(signature(call))
        raise ValueError(f"no signature found for builtin {function!r}")
    code = function.__code__
    annotations = function.__annotations__
    defaults = function.__defaults__ or ()
    names = code.co_varnames
    count, only = code.co_argcount, code.co_kwonlyargcount
    parameters = []

    def add(index, kind, default=_empty):
        annotation = annotations.get(names[index], _empty)
        parameters.append(Parameter(names[index], kind, default=default, annotation=annotation))

    for index in range(count):
        positional = index < code.co_posonlyargcount
        kind = Parameter.POSITIONAL_ONLY if positional else Parameter.POSITIONAL_OR_KEYWORD
        after = index - (count - len(defaults))
        add(index, kind, defaults[after] if after >= 0 else _empty)
    following = count + only
    if code.co_flags & CO_VARARGS:
        add(following, Parameter.VAR_POSITIONAL)
        following += 1
    for index in range(count, count + only):
        add(index, Parameter.KEYWORD_ONLY, (function.__kwdefaults__ or {}).get(names[index], _empty))
    if code.co_flags & CO_VARKEYWORDS:
        add(following, Parameter.VAR_KEYWORD)
    return Signature(parameters, return_annotation=annotations.get("return", _empty))


def _without_first(found):
    return Signature(list(found.parameters.values())[1:], return_annotation=found.return_annotation)


def unwrap(function, *, stop=None):
    while hasattr(function, "__wrapped__") and not (stop and stop(function)):
        function = function.__wrapped__
    return function


def _is(*kinds):
    return lambda value: isinstance(value, kinds)


isclass, isfunction, ismethod = _is(type), _is(types.FunctionType), _is(types.MethodType)
ismodule, isbuiltin, isgenerator = _is(types.ModuleType), _is(types.BuiltinFunctionType), _is(types.GeneratorType)
isroutine = _is(types.FunctionType, types.MethodType, types.BuiltinFunctionType)


def iscoroutinefunction(value):
    return isfunction(value) and bool(value.__code__.co_flags & 0x80)


_missing = object()


def getattr_static(value, name, default=_missing):
    owners = ([value] if isinstance(value, type) else []) + [type(value)]
    if not isinstance(value, type) and name in getattr(value, "__dict__", {}):
        return value.__dict__[name]
    for owner in owners:
        for cls in owner.__mro__:
            if name in cls.__dict__:
                return cls.__dict__[name]
    if default is _missing:
        raise AttributeError(name)
    return default


def _cell_of(value):
    """The name of the cell that defined a function or a class, and the line where its definition begins."""
    value = unwrap(value)
    if isinstance(value, types.MethodType):
        value = value.__func__
    if isinstance(value, types.FunctionType):
        return value.__code__.co_filename, value.__code__.co_firstlineno, None
    if isinstance(value, types.CodeType):
        return value.co_filename, value.co_firstlineno, None
    if isinstance(value, type):
        for member in vars(value).values():
            member = getattr(member, "__func__", getattr(member, "fget", member))
            member = unwrap(member) if callable(member) else member
            inner = isinstance(member, types.FunctionType) and member.__qualname__.startswith(value.__qualname__ + ".")
            if inner and member.__code__.co_filename in sys._cells:
                return member.__code__.co_filename, member.__code__.co_firstlineno, value.__name__
        raise OSError("source code not available")
    kind = type(value).__name__
    raise TypeError(
        f"module, class, method, function, traceback, frame, or code object was expected, got {kind}"
    )


def _definition(value):
    """The lines of the cell, and the definition in its syntax tree."""
    import ast

    cell, line, name = _cell_of(value)
    source = sys._cells.get(cell)
    if source is None:
        raise OSError("could not get source code")
    kinds = (ast.ClassDef,) if name else (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    best = None
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, kinds) or name and node.name != name:
            continue
        start = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", ()))])
        is_it = start <= line <= node.end_lineno if name else start == line or node.lineno == line
        if is_it and (best is None or start >= best[0]):
            best = start, node.end_lineno
    if best is None:
        raise OSError("could not get source code")
    return source.split("\n"), *best


def getsourcelines(value):
    lines, start, end = _definition(value)
    return [line + "\n" for line in lines[start - 1 : end]], start


def getsource(value):
    """The text of a function or a class that a cell defined."""
    return "".join(getsourcelines(value)[0])


def getfile(value):
    return _cell_of(value)[0]


getsourcefile = getfile
