"""What `compare_pytorch.py` times, and the loop that times it: one file, which PyTorch and attn both run.

The first line of stdin is the number of threads. Each later line is a request in JSON; its answer is a line of JSON
after `ANSWER`. `{"case": name, "seconds": s, "model": text}` answers the fewest seconds that one run of the case took; the
text is the model of `attn bench --decode`.
`{"train": steps}` trains the small transformer on, and answers the seconds of the forward pass, the backward pass and
the optimizer in each step.
"""

import json
import math
import sys
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

clock = time.perf_counter
ANSWER = "answer: "


class Case:
    """A statement to time. What `setup` makes is there before; `before` runs ahead of each run and is not timed."""

    def __init__(self, group, name, run, setup="", before="", flops=0):
        self.group, self.name, self.run, self.flops = group, name, run, flops
        self.setup, self.before = setup, before

    def timer(self, names):
        """A function that returns the seconds of `count` runs."""
        if self.before:
            lines = ["spent = 0.0", "for _ in range(count):", *indented(self.before), "    start = clock()"]
            lines += [*indented(self.run), "    spent += clock() - start", "return spent"]
        else:
            lines = ["start = clock()", "for _ in range(count):", *indented(self.run), "return clock() - start"]
        exec("def timer(count):\n" + "".join(f"    {line}\n" for line in lines), names)
        return names["timer"]

    def time(self, seconds, model):
        """The fewest seconds of one run."""
        names = dict(globals(), MODEL=model)
        torch.manual_seed(0)
        exec(self.setup, names)
        timer = self.timer(names)
        # The first runs may start threads or load code; then a run is long enough for the clock.
        once, count = min(timer(1) for _ in range(3)), 1
        while once * count < 1e-3 and count < 1000:
            count *= 4
            once = timer(count) / count
        count = max(1, int(min(seconds / 5, 3e-4) / max(once, 1e-7)))
        best, end = math.inf, clock() + seconds
        while best == math.inf or clock() < end:
            best = min(best, timer(count) / count)
        return best


def indented(text):
    return ["    " + line for line in text.split("\n")]


SINGLE = """
clone             | x.clone()
transposed copy   | x.T.contiguous()
cat               | torch.cat((x, y))
stack             | torch.stack((x, y))
add               | x + y
add a row         | x + row
mul a number      | x * 0.5
div               | x / y
relu              | torch.relu(x)
gelu              | F.gelu(x)
tanh              | torch.tanh(x)
erf               | torch.erf(x)
sin               | torch.sin(x)
cos               | torch.cos(x)
exp               | torch.exp(x)
compare           | x > y
masked_fill       | x.masked_fill(mask, 0.0)
where             | torch.where(mask, x, y)
tril              | torch.tril(x)
sum               | x.sum()
sum, dim 0        | x.sum(0)
mean, dim -1      | x.mean(-1)
var, dim -1       | x.var(-1)
max               | x.max()
max, dim -1       | x.max(-1)
argmax            | x.argmax()
cumsum, dim -1    | x.cumsum(-1)
softmax           | torch.softmax(x, dim=-1)
layer_norm        | F.layer_norm(x, (n,), row, row)
sort              | torch.sort(x)
boolean index     | x[mask]
rows by index     | x[rows]
randn             | torch.randn(m, n)
cross_entropy     | F.cross_entropy(x, rows)
"""

SINGLE_SETUP = """
m, n = {m}, {n}
x, y = torch.randn(m, n), torch.rand(m, n) + 0.5
row, mask, rows = torch.randn(n), torch.rand(m, n) > 0.5, torch.randint(0, min(m, n), (m,))
"""

# What is differentiated, and with respect to which tensors.
BACKWARD = """
linear            | F.linear(x, w, b)                                                | x w b
matmul            | x @ v                                                            | x v
batched product   | q @ k.transpose(-2, -1)                                          | q k
softmax           | torch.softmax(q, dim=-1)                                         | q
masked softmax    | torch.softmax(q.masked_fill(hidden, float('-inf')), dim=-1)      | q
layer norm        | F.layer_norm(x, (128,), g, b)                                    | x g b
gelu              | F.gelu(x)                                                        | x
cross-entropy     | F.cross_entropy(x.view(-1, 128), targets)                        | x
"""

