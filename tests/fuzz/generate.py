"""Random calls of operations, made from their signatures.

`generate(rows, seed, count)` gives lines of Python; each is one call of `check` (see check.py), which says what
happened. `rows` are (name, places, forms) as the table of operations has them, the places as its bits. The same lines
run in PyTorch, so that both can be compared.
"""
import random

FUNCTION, METHOD, IN_PLACE, FUNCTIONAL, IN_PLACE_ONLY, RELAYOUT, LINALG = 1, 2, 4, 8, 16, 32, 64

DTYPES = "float32 float64 int64 int32 int16 int8 uint8 bool float16 bfloat16".split()
SHAPES = [(), (1,), (3,), (4,), (0,), (2, 3), (3, 3), (3, 2), (2, 0), (0, 3), (1, 3), (2, 2), (2, 3, 3), (2, 3, 4), (1, 1, 1), (2, 2, 2, 2), (2, 0, 3), (1, 2, 1, 3, 1)]
HUGE = [2**31, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 2**63, 2**70, -(2**70), 10**12, 2**40, 70000, 256, 255, -129]
FLOATS = [0.0, 1.0, -1.0, 0.5, 2.0, 1e-5, 3.7, 1e38, 1e300, -0.0, float("inf"), -float("inf"), float("nan")]
WORDS = "mean sum none reflect constant replicate circular zeros fro nuc reduced complete r floor trunc linear lower higher midpoint nearest amax amin prod ij xy tanh batchmean left right max".split()


