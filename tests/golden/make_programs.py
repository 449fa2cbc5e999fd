"""Random PyTorch programs and what a real PyTorch (CPU) prints for them: for long comparisons outside CI.

Usage: python make_programs.py COUNT SEED OUT.json [FAMILY...]
       python compare_programs.py ATTN OUT.json

Every family is a list of templates. A template is an expression (its value is printed) or, after `!`, a statement
(what it changed is printed). Holes in braces are drawn against the tensor `x` as it is at that point, because each
line runs while the program is written: {dim} is mostly a dimension of x, sometimes one too many. What raises is
printed as its type and its first line, so that errors are compared too; of a TypeError only the type, because
PyTorch lists overloads in it. Floats are mostly multiples of 1/8, so that sums are exact in any order.
"""
import ast, contextlib, io, json, math, random, re, sys, warnings
import torch, torch.nn as nn, torch.nn.functional as F
from make_programs_modules import MODULE_FAMILIES
from make_programs_tables import FAMILIES, KINDS

HEAD = """import torch
import torch.nn as nn
import torch.nn.functional as F

def show(f):
    try:
        print(f())
    except TypeError:
        print("TypeError")
    except Exception as e:
        print(type(e).__name__, str(e).split("\\n")[0])
"""


class Program:
    """Lines that have already run, and the names they bound."""

    def __init__(self, rng):
        self.rng, self.lines, self.names, self.fresh, self.fixed = rng, [HEAD], {}, 0, {}
        self.out = io.StringIO()
        self.run(HEAD)

    def run(self, line):
        with contextlib.redirect_stdout(self.out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(line, self.names)

    def add(self, line):
        self.run(line)
        self.lines.append(line)

    def show(self, expression):
        pair = isinstance(ast.parse(expression, mode="eval").body, ast.Tuple)
        self.add(f"show(lambda: ({expression}))" if pair else f"show(lambda: {expression})")

    def new(self, expression):
        self.fresh += 1
        name = f"t{self.fresh}"
        self.add(f"{name} = {expression}")
        return name

    # drawing

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *options):
        return self.rng.choice(options)

    def shape(self, least=0, most=4):
        dims = self.rng.choice([d for d in (0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 5) if least <= d <= most] or [least])
        return tuple(0 if self.chance(0.01) else self.rng.randint(1, 4 if dims < 4 else 2) for _ in range(dims))

    def values(self, shape, kind):
        """An expression for a tensor of that shape; `kind` is a key of KINDS."""
        n = math.prod(shape)
        rng = self.rng
        if kind == "float" and self.chance(0.15):
            return f"torch.randn({tuple(shape)}, generator=torch.Generator().manual_seed({rng.randint(0, 99)}))"
        if n > 24:
            body = f"(torch.arange({n}) * {rng.choice([1, 3, 7])} % {rng.choice([5, 11, 17])} - {rng.choice([0, 2, 6])}).view({tuple(shape)})"
            return "(" + body + {"float": " / 4", "int": "", "bool": " > 0", "double": ".double() / 8", "small": ".int()", "half": ".half() / 4"}[kind] + ")"
        cell = {"float": lambda: rng.randint(-24, 24) / 8, "double": lambda: rng.randint(-24, 24) / 8, "half": lambda: rng.randint(-12, 12) / 4,
                "int": lambda: rng.randint(-5, 9), "small": lambda: rng.randint(0, 9), "bool": lambda: rng.random() < 0.5}[kind]
        def nest(sizes):
            return cell() if not sizes else [nest(sizes[1:]) for _ in range(sizes[0])]
        dtype = {"double": ", dtype=torch.float64", "small": ", dtype=torch." + rng.choice(["int32", "int16", "uint8"]), "half": ", dtype=torch.float16"}.get(kind, "")
        text = f"torch.tensor({nest(list(shape))}{dtype})"
        if 0 in shape:
            text = f"torch.zeros({tuple(shape)}" + {"int": ", dtype=torch.int64", "bool": ", dtype=torch.bool", "small": ", dtype=torch.int32"}.get(kind, dtype) + ")"
        return text

    def strided(self, shape, kind):
        """The same, now and then as a view that is not contiguous."""
        shape = list(shape)
        if len(shape) >= 2 and self.chance(0.25):
            i, j = self.rng.sample(range(len(shape)), 2)
            shape[i], shape[j] = shape[j], shape[i]
            return f"{self.values(shape, kind)}.transpose({i}, {j})"
        if shape and self.chance(0.1):
            d = self.rng.randrange(len(shape))
            wide = shape[:d] + [shape[d] * 2] + shape[d + 1:]
            return f"{self.values(wide, kind)}[{':, ' * d}::2]"
        return self.values(shape, kind)

    def start(self, family):
        kinds, least, most, grad = KINDS.get(family, KINDS["*"])
        kind = self.rng.choice(kinds)
        if family in ("random", "norms", "losses"):
            self.add(f"torch.manual_seed({self.hole_seed()})")
        shape = self.shape(least, most)
        self.add(f"x = {self.strided(shape, kind)}")
        if kind in ("float", "double") and self.chance(grad):
            self.add("x = x.detach().clone().requires_grad_()" if self.chance(0.5) else "x = x.detach().clone().requires_grad_() * 1")
        return kind

    # holes: each draws a text against x

    @property
    def x(self):
        return self.names["x"]

    def hole(self, name):
        if name[-1:].isdigit() and name in self.fixed:
            return self.fixed[name]
        text = getattr(self, "hole_" + name.rstrip("0123456789"))()
        if name[-1:].isdigit():
            self.fixed[name] = text
        return text

    def hole_dim(self):
        n = max(self.x.dim(), 1)
        if self.chance(0.06):
            return str(self.pick(n, -n - 1, n + 1))
        return str(self.rng.randint(-n, n - 1))

    def hole_dims(self):
        n = self.x.dim()
        if n == 0 or self.chance(0.05):
            return self.hole_dim()
        picked = self.rng.sample(range(n), self.rng.randint(1, n))
        return str(tuple(d - n if self.chance(0.4) else d for d in picked))

    def hole_perm(self):
        n = self.x.dim()
        perm = self.rng.sample(range(n), n)
        if self.chance(0.05) and n:
            perm[0] = perm[-1] if self.chance(0.5) else n
        return ", ".join(str(d - n if self.chance(0.3) else d) for d in perm) if n else "()"

    def hole_flag(self):
        return str(self.chance(0.5))

    def hole_n(self):
        return str(self.rng.randint(0, 4))

    def hole_k(self):
        return str(self.rng.randint(1, 3))

    def hole_i(self):
        return str(self.rng.randint(-4, 4))

    def hole_f(self):
        return str(self.rng.randint(-16, 16) / 8)

    def hole_p(self):
        return str(self.rng.randint(1, 16) / 8)

    def hole_number(self):
        return self.pick(self.hole_i, self.hole_f, self.hole_p, self.hole_flag)()

    def hole_dtype(self):
        return "torch." + self.pick("float32", "float64", "int64", "int32", "bool", "float16", "float", "long", "double", "uint8", "int8")

    def hole_floating(self):
        return "torch." + self.pick("float32", "float64")

    def hole_reduction(self):
        return self.pick("mean", "sum", "none")

    def hole_seed(self):
        return str(self.rng.randint(0, 10**6))

    def hole_any(self):
        """A tensor of a shape of its own."""
        return self.new(self.strided(self.shape(0, 3), self.pick("float", "float", "int", "bool", "double")))

    def hole_same(self):
        """A tensor of x's shape; mostly of its kind."""
        return self.new(self.strided(tuple(self.x.shape), self.kind() if self.chance(0.8) else self.pick("float", "int", "bool", "double")))

    def hole_y(self):
        """A tensor that mostly broadcasts with x."""
        shape = [1 if self.chance(0.25) else s for s in self.x.shape]
        while shape and self.chance(0.3):
            shape.pop(0)
        if self.chance(0.15) and len(shape) < 5:
            shape.insert(0, self.rng.randint(1, 2))
        if shape and self.chance(0.05):
            shape[self.rng.randrange(len(shape))] += 1
        return self.new(self.strided(shape, self.pick(self.kind(), self.kind(), self.kind(), "float", "int", "bool", "double")))

    def hole_mask(self):
        shape = list(self.x.shape)
        while shape and self.chance(0.15):
            shape.pop(0)
        if shape and self.chance(0.05):
            shape[-1] += 1
        return self.new(self.values(shape, "bool")) if self.chance(0.7) else f"(x > {self.hole_f()})"

    def kind(self):
        t = self.x.dtype
        return {torch.float32: "float", torch.float64: "double", torch.int64: "int", torch.bool: "bool", torch.float16: "half"}.get(t, "small")

    def hole_shape(self):
        """A shape of as many elements as x has, sometimes with a -1, seldom a wrong one."""
        n, sizes = self.x.numel(), []
        while n > 1 and len(sizes) < 4:
            d = self.rng.choice([d for d in range(1, n + 1) if n % d == 0])
            sizes.append(d)
            n //= d
            if self.chance(0.2):
                break
        sizes.append(n)
        if self.chance(0.25):
            sizes[self.rng.randrange(len(sizes))] = -1
        if self.chance(0.08):
            sizes[0] += 1
        return ", ".join(map(str, sizes))

    def hole_slice(self):
        n = 5
        a, b = ("" if self.chance(0.4) else str(self.rng.randint(-n, n)) for _ in range(2))
        step = "" if self.chance(0.6) else ":" + self.pick("1", "2", "3")
        return f"{a}:{b}{step}"

    def hole_index(self):
        """What stands between the brackets of a subscript of x."""
        parts, rest, dots = [], list(self.x.shape), False
        while rest and not self.chance(0.2):
            size = rest[0]
            form = self.rng.random()
            if form < 0.3:
                low, high = (-size, size - 1) if size and not self.chance(0.04) else (size, size)
                parts.append(str(self.rng.randint(low, high)))
            elif form < 0.6:
                parts.append(self.hole_slice())
            elif form < 0.68:
                parts.append("None")
                continue
            elif form < 0.74 and not dots:
                parts.append("...")
                dots = True
                del rest[: self.rng.randint(0, len(rest))]
                continue
            elif form < 0.84 and size:
                parts.append(str([self.rng.randint(-size, size - 1) for _ in range(self.pick(1, 2, 2, 3))]))
            elif form < 0.92 and size:
                parts.append(f"torch.tensor({[self.rng.randint(-size, size - 1) for _ in range(self.pick(2, 2, 3))]})")
            elif form < 0.97:
                parts.append(f"torch.tensor({[self.chance(0.5) for _ in range(size)]})")
            else:
                parts.append(self.pick("True", "-1:", "torch.tensor(0)", "[]"))
            rest.pop(0)
        return ", ".join(parts) if parts else "..."

    def hole_along(self):
        """`dim, index` for gather and its kin: an index tensor of x's rank."""
        n = self.x.dim()
        if n == 0:
            return "0, torch.tensor(0)"
        d = self.rng.randrange(n)
        shape = [max(1, self.rng.randint(1, s)) if s else 0 for s in self.x.shape]
        shape[d] = self.rng.randint(1, 3)
        size = max(self.x.shape[d], 1)
        if self.chance(0.05):
            size += 2
        def nest(sizes):
            return self.rng.randrange(size) if not sizes else [nest(sizes[1:]) for _ in range(sizes[0])]
        return f"{d - n if self.chance(0.3) else d}, torch.tensor({nest(shape)})"

    def hole_positions(self):
        """`dim, index` for index_select: a vector of positions."""
        n = max(self.x.dim(), 1)
        d = self.rng.randrange(n)
        size = self.x.shape[d] if self.x.dim() else 1
        picked = [self.rng.randrange(max(size, 1)) for _ in range(self.rng.randint(1, 3))]
        if self.chance(0.05):
            picked[0] = size
        return f"{d - n if self.chance(0.3) else d}, torch.tensor({picked})"

    def hole_sizes(self):
        """`sizes, dim` for split."""
        n = self.x.dim()
        if n == 0:
            return "1, 0"
        d = self.rng.randrange(n)
        size = self.x.shape[d]
        if self.chance(0.5):
            return f"{self.rng.randint(1, 3)}, {d}"
        first = self.rng.randint(0, size)
        wrong = 1 if self.chance(0.06) else 0
        return f"[{first}, {size - first + wrong}], dim={d - n}"

    def hole_right(self):
        """A tensor that x can mostly be multiplied with from the left."""
        inner = self.x.shape[-1] if self.x.dim() else 2
        if self.chance(0.06):
            inner += 1
        columns = self.rng.randint(1, 3)
        lead = [s if self.chance(0.7) else 1 for s in self.x.shape[:-2]]
        shape = self.pick([inner], [inner, columns], [inner, columns], lead + [inner, columns])
        return self.new(self.strided(shape, self.kind() if self.chance(0.95) else self.pick("float", "int")))

    def hole_expandable(self):
        sizes = [s if s != 1 or self.chance(0.3) else self.rng.randint(1, 3) for s in self.x.shape]
        sizes = [-1 if self.chance(0.2) else s for s in sizes]
        if self.chance(0.3):
            sizes.insert(0, 2)
        if self.chance(0.06) and sizes:
            sizes[-1] = 7
        return ", ".join(map(str, sizes)) or "2"

    def hole_equation(self):
        """`equation, x, ...` for einsum, over x and a second tensor that shares some of its letters."""
        letters = self.rng.sample("abcdefg", self.x.dim())
        sizes = dict(zip(letters, self.x.shape))
        operands = ["x"]
        terms = ["".join(letters)]
        if self.chance(0.8):
            new = [c for c in "hij"[: self.rng.randint(0, 2)]]
            shared = self.rng.sample(letters, self.rng.randint(0, len(letters)))
            second = shared + new
            self.rng.shuffle(second)
            for c in new:
                sizes[c] = self.rng.randint(1, 3)
            wrong = 1 if self.chance(0.04) else 0
            operands.append(self.new(self.values([sizes[c] + wrong for c in second], self.kind())))
            terms.append("".join(second))
        all_letters = sorted({c for t in terms for c in t})
        out = self.rng.sample(all_letters, self.rng.randint(0, len(all_letters)))
        arrow = "" if self.chance(0.12) else "->" + "".join(out)
        return f'"{",".join(terms)}{arrow}", {", ".join(operands)}'

    def fill(self, template):
        self.fixed = {}
        return re.sub(r"\{([a-z]+[0-9]?)\}", lambda m: self.hole(m.group(1)), template)

    def step(self, template):
        if template.startswith("!"):
            self.add("def act():\n    global x\n" + "".join(f"    {part.strip()}\n" for part in self.fill(template[1:]).split(";")) + "    return x")
            self.show("act()")
        elif template.startswith("="):
            self.add(self.fill(template[1:]))
        else:
            self.show(self.fill(template))

    def text(self):
        text = "\n".join(self.lines) + "\n"
        for name, line in (("nn", "import torch.nn as nn\n"), ("F", "import torch.nn.functional as F\n")):
            if not re.search(rf"\b{name}\.", text.replace("torch.nn", "")):
                text = text.replace(line, "")
        return text