BACKWARD_SETUP = """
x, w, v, b, g = torch.randn(32, 64, 128), torch.randn(128, 128), torch.randn(128, 128), torch.randn(128), torch.ones(128)
q, k = torch.randn(32, 4, 64, 64), torch.randn(32, 4, 64, 64)
hidden, targets = torch.triu(torch.ones(64, 64), diagonal=1).bool(), torch.randint(0, 128, (2048,))
wanted = [{wanted}]
for tensor in wanted:
    tensor.requires_grad_()
ones = torch.ones_like({made})
"""

ATTENTION_SETUP = """
q, k, v = (torch.randn(2, 12, 1024, 64, requires_grad={grad}) for _ in range(3))
x = torch.randn(2, 1024, 768)
"""

MULTI_HEAD = """
layer = nn.MultiheadAttention(768, 12, batch_first=True)
x = torch.randn(2, 1024, 768, requires_grad=True)
"""

CHAPTER = """
layer = MultiHeadAttention(768, 768, 1024, 0.0, 12)
x = torch.randn(2, 1024, 768, requires_grad=True)
"""


class MultiHeadAttention(nn.Module):
    """The chapter's class."""

    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.d_out, self.num_heads, self.head_dim = d_out, num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))

    def forward(self, x):
        b, num_tokens, _ = x.shape
        split = (b, num_tokens, self.num_heads, self.head_dim)
        keys = self.W_key(x).view(split).transpose(1, 2)
        values = self.W_value(x).view(split).transpose(1, 2)
        queries = self.W_query(x).view(split).transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3)
        attn_scores.masked_fill_(self.mask.bool()[:num_tokens, :num_tokens], -torch.inf)
        attn_weights = self.dropout(torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1))
        context_vec = (attn_weights @ values).transpose(1, 2)
        return self.out_proj(context_vec.contiguous().view(b, num_tokens, self.d_out))


class Block(nn.Module):
    """One layer of a transformer."""

    def __init__(self, width, heads, tokens):
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention = MultiHeadAttention(width, width, tokens, 0.0, heads)
        self.forth, self.back = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.back(F.gelu(self.forth(self.second(x))))


class Transformer(nn.Module):
    """A small GPT."""

    def __init__(self, layers, width, heads, tokens, words=65):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(tokens, width)
        self.blocks = nn.Sequential(*[Block(width, heads, tokens) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words)

    def forward(self, ids):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        return self.head(self.norm(self.blocks(x)))


class Training:
    """A model with its optimizer and one batch."""

    def __init__(self, layers, width, heads, tokens, batch):
        self.model = Transformer(layers, width, heads, tokens)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-3)
        self.ids = torch.randint(0, 65, (batch, tokens))
        self.targets = torch.randint(0, 65, (batch, tokens))

    def forward(self):
        self.loss = F.cross_entropy(self.model(self.ids).flatten(0, 1), self.targets.flatten())

    def backward(self):
        self.optimizer.zero_grad()
        self.loss.backward()

    def step(self):
        """Seconds of the forward pass, the backward pass and the optimizer."""
        times = [clock()]
        for part in (self.forward, self.backward, self.optimizer.step):
            part()
            times.append(clock())
        return [after - before for before, after in zip(times, times[1:])]


SIZES = {"small": (4, 128, 4, 64, 32), "tiny": (2, 32, 2, 16, 8)}

OPTIMIZERS = {
    "SGD": "torch.optim.SGD(params, lr=1e-3)",
    "SGD, momentum": "torch.optim.SGD(params, lr=1e-3, momentum=0.9)",
    "Adam": "torch.optim.Adam(params, lr=1e-3)",
    "AdamW": "torch.optim.AdamW(params, lr=1e-3)",
}

OPTIMIZER_SETUP = """
params = [nn.Parameter(torch.randn({shape})) for _ in range({count})]
for param in params:
    param.grad = torch.randn({shape})
optimizer = {make}
"""

DECODE = """
LAYERS, WIDTH, HEADS, WORDS = 12, 768, 12, 50257
exec(MODEL)
"""

COUNT = """
total = 0
for i in range(100_000):
    total += i
"""

OBJECTS = """
for i in range(10_000):
    point = Point(i, i + 1)
    seen[i % 100] = point.moved(1).length()
    words.append(f"{i}:{point.x}")
words.clear()
"""

OBJECTS_SETUP = """
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def moved(self, by):
        return Point(self.x + by, self.y + by)

    def length(self):
        return (self.x * self.x + self.y * self.y) ** 0.5

seen, words = {}, []
"""