class Calls:
    def __init__(self, seed, wild):
        self.random, self.wild = random.Random(seed), wild
        self.given = []

    def chance(self, part):
        return self.random.random() < part

    def pick(self, items):
        return items[self.random.randrange(len(items))]

    def shape(self):
        return self.pick(SHAPES)

    def dtype(self):
        if not self.chance(self.wild):
            return self.pick(("float32", "float32", "float32", "float64", "int64"))
        return self.pick(DTYPES)

    # Values by the words of signatures

    def tensor(self, like=None):
        """A tensor bound to a name of its own; mostly of the shape of the tensors before it."""
        if like is None or self.chance(0.3):
            shape = self.shape()
        else:
            shape = like[0]
            if shape and self.chance(0.25):
                shape = self.pick([shape[-1:], shape[1:], shape[::-1], (1,) * len(shape), shape[:-1] + (1,), shape + (2,), shape[:-1]])
        dtype = like[1] if like and self.chance(0.7) else self.dtype()
        layout = self.pick(("", "", "", "", "t", "step", "expand", "flip", "tail")) if shape else ""
        name = "abcdefghij"[len(self.given) % 10]
        text = f"mk({shape}, '{dtype}', {self.random.randrange(100)}{', ' + repr(layout) if layout else ''})"
        self.given.append((name, text, (shape, dtype)))
        return name

    def like(self):
        return self.given[0][2] if self.given else None

    def index(self):
        """A tensor of small whole numbers."""
        like = self.like()
        shape = like[0] if like and self.chance(0.6) else self.shape()
        name = "abcdefghij"[len(self.given) % 10]
        dtype = "int64" if not self.chance(self.wild / 2) else self.pick(("int32", "uint8", "bool", "float32", "int8"))
        self.given.append((name, f"ix({shape}, '{dtype}', {self.pick((1, 2, 3, 3, 4))}, {self.random.randrange(100)})", (shape, dtype)))
        return name

    def mask(self):
        like = self.like()
        shape = like[0] if like and self.chance(0.7) else self.shape()
        name = "abcdefghij"[len(self.given) % 10]
        self.given.append((name, f"mk({shape}, 'bool', {self.random.randrange(100)})", (shape, "bool")))
        return name

    def int(self, name=""):
        if self.wild > 0.2 and self.chance(self.wild / 3):
            return repr(self.pick(HUGE))
        if self.chance(self.wild / 6):
            return self.pick(("True", "2.0", "None", "'x'", "1.5", "[1]", "torch.tensor(1)"))
        if name in ("dim", "axis", "dim0", "dim1", "dim2", "start_dim", "end_dim", "source", "destination"):
            return repr(self.pick((0, 0, 1, -1, -1, -2, 2, 3, -4)))
        return repr(self.pick((0, 1, 1, 2, 2, 3, 4, -1, -2, 5, 7)))

    def ints(self, name=""):
        if name in ("dim", "dims", "axis"):
            return self.pick(("0", "-1", "1", "(0, 1)", "(-1, -2)", "()", "(1, 0)", "(0, 0)", "[0]", "(2, 0, 1)", "(1,)", "(5,)"))
        if self.chance(0.3):
            return self.int(name)
        return "(" + "".join(self.int(name) + ", " for _ in range(self.pick((0, 1, 1, 2, 2, 2, 3, 4, 6)))) + ")"

    def number(self):
        return self.pick((self.float, self.int, self.int))()

    def float(self, name=""):
        if self.chance(self.wild / 6):
            return self.pick(("True", "3", "None", "'x'", "2**70", "torch.tensor(1.)"))
        if self.chance(self.wild):
            value = self.pick(FLOATS)
            text = repr(value)
            return f"float('{text}')" if text in ("inf", "-inf", "nan") else text
        return self.pick(("0.5", "1.0", "2.0", "0.25", "0.1", "0.0", "1e-3", "3.0"))

    def several(self):
        like = None
        names = []
        for _ in range(self.pick((0, 1, 2, 2, 2, 3)) if self.chance(self.wild) else self.pick((1, 2, 2, 3))):
            names.append(self.tensor(like))
            like = self.given[-1][2]
        return "[" + ", ".join(names) + "]"

    def value(self, word, name):
        """Source of a value for a parameter."""
        optional = word.endswith("?")
        word = word.rstrip("?")
        if optional and self.chance(0.25):
            return "None"
        if self.chance(self.wild / 30):
            return self.pick(("None", "'x'", "1", "2.5", "[]", "(1, 2)", "mk((2,), 'float32', 0)", "torch.float32", "{}", "True", "lambda: 0", "slice(1)"))
        if word == "Tensor":
            if name in ("index", "indices", "target", "targets", "repeats") and self.chance(0.8):
                return self.index()
            if name in ("mask", "condition") and self.chance(0.8):
                return self.mask()
            return self.tensor(self.like())
        if word == "Operand":
            return self.number() if self.chance(0.5) else self.tensor(self.like())
        if word == "Number":
            return self.number()
        if word == "int":
            return self.int(name)
        if word == "float":
            return self.float(name)
        if word in ("bool", "hint"):
            return self.pick(("True", "False"))
        if word == "str":
            return repr(self.pick(WORDS))
        if word == "dtype":
            return "torch." + self.dtype()
        if word in ("ints", "sizes"):
            return self.ints(name)
        if word == "floats":
            return "[" + ", ".join(self.float() for _ in range(self.pick((0, 1, 2, 4)))) + "]"
        if word in ("Tensors", "Several"):
            return self.several()
        if word == "Generator":
            return "torch.Generator().manual_seed(3)"
        if word == "device":
            return self.pick(("'cpu'", "None", "torch.device('cpu')", "'cuda'", "3", "1.5", "'xyz'"))
        if word == "layout":
            return self.pick(("torch.strided", "torch.sparse_coo", "3"))
        if word == "format":
            return self.pick(("torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "3"))
        if word == "out":
            return "None"
        return "None"

    def parameters(self, form):
        """(word, name, default, keyword only) of each parameter of a form."""
        out, starred = [], False
        for part in form.split(", "):
            if part == "*":
                starred = True
            elif part:
                word, _, rest = part.partition(" ")
                name, _, default = rest.partition("=")
                out.append((word, name, default, starred))
        return out

    def call(self, row):
        """One call of an operation of a row: names given to tensors, and the expression."""
        name, places, forms = row
        self.given = []
        form = self.pick(forms)
        parameters = self.parameters(form)
        ways = []
        if places & FUNCTION:
            ways += ["torch." + name] * 2
        if places & FUNCTIONAL:
            ways += ["F." + name]
        if places & LINALG:
            ways += ["torch.linalg." + name[len("linalg_"):]]
        if places & METHOD:
            ways += ["." + name]
        if places & (IN_PLACE | RELAYOUT):
            ways += ["." + name + "_"]
        if places & IN_PLACE_ONLY:
            ways += ["." + name]
        way = self.pick(ways)
        arguments, keyword = [], False
        for position, (word, parameter, default, starred) in enumerate(parameters):
            if default and not self.chance(0.35):
                keyword = True
                continue
            if parameter.startswith("_") or word in ("any", "out", "only"):
                keyword = True
                continue
            if position == 0 and way[0] == "." and word in ("Tensor", "Operand"):
                arguments.append(self.tensor())
                continue
            value = self.value(word, parameter)
            if keyword or starred or (position > 0 and self.chance(0.25)):
                keyword = True
                arguments.append(f"**{{'from': {value}}}" if parameter == "from" else f"{parameter}={value}")
            else:
                arguments.append(value)
        if self.chance(self.wild / 20):
            arguments.append("nonsense=1")
        if way[0] == ".":
            if not arguments or "=" in arguments[0]:
                return self.call(row)
            expression = f"{arguments[0]}{way}({', '.join(arguments[1:])})"
        else:
            expression = f"{way}({', '.join(arguments)})"
        bound = "".join(f", {name}={text}" for name, text, _ in self.given)
        return f"check({expression!r}{bound})"


def generate(rows, seed, count, wild=0.3):
    calls = Calls(seed, wild)
    return [calls.call(calls.pick(rows)) for _ in range(count)]
