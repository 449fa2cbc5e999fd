"""The text of a value as Jupyter shows it under a cell: containers as IPython lays them out, `repr` of the rest.

Source: the behaviour of `IPython.lib.pretty`, version 8, whose lines break as Oppen 1980 describes it.
"""

from itertools import islice
from types import BuiltinFunctionType, FunctionType

MAX_WIDTH = 79
# The elements of one container that are shown; `...` replaces the rest.
MAX_ELEMENTS = 1000


class Group:
    """Text that stays on one line if it fits; otherwise it breaks at all of its breakables, the outermost group first."""

    def __init__(self, depth):
        self.depth = depth
        # How many of its breakables are in the buffer.
        self.breakables = 0
        self.broken = False


class Printer:
    def __init__(self):
        outermost = Group(0)
        self.out, self.out_width = [], 0
        # Texts of the current line whose place is not decided yet, and breakables: the group and the indentation.
        self.buffer, self.buffer_width = [], 0
        # The open groups, and by depth those that may still be broken.
        self.open, self.queue = [outermost], [[outermost]]
        self.indent = 0
        # The ids of the values around the current one.
        self.ancestors = []

    def text(self, text):
        if not self.buffer:
            self.out.append(text)
            self.out_width += len(text)
            return
        self.buffer.append(text)
        self.buffer_width += len(text)
        self.break_outer_groups()

    def space(self):
        """A space, or a line break if the group around it does not fit."""
        group = self.open[-1]
        if group.broken:
            self.new_line()
            return
        group.breakables += 1
        self.buffer.append((group, self.indent))
        self.buffer_width += 1
        self.break_outer_groups()

    def line_break(self):
        group = self.outermost()
        if group is not None:
            self.break_group(group)
        self.new_line()

    def new_line(self):
        while self.buffer:
            self.write()
        self.out.append("\n" + " " * self.indent)
        self.out_width, self.buffer_width = self.indent, 0

    def begin(self, opening=""):
        if opening:
            self.text(opening)
        group = Group(self.open[-1].depth + 1)
        self.open.append(group)
        if len(self.queue) <= group.depth:
            self.queue.append([])
        self.queue[group.depth].append(group)
        self.indent += len(opening)

    def end(self, opening="", closing=""):
        """Ends the innermost group, which began with `opening`."""
        self.indent -= len(opening)
        self.forget(self.open.pop())
        if closing:
            self.text(closing)

    def forget(self, group):
        if not group.breakables and group in self.queue[group.depth]:
            self.queue[group.depth].remove(group)

    def break_outer_groups(self):
        while self.out_width + self.buffer_width > MAX_WIDTH:
            group = self.outermost()
            if group is None:
                return
            self.break_group(group)

    def break_group(self, group):
        while self.buffer and (group.breakables or isinstance(self.buffer[0], str)):
            self.write()

    def outermost(self):
        """The outermost group that has a breakable, which is broken now; those around it are too."""
        for groups in self.queue:
            for from_end, group in enumerate(reversed(groups)):
                if group.breakables:
                    # IPython removes the entry at this index counted from the other end. This keeps its output.
                    del groups[from_end]
                    group.broken = True
                    return group
            for group in groups:
                group.broken = True
            groups.clear()
        return None

    def write(self):
        """Writes the first part of the buffer."""
        part = self.buffer.pop(0)
        if isinstance(part, str):
            self.buffer_width -= len(part)
            self.out.append(part)
            self.out_width += len(part)
            return
        group, indent = part
        self.buffer_width -= 1
        group.breakables -= 1
        if group.broken:
            self.out.append("\n" + " " * indent)
            self.out_width = indent
            return
        self.forget(group)
        self.out.append(" ")
        self.out_width += 1

    def value(self, value):
        is_cycle = id(value) in self.ancestors
        self.ancestors.append(id(value))
        self.begin()
        self.show(value, is_cycle)
        self.end()
        self.ancestors.pop()

    def show(self, value, is_cycle):
        """The first class in the method resolution order that is known here or defines `__repr__` decides."""
        for cls in type(value).__mro__:
            names = vars(cls)
            if id(cls) in SHOWN:
                return SHOWN[id(cls)](self, value, is_cycle)
            if cls.__name__ in COLLECTIONS and cls.__module__ in ("collections", "_collections"):
                return self.collection(value, COLLECTIONS[cls.__name__], is_cycle)
            if cls is object:
                break
            if "_repr_pretty_" in names and callable(value._repr_pretty_) or callable(names.get("__repr__")):
                return self.repr(value)
        self.begin("<")
        self.value(type(value))
        self.text(f" at 0x{id(value):x}{' ...' if is_cycle else ''}")
        self.end("<", ">")

    def repr(self, value, is_cycle=False):
        self.begin()
        for at, line in enumerate(repr(value).splitlines()):
            if at:
                self.line_break()
            self.text(line)
        self.end()

    def elements(self, values, show):
        for at, value in enumerate(values):
            if at:
                self.text(",")
                self.space()
            if at == MAX_ELEMENTS:
                self.text("...")
                return
            show(value)

    def enclosed(self, opening, values, closing, is_cycle):
        if is_cycle:
            self.text(f"{opening}...{closing}")
            return
        self.begin(opening)
        self.elements(values, self.value)
        if opening == "(" and len(values) == 1:
            self.text(",")
        self.end(opening, closing)

    def set(self, value, opening, closing, is_cycle):
        values = first(value)
        if not values and not is_cycle:
            self.text(f"{type(value).__name__}()")
            return
        if len(values) < MAX_ELEMENTS:
            try:
                values = sorted(values)
            except Exception:
                values = sorted(values, key=str)
        self.enclosed(opening, values, closing, is_cycle)

    def dict(self, value, is_cycle):
        def item(key):
            self.value(key)
            self.text(": ")
            self.value(value[key])

        if is_cycle:
            self.text("{...}")
            return
        self.begin("{")
        self.elements(first(value.keys()), item)
        self.end("{", "}")

    def cls(self, value, is_cycle):
        metaclasses = type(value).__mro__
        if any("__repr__" in vars(it) for it in metaclasses[: metaclasses.index(type)]):
            self.repr(value)
        else:
            self.text(qualified(value))

    def function(self, value, is_cycle):
        signature = ""
        if isinstance(value, FunctionType):
            import inspect

            signature = inspect.signature(value)
        self.text(f"<function {qualified(value)}{signature}>")

    def exception(self, value, is_cycle):
        self.enclosed_call(qualified(type(value)), first(value.args))

    def collection(self, value, arguments, is_cycle):
        if is_cycle:
            self.text(f"{type(value).__name__}(...)")
        else:
            self.enclosed_call(type(value).__name__, arguments(value))

    def enclosed_call(self, name, arguments):
        def argument(value):
            if not isinstance(value, Keyword):
                return self.value(value)
            self.begin(value[0])
            self.value(value[1])
            self.end(value[0])

        self.begin()
        self.begin(name + "(")
        self.elements(arguments, argument)
        self.end(name + "(", ")")
        self.end()