def rows(table):
    return [[part.strip() for part in line.split("|")] for line in table.strip().split("\n")]


def all_cases():
    cases = []
    for m, n in ((6, 6), (512, 512), (2048, 1024)):
        setup = SINGLE_SETUP.format(m=m, n=n)
        for name, run in rows(SINGLE):
            cases.append(Case("single", f"{name}, {m}x{n}", run, setup))
    for size in (6, 512, 1024):
        setup = f"x, y = torch.randn({size}, {size}), torch.randn({size}, {size})"
        cases.append(Case("single", f"matmul, {size}x{size}", "x @ y", setup, flops=2 * size**3 if size > 6 else 0))
    for size in (768, 3072, 50257):
        setup = f"layer = nn.Linear(768, {size}, bias=False)\nlayer.requires_grad_(False)\nx = torch.randn({{count}}, 768)"
        for count in (1, 2, 4, 8, 16, 64, 256, 1024):
            name = f"linear, {count} rows of 768 to {size}"
            made = setup.replace("{count}", str(count))
            cases.append(Case("rows", name, "layer(x)", made, flops=2 * count * 768 * size))
    for cached in (True, False):
        name = f"20 tokens of a model of GPT-2's size, {'with a' if cached else 'without'} cache"
        cases.append(Case("decode", name, f"generate(20, {cached})", DECODE))
    for name, made, wanted in rows(BACKWARD):
        wanted = wanted.split()
        setup = BACKWARD_SETUP.format(wanted=", ".join(wanted) + ",", made=made)
        before = f"made = {made}\nfor tensor in wanted:\n    tensor.grad = None"
        cases.append(Case("backward", f"backward of {name}", "made.backward(ones)", setup, before))

    # Two products forward, four backward and one again, 2·T·T·64 each, for 2 x 12 heads.
    product = 24 * 2 * 1024 * 1024 * 64
    for causal in (False, True):
        name = "fused attention" + (", causal" if causal else "")
        run = f"made = F.scaled_dot_product_attention(q, k, v, is_causal={causal})"
        part = 0.5 if causal else 1
        cases.append(
            Case("attention", name, run, ATTENTION_SETUP.format(grad=False), flops=int(2 * product * part))
        )
        name = f"{name}, forward and backward"
        setup = ATTENTION_SETUP.format(grad=True) + "\nones = torch.ones_like(q)"
        cases.append(Case("attention", name, run + "\nmade.backward(ones)", setup, flops=int(7 * product * part)))
    for name, setup, call in (
        ("nn.MultiheadAttention", MULTI_HEAD, "layer(x, x, x, need_weights=False)[0]"),
        ("the chapter's class", CHAPTER, "layer(x)"),
    ):
        forward = f"with torch.no_grad():\n    made = {call}"
        cases.append(Case("attention", name, forward, setup))
        cases.append(Case("attention", f"{name}, forward and backward", f"{call}.sum().backward()", setup))

    for name, make in OPTIMIZERS.items():
        for shape, count in (("6, 6", 4), ("128, 512", 32)):
            setup = OPTIMIZER_SETUP.format(make=make, shape=shape, count=count)
            title = f"{name}, {count} parameters of {shape.replace(', ', 'x')}"
            cases.append(Case("optimizer", title, "optimizer.step()", setup))
    for name, size in SIZES.items():
        cases.append(Case("training", f"training step, {name}", "training.step()", f"training = Training{size}"))
    cases.append(Case("python", "loop of 100,000 rounds", COUNT.strip()))
    cases.append(Case("python", "objects, 10,000 rounds", OBJECTS.strip(), OBJECTS_SETUP))
    return cases


CASES = {case.name: case for case in all_cases()}


def serve():
    """Answers requests until there are no more."""
    torch.set_num_threads(int(sys.stdin.readline()))
    training = None
    while line := sys.stdin.readline():
        request = json.loads(line)
        if "train" in request:
            if training is None:
                torch.manual_seed(0)
                training = Training(*SIZES["small"])
            answer = [training.step() for _ in range(request["train"])]
        else:
            try:
                answer = CASES[request["case"]].time(request["seconds"], request["model"])
            except Exception as error:
                answer = f"{type(error).__name__}: {error}"
        print(ANSWER + json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve()