def program_of(family, rng):
    """One program of that family and what it prints."""
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    torch.manual_seed(0)
    p = Program(rng)
    if family in MODULE_FAMILIES:
        MODULE_FAMILIES[family](p)
    else:
        p.start(family)
        for _ in range(rng.randint(3, 6)):
            p.step(rng.choice(FAMILIES[family]))
    return p.text(), p.out.getvalue()


def again(program):
    """What it prints when it runs from its text alone."""
    torch.set_printoptions(profile="default")
    torch.set_default_dtype(torch.float32)
    torch.set_grad_enabled(True)
    out = io.StringIO()
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "<program>", "exec"), {"__name__": "__main__"})
    return out.getvalue()


def main(count, seed, out, *families):
    torch.set_num_threads(1)
    rng = random.Random(int(seed))
    names = list(families) or list(FAMILIES) + list(MODULE_FAMILIES)
    cases, dropped = [], 0
    while len(cases) < int(count):
        family = names[len(cases) % len(names)]
        try:
            program, text = program_of(family, rng)
        except Exception as e:  # a line that must not fail did: a mistake of a template
            dropped += 1
            print(f"{family}: {type(e).__name__}: {str(e)[:200]}", file=sys.stderr)
            if dropped > 50 + int(count):
                sys.exit("too many programs that do not run")
            continue
        if len(text) > 6000 or again(program) != text:
            dropped += 1
            print(f"{family}: dropped", file=sys.stderr)
            continue
        cases.append({"family": family, "name": f"{family}-{seed}-{len(cases)}", "program": program, "stdout": text})
    head = {"torch": torch.__version__, "contract": "exact stdout; made by make_programs.py"}
    with open(out, "w") as file:
        file.write(json.dumps(head)[:-1] + ', "cases": [\n' + ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n]}\n")
    print(f"{len(cases)} programs, {dropped} dropped")


if __name__ == "__main__":
    main(*sys.argv[1:])