class Keyword(tuple):
    """An argument by name: `maxlen=` and its value."""


def first(values):
    return list(islice(values, MAX_ELEMENTS + 1))


def qualified(value):
    """`module.name`, without the module for builtins."""
    name = getattr(value, "__qualname__", None)
    name = name if isinstance(name, str) else str(value.__name__)
    module = getattr(value, "__module__", None)
    return f"{module}.{name}" if isinstance(module, str) and module != "builtins" else name


def of_deque(value):
    return [first(value)] if value.maxlen is None else [first(value), Keyword(("maxlen=", value.maxlen))]


# How values of these classes are shown, by the ids of the classes: a metaclass may say that two of them are equal.
SHOWN = {
    id(list): lambda it, value, is_cycle: it.enclosed("[", first(value), "]", is_cycle),
    id(tuple): lambda it, value, is_cycle: it.enclosed("(", first(value), ")", is_cycle),
    id(dict): Printer.dict,
    id(set): lambda it, value, is_cycle: it.set(value, "{", "}", is_cycle),
    id(frozenset): lambda it, value, is_cycle: it.set(value, "frozenset({", "})", is_cycle),
    id(type): Printer.cls,
    id(FunctionType): Printer.function,
    id(BuiltinFunctionType): Printer.function,
    id(BaseException): Printer.exception,
}
# The classes of `collections` that IPython lays out as calls, and the arguments.
COLLECTIONS = {
    "deque": of_deque,
    "defaultdict": lambda value: [value.default_factory, dict(first(value.items()))],
    "Counter": lambda value: [dict(value.most_common())] if value else [],
    "OrderedDict": lambda value: [first(value.items())] if value else [],
}


def shown(value):
    """The text of a value as Jupyter shows it."""
    printer = Printer()
    printer.value(value)
    while printer.buffer:
        printer.write()
    return "".join(printer.out)
