//! Mistakes in forms that layers seldom have: pools, sinks, memories, weights that are averaged over heads.
//! In each program the doctor finds nothing, and with one change it finds the mistake.

use attn::explain::{TensorNames, doctor};
use attn::session::{Session, SessionOptions, with_large_stack};

/// One vector for each text: the weights are multiplied with the vectors element by element.
const POOL: &str = "\
import torch
import torch.nn as nn
class Pool(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.score = nn.Linear(d, 1)
    def forward(self, h, real):
        s = self.score(h).masked_fill(~real[:, :, None], float('-inf'))
        w = torch.softmax(s, dim=1)
        return (w * h).sum(1)
torch.manual_seed(3)
real = torch.arange(5)[None] < torch.tensor([5, 3, 4])[:, None]
out = Pool()(torch.randn(3, 5, 4), real)
";

/// Names that say nothing of queries, keys and values; a sink that every token sees.
const SINK: &str = "\
import torch
import torch.nn as nn
class Mixer(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.sink = nn.Parameter(torch.zeros(1))
    def forward(self, x):
        n, t, d = x.shape
        s = self.a(x) @ self.b(x).transpose(1, 2) / d ** 0.5
        s = s + torch.full((t, t), -torch.inf).triu(1)
        s = torch.cat([s, self.sink.expand(n, t, 1)], dim=-1)
        w = s.softmax(dim=-1)[..., :-1]
        return w @ self.c(x)
torch.manual_seed(3)
out = Mixer()(torch.randn(2, 5, 6))
";

/// A batch of texts and a mask of padding with a large finite number.
const PADDED: &str = "\
import torch
def attend(q, k, v, there):
    s = q @ k.transpose(1, 2) / q.shape[-1] ** 0.5
    s = s.masked_fill(~there[:, None, :], -1e9)
    return torch.softmax(s, dim=-1) @ v
torch.manual_seed(3)
there = torch.tensor([[True] * 4, [True, True, False, False]])
out = attend(*torch.randn(3, 2, 4, 6), there)
";

/// Weights of several layers, averaged over their heads and multiplied up.
const ROLLOUT: &str = "\
import torch
torch.manual_seed(3)
maps = [torch.softmax(torch.randn(1, 2, 5, 4) @ torch.randn(1, 2, 4, 5) / 2, dim=-1) for _ in range(3)]
flow = torch.eye(5)
for one in maps:
    mean = one.mean(dim=1)[0] + torch.eye(5)
    flow = (mean / mean.sum(dim=-1, keepdim=True)) @ flow
";

/// A memory of the vectors that came before.
const MEMORY: &str = "\
import torch
import torch.nn as nn
class Recurrent(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x, past):
        new = x.shape[1]
        both = torch.cat([past, x], dim=1)
        total = both.shape[1]
        s = self.q(x) @ self.k(both).transpose(1, 2) / x.shape[-1] ** 0.5
        s = s.masked_fill(torch.ones(new, total).triu(1 + total - new).bool(), -torch.inf)
        return s.softmax(-1) @ self.v(both)
torch.manual_seed(3)
layer, past = Recurrent(), torch.zeros(1, 0, 4)
for part in torch.randn(1, 8, 4).split(4, dim=1):
    out = layer(part, past)
    past = torch.cat([past, part], dim=1)
";

/// Attention between the rows and between the columns of a table, by PyTorch's layer.
const TABLE: &str = "\
import torch
import torch.nn as nn
class Table(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.along = nn.MultiheadAttention(d, 2, batch_first=True)
        self.again = nn.MultiheadAttention(d, 2, batch_first=True)
    def forward(self, x):
        x = x + self.along(x, x, x)[0]
        return x + self.again(x, x, x)[0]
torch.manual_seed(3)
out = Table()(torch.randn(3, 5, 4))
";

/// One matrix for queries, keys and values, and a mask that is added.
const FUSED: &str = "\
import torch
import torch.nn as nn
class Fused(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d)
    def forward(self, x):
        t = x.shape[1]
        parts = self.qkv(x).chunk(3, dim=-1)
        a, b, c = parts[0], parts[1], parts[2]
        s = a @ b.transpose(1, 2) / x.shape[-1] ** 0.5 + torch.ones(t, t).triu(1) * -1e9
        return s.softmax(dim=-1) @ c
torch.manual_seed(3)
out = Fused()(torch.randn(2, 5, 6))
";

/// Weights that are masked and then divided by what is left.
const DIVIDED: &str = "\
import torch
torch.manual_seed(3)
q, k = torch.randn(2, 5, 4)
w = torch.softmax(q @ k.T / 2, dim=-1)
kept = w * torch.tril(torch.ones(5, 5))
rows = kept.sum(dim=-1, keepdim=True)
w = kept / rows
";

/// A language model that is given whole texts.
const NEXT: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
class Writer(nn.Module):
    def __init__(self, words=9, d=6):
        super().__init__()
        self.table, self.a, self.b, self.c = nn.Embedding(words, d), nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.head = nn.Linear(d, words)
    def forward(self, ids):
        x, t = self.table(ids), ids.shape[1]
        s = self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
        return self.head(x + s.softmax(-1) @ self.c(x))
torch.manual_seed(3)
model, ids = Writer(), torch.randint(9, (2, 7))
logits = model(ids)
loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
";

/// Prompts of different length, filled up before their first words.
const PROMPTS: &str = "\
import torch
import torch.nn as nn
class Writer(nn.Module):
    def __init__(self, words=9, d=6):
        super().__init__()
        self.table, self.head = nn.Embedding(words, d, padding_idx=0), nn.Linear(d, words)
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, ids):
        x, t = self.table(ids), ids.shape[1]
        s = self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool() | (ids == 0)[:, None], -1e9)
        return self.head(x + s.softmax(-1) @ self.c(x))
torch.manual_seed(3)
model, ids = Writer(), torch.tensor([[0, 0, 5, 7], [3, 4, 5, 6]])
for _ in range(3):
    ids = torch.cat([ids, model(ids)[:, -1].argmax(-1, keepdim=True)], dim=1)
";

/// A training with a part that is kept apart, a mask that a module keeps, a gain and a share of what is added.
const APART: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
class Norm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(d))
    def forward(self, x):
        return self.gain * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
class Mixer(nn.Module):
    def __init__(self, d=8, share=0.3, rank=2):
        super().__init__()
        self.share = share
        self.gain = rank / 2
        self.norm, self.qkv, self.out = Norm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.register_buffer('far', torch.zeros(6, 6).masked_fill(torch.ones(6, 6).triu(3) > 0, -torch.inf))
    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim=-1)
        w = (torch.einsum('nqd,nkd->nqk', q, k) / 8 ** 0.5 + self.far).softmax(-1)
        return x + self.share * self.gain * self.out(torch.einsum('nqk,nkd->nqd', w, v))
torch.manual_seed(3)
model, head = Mixer(), nn.Linear(8, 3)
x, y = torch.randn(40, 6, 8), torch.randint(0, 3, (40,))
train, test = torch.arange(30), torch.arange(30, 40)
text = 'abcdefgh' + ''.join(chr(97 + int(at)) for at in torch.randint(26, (200,)))
train_text, test_text = text[:150], text[150:]
optimizer, other = (torch.optim.SGD(it.parameters(), lr=0.1) for it in (model, head))
for step in range(5):
    loss = F.cross_entropy(head(model(x).mean(1))[train], y[train])
    optimizer.zero_grad(), other.zero_grad()
    loss.backward()
    optimizer.step()
    other.step()
";

/// A decoder that looks up all of its tokens before, and reads them one by one.
const UNBOUND: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(3)
table, gru, start, head = nn.Embedding(9, 6), nn.GRU(6, 6), nn.Linear(4, 6), nn.Linear(6, 9)
parts = nn.ModuleList([table, gru, start, head])
optimizer = torch.optim.SGD(parts.parameters(), lr=0.1)
for step in range(3):
    ids, outputs = torch.randint(9, (3, 7)), []
    state = torch.tanh(start(torch.randn(1, 3, 4)))
    for x in table(ids[:, :-1]).unbind(1):
        out, state = gru(x[None], state)
        outputs.append(out[0])
    loss = F.cross_entropy(head(torch.stack(outputs, 1)).flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
";

/// A case: the mistake, the program, and the change.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// Mixed pictures, and a block whose parts are dropped at random.
const MIXED: &str = r#"
import torch
from torch import nn
import torch.nn.functional as F

class Drop(nn.Module):
    def __init__(self, rate):
        super().__init__()
        self.rate = rate
    def forward(self, x):
        if not self.training:
            return x
        keep = 1 - self.rate
        mask = torch.empty(len(x), 1, 1).bernoulli_(keep)
        return x * mask / keep

class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return self.out(torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, dim=-1) @ v)

class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attention, self.drop = Attention(width), Drop(0.2)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
    def forward(self, x):
        h = x + self.drop(self.attention(self.norm1(x)))
        return h + self.drop(self.mlp(self.norm2(h)))

torch.manual_seed(0)
model = nn.ModuleDict({"read": nn.Linear(6, 8), "block": Block(8), "head": nn.Linear(8, 3)})
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
x, y = torch.randn(16, 5, 6), torch.randint(0, 3, (16,))
for _ in range(4):
    lam, other = float(torch.rand(1)), torch.randperm(16)
    mixed = lam * x + (1 - lam) * x[other]
    logits = model["head"](model["block"](model["read"](mixed)).mean(1))
    loss = lam * F.cross_entropy(logits, y) + (1 - lam) * F.cross_entropy(logits, y[other])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"#;

/// A text that is sampled token by token, with a cache and learned biases by distance.
const SAMPLED: &str = r#"
import torch
from torch import nn

class Cache:
    def __init__(self):
        self.k = self.v = None
        self.length = 0
    def add(self, k, v):
        self.k = k if self.k is None else torch.cat([self.k, k], dim=1)
        self.v = v if self.v is None else torch.cat([self.v, v], dim=1)
        self.length = self.k.shape[1]
        return self.k, self.v

CACHE = Cache()

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.far = nn.Embedding(11, 8), nn.Embedding(6, 1)
        self.q, self.k, self.v, self.out = [nn.Linear(8, 8) for _ in range(3)] + [nn.Linear(8, 11)]
    def forward(self, ids, cache=None):
        x, past = self.tokens(ids), cache.length if cache else 0
        q, k, v = self.q(x), self.k(x), self.v(x)
        if cache:
            k, v = cache.add(k, v)
        places = torch.arange(k.shape[1]), past + torch.arange(ids.shape[1])[:, None]
        far = places[1] - places[0]
        scores = q @ k.transpose(1, 2) / 8**0.5 + self.far(far.clamp(0, 5)).squeeze(-1)
        scores = scores.masked_fill(places[0] > places[1], -torch.inf)
        return self.out(x + torch.softmax(scores, dim=-1) @ v)

@torch.no_grad()
def write(model, ids, count, cache):
    logits = model(ids, cache)
    for _ in range(count):
        shares, order = logits[:, -1].softmax(-1).sort(dim=-1, descending=True)
        shares[shares.cumsum(-1) - shares > 0.9] = 0
        new = order.gather(-1, torch.multinomial(shares, 1))
        ids = torch.cat([ids, new], dim=1)
        logits = model(new, cache)
    return ids

torch.manual_seed(0)
model = Model().eval()
print(model(torch.randint(0, 11, (2, 8))).shape)
for start in ([3, 1, 4, 1], [5, 9, 2]):
    print(write(model, torch.tensor([start]), 12, Cache()).tolist())
"#;

/// A loss that does not count all of its rows, and its gradients by hand.
const COUNTED: &str = r#"
import numpy as np

rng = np.random.default_rng(0)
x, targets = rng.normal(size=(12, 4)), rng.integers(3, size=12)
counts = (rng.random(12) < 0.5).astype(float)
p = {"w1": rng.normal(size=(4, 8)), "b1": np.zeros(8), "w2": rng.normal(size=(8, 3)), "b2": np.zeros(3)}

def loss_and_gradients():
    h = np.tanh(x @ p["w1"] + p["b1"])
    logits = h @ p["w2"] + p["b2"]
    e = np.exp(logits - logits.max(-1, keepdims=True))
    probabilities = e / e.sum(-1, keepdims=True)
    picked = probabilities[np.arange(12), targets]
    loss = -(np.log(picked) * counts).sum() / counts.sum()
    d = probabilities.copy()
    d[np.arange(12), targets] -= 1
    d *= counts[:, None] / counts.sum()
    dh = d @ p["w2"].T * (1 - h**2)
    return loss, {"w1": x.T @ dh, "b1": dh.sum(0), "w2": h.T @ d, "b2": d.sum(0)}

for _ in range(3):
    loss, gradients = loss_and_gradients()
    print(loss)
    for name in p:
        p[name] -= 0.1 * gradients[name]
"#;

const CASES: &[Case] = &[
    ("residual-missing", MIXED, "return h + self.drop(self.mlp", "return x + self.drop(self.mlp"),
    ("residual-missing", MIXED, "x * mask / keep", "x * mask"),
    (
        "residual-missing",
        MIXED,
        "return h + self.drop(self.mlp(self.norm2(h)))",
        "return self.drop(h + self.mlp(self.norm2(h)))",
    ),
    (
        "softmax-before-loss",
        MIXED,
        "loss = lam * F.cross_entropy(logits, y) + (1 - lam)",
        "loss = (1 - lam) * F.cross_entropy(logits, y) + lam",
    ),
    (
        "not-from-the-last-token",
        SAMPLED,
        "order.gather(-1, torch.multinomial(shares, 1))",
        "torch.multinomial(shares, 1)",
    ),
    ("cache-differs", SAMPLED, "torch.arange(k.shape[1]), past + torch", "torch.arange(k.shape[1]), torch"),
    ("cache-differs", SAMPLED, "12, Cache())", "12, CACHE)"),
    ("position-bias", SAMPLED, "far = places[1] - places[0]", "far = places[0] - places[1]"),
    ("gradient-differs", COUNTED, "d *= counts[:, None] / counts.sum()", "d /= counts.sum()"),
    ("mask-missing", APART, " + self.far)", ")"),
    ("rate-squared", COSINE, "step / 30", "step // 30"),
    ("rate-squared", COSINE, "step / 30", "step / 5"),
    ("rate-squared", COSINE, "math.pi * ratio", "ratio"),
    ("gradients-not-zeroed", COSINE, "other.zero_grad()", "optimizer.zero_grad()"),
    ("samples-apart", COSINE, "judge(better).squeeze(-1)", "judge(better)"),
    ("position-bias", OFFSETS, "(2 * width - 1) + right", "width + right"),
    ("position-bias", OFFSETS, "self.far.abs()", "self.far.clamp(min=0)"),
    (
        "samples-mixed",
        EXPERTS,
        "shares / shares.sum(-1, keepdim=True)\n",
        "shares / shares.sum(0, keepdim=True)\n",
    ),
    (
        "samples-mixed",
        EXPERTS,
        "self.place(torch.arange(ids.shape[1]))",
        "self.place(torch.arange(len(ids)))[:, None]",
    ),
    ("not-from-the-last-token", EXPERTS, "model(ids)[:, -1]", "model(ids)[:, start - 1]"),
    (
        "softmax-before-loss",
        EXPERTS,
        "torch.multinomial(shares / shares.sum(-1, keepdim=True), 1)",
        "torch.distributions.Categorical(logits=shares / shares.sum(-1, keepdim=True)).sample()[:, None]",
    ),
    ("numbers-unregistered", APART, "nn.Parameter(torch.ones(d))", "torch.ones(d)"),
    ("option-unread", APART, "self.share * ", ""),
    ("option-unread", APART, "rank / 2", "1.0"),
    ("rate-squared", COSINE, "min((step", "max((step"),
    (
        "softmax-before-loss",
        COSINE,
        "F.softplus(judge(worse).squeeze(-1) - judge(better).squeeze(-1)).mean()",
        "F.binary_cross_entropy_with_logits(judge(better).sigmoid(), torch.ones(12, 1))",
    ),
    ("norm-depends-on-size", TOWERS, "dim=-1", "dim=0"),
    ("softmax-before-loss", TOWERS, "(scores, scores.T)", "(scores, scores)"),
    ("cache-differs", WRITTEN, "cache=None):\n    cache", "cache=Cache()):\n    cache"),
    ("softmax-before-loss", DISTILLED, "logits / 2.0", "logits"),
    ("gradients-not-zeroed", DISTILLED, "(loss / accumulate)", "loss"),
    ("loss-cut-off", PIECES, "* probs.mean((0, 1))", "* probs.detach().mean((0, 1))"),
    ("option-unread", PIECES, "self.pos(places)", "self.pos(ids - 1)"),
    ("drawn-from-wrong-axis", STATEFUL, ".softmax(-1), 1)", ".softmax(-1) / 0.7, 1)"),
    ("samples-apart", TOWERS, "pixels[index]", "pixels[torch.randperm(9)[:4]]"),
    ("residual-missing", WINDOWS, "x = x + parts", "x = parts"),
    ("mask-after-softmax", DIVIDED, "rows = kept.sum", "rows = w.sum"),
    ("no-positions", ROTARY, "q, k = turned(q), turned(k)", "q_turned, k_turned = turned(q), turned(k)"),
    ("sorted-mask", ROTARY, "sort(descending=True)", "sort()"),
    ("patches-by-view", ROTARY, ".permute(0, 2, 4, 1, 3, 5).reshape(2, 2, 2, 8)", ".reshape(2, 2, 2, 8)"),
    ("patches-by-view", ROTARY, ".permute(0, 2, 4, 1, 3, 5)", ".permute(0, 3, 5, 1, 2, 4)"),
    ("patches-by-view", ROTARY, "(0, 1), (1, 1)", "(1, 0), (1, 1)"),
    ("samples-mixed", RECURRENT, "6, batch_first=True", "6"),
    ("drawn-from-wrong-axis", BY_NUMPY, "logits / temperature", "logits * temperature"),
    (
        "weights-summed",
        APART,
        "nqk,nkd->nqd', w, v)",
        "nqk,nkgd->nqd', w, v.unflatten(-1, (1, 8)).expand(-1, -1, 2, -1))",
    ),
    ("trained-on-test", APART, "[train], y[train]", ", y"),
    ("trained-on-test", APART, "text[:150], text", "text, text"),
    ("never-stepped", APART, "    other.step()\n", ""),
    ("state-not-passed", UNBOUND, "out, state = gru", "out, _ = gru"),
    ("samples-mixed", POOL, "dim=1", "dim=0"),
    ("softmax-over-queries", SINK, "softmax(dim=-1)", "softmax(dim=-2)"),
    ("softmax-over-queries", SINK, "softmax(dim=-1)", "softmax(dim=0)"),
    ("projection-unused", SINK, "self.b(x)", "self.a(x)"),
    ("mask-inverted", PADDED, "~there", "there"),
    ("scores-as-weights", PADDED, "torch.softmax(s, dim=-1)", "s"),
    ("rows-do-not-sum-to-1", ROLLOUT, "mean / mean.sum(dim=-1, keepdim=True)", "mean"),
    ("cache-differs", MEMORY, "[past, x]", "[x, past]"),
    ("mask-leaks", FUSED, "-1e9", "1e-9"),
    ("mask-after-softmax", DIVIDED, "sum(dim=-1", "sum(dim=0"),
    ("targets-not-shifted", NEXT, "ids[:, 1:]", "ids[:, :-1]"),
    ("scale", ALIBI, "attn_mask=bias", "attn_mask=bias, scale=1.0"),
    ("scale", ALIBI, "(q, k, v, attn_mask", "(q * 0.5, k, v, attn_mask"),
    ("position-bias", ALIBI, "bias = self.slopes", "bias = -self.slopes"),
    ("cache-differs", ALIBI, "attn_mask=bias", "is_causal=True"),
    ("mask-leaks", ALIBI, "attn_mask=bias", "attn_mask=(ahead <= 0).float()"),
    ("results-differ", ALIBI, "[past[0], k]", "[k, past[0]]"),
    ("mask-missing", GLOBAL, "s.masked_fill(~seen, -torch.inf)", "s"),
    ("mask-missing", GLOBAL, "near | is_global[:, None, :] | is_global[:, :, None]", "near"),
    ("causal-leak", WINDOW, "(back >= 0) & (back < 4)", "back.abs() < 4"),
    ("targets-not-shifted", WINDOW, "ids[:, 1:]", "ids[:, :-1]"),
    ("gradient-differs", BY_HAND, "(1 - h ** 2)", "(1 - h)"),
    ("residual-missing", WINDOWS, "view(b, 2, 2, 3, 3, d).transpose(2, 3)", "view(b, 2, 3, 2, 3, d)"),
    ("samples-apart", REGRESSION, "model(x).squeeze(-1)", "model(x)"),
    ("rate-squared", REGRESSION, "(step + 1) / 5))\nfor", "(step + 1) // 5))\nfor"),
    ("option-unread", REGRESSION, "    schedule.step()\n", ""),
    ("option-unread", REGRESSION, "nn.Linear(4, 1)\n", "nn.Linear(4, 1)\nmodel.requires_grad = False\n"),
    ("option-unread", REGRESSION, "schedule = ", "optimizer.lr = 0.01\nschedule = "),
    ("cache-differs", TWO_TEXTS, "    model.layer.kept = None\n", ""),
    ("gradient-differs", OWN_GRADIENT, " ** 2", ""),
    ("gradient-differs", OWN_GRADIENT, "(grad * torch.tanh(x))", "(grad * x)"),
    ("projection-unused", ADDITIVE, "torch.tanh(", "("),
    ("norm-depends-on-size", NORMED, "mean(-1", "mean(1"),
    ("drawn-from-wrong-axis", NORMED, "logits / temperature", "logits * temperature"),
    ("results-differ", TWO_WAYS, "K.T / 2.0\n", "K.T\n"),
    ("norm-depends-on-size", WRITES, "torch.sqrt(var + 1e-5)", "(var + 1e-5)"),
    ("residual-of-norm", WRITES, "x = x + self.mix(n)", "x = n + self.mix(n)"),
    (
        "numbers-unregistered",
        WRITES,
        "self.scale = nn.Parameter(torch.zeros(d))",
        "self.scale = torch.zeros(d, requires_grad=True)",
    ),
    ("angles-turn", WRITES, "-torch.arange(0, d, 2) / d", "-(torch.arange(0, d, 2) // d)"),
    ("waves-repeat", WRITES, "angles.cos()", "angles.sin()"),
    ("angles-turn", WRITES, "-torch.arange(0, d, 2) / d", "-2 * torch.arange(0, d, 2) / d"),
    ("masked-copy-unused", WRITES, "x = x + self.mix(n)", "x.add(self.mix(n))"),
    (
        "clipping-without-effect",
        WRITES,
        "    optimizer.step()\n",
        "    torch.nn.utils.clip_grad_norm_(iter([]), 1.0)\n    optimizer.step()\n",
    ),
    (
        "no-positions",
        WRITES,
        "self.register_buffer('waves', torch.cat([angles.sin(), angles.cos()], dim=-1))\n    def forward(self, ids):\n        \
         return self.head(self.block(self.table(ids) + self.waves[:ids.shape[1]]))",
        "self.waves = nn.Parameter(torch.randn(20, d))\n    def forward(self, ids):\n        \
         return self.head(self.block(self.table(ids) + self.waves[:1]))",
    ),
    ("not-from-the-last-token", PROMPTS, "[0, 0, 5, 7]", "[5, 7, 0, 0]"),
    ("option-unread", PIECES, "balance_weight * balance", "balance"),
    ("option-unread", PIECES, "> Config.noise", "> 0.5"),
    ("trained-on-test", PIECES, "part = train_data", "part = data"),
    ("start-differs", BEGUN, "(len(source), 1), 0)", "(len(source), 1), 8)"),
    ("patches-by-view", WITHOUT_BATCH, ".reshape(4, 2, 4, 2).transpose(0, 2, 1, 3)", ""),
    ("group-order", WITHOUT_BATCH, "np.repeat(", "(lambda it, times, axis: np.tile(it, (times, 1, 1)))("),
    ("gradients-not-zeroed", WITHOUT_BATCH, "g[...] = 0.0", "g = np.zeros_like(g)"),
    ("mask-inverted", WINDOW, "masked_fill(~seen", "masked_fill(seen"),
    (
        "results-differ",
        TWO_WAYS,
        "print('row by row:', largest(by_rows(Q, K, V), softmax(Q @ K.T / 2.0) @ V) < 1e-10)",
        "print('same:', np.allclose(by_rows(Q, K, V), softmax(Q @ K.T) @ V))",
    ),
    ("trained-on-test", WRITES, "train_texts, val_texts = texts[:48]", "train_texts, val_texts = texts"),
    ("sorted-mask", WRITES, "return places.gather(-1, choice)", "return choice"),
    ("start-differs", WRITES, "torch.tensor([[1, 5]])", "torch.tensor([[5]])"),
    ("never-stepped", BY_NUMPY, "w -= 0.5 * grads[name]", "w = w - 0.5 * grads[name]"),
    (
        "rows-stay-equal",
        BY_NUMPY,
        "rng.normal(size=(d, 6)) / 3, 'b': np.zeros(6), 'U': rng.normal(size=(6, words)) / 3",
        "np.full((d, 6), 0.1), 'b': np.zeros(6), 'U': np.full((6, words), 0.1)",
    ),
    ("targets-not-shifted", BY_NUMPY, "text[i + 1:i + T + 1]", "text[i:i + T]"),
    ("not-from-the-last-token", BY_NUMPY, "probs[0, -1]", "probs[0, 0]"),
    ("not-from-the-last-token", BY_NUMPY, "out[-T:]", "out[:T]"),
    ("state-not-passed", STATEFUL, "        state = new\n", ""),
    ("trained-on-test", BY_NUMPY, "everything[:60], ", "everything, "),
    (
        "rows-stay-equal",
        BY_NUMPY,
        "rng.normal(size=(d, 6)) / 3, 'b': np.zeros(6), 'U': rng.normal(size=(6, words)) / 3",
        "np.zeros((d, 6)), 'b': np.zeros(6), 'U': np.zeros((6, words))",
    ),
    ("rotary-not-relative", FROM_THE_LEFT, "[-b, a]", "[b, a]"),
    ("cache-differs", IN_ARRAYS, "k=len(k) - len(x) + 1", "k=1"),
    (
        "norm-depends-on-size",
        IN_ARRAYS,
        "np.sqrt(np.mean(x ** 2, axis=-1, keepdims=True) + 1e-6)",
        "(np.mean(x ** 2, axis=-1, keepdims=True) + 1e-6)",
    ),
    (
        "residual-of-norm",
        IN_ARRAYS,
        "x = x + self.layer(norm(x, self.g)",
        "x = norm(x, self.g)\n        x = x + self.layer(x",
    ),
    ("rotary-not-relative", IN_ARRAYS, "[-x[..., 4:]", "[x[..., 4:]"),
    ("class-token-unread", TOWERS, "x[:, 0]", "x[:, 1]"),
    ("axes-mixed-by-view", WINDOWS, "view(b, 2, 3, 2, 3, d).transpose(2, 3)", "view(b, 2, 3, 2, 3, d)"),
    ("layers-shared", IN_CELLS, "[Head() for _ in range(2)]", "[Head()] * 2"),
    ("dropout-before-softmax", GRAPH, "self.drop(e.softmax(1))", "self.drop(e).softmax(1)"),
];

/// A rotation where the first token of all is padding, whose vector is 0.
const FROM_THE_LEFT: &str = "\
import torch
from torch import nn
torch.manual_seed(3)
table, a, b, c = nn.Embedding(9, 8, padding_idx=0), *(nn.Linear(8, 8, bias=False) for _ in range(3))
ids = torch.tensor([[0, 0, 3, 4, 5], [6, 7, 3, 1, 2]])
angles = torch.outer(torch.arange(5), 100.0 ** (-torch.arange(0, 8, 2) / 8))
angles = torch.cat([angles, angles], dim=-1)
def half(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)
def turned(x):
    return x * angles.cos() + half(x) * angles.sin()
x = table(ids)
s = turned(a(x)) @ turned(b(x)).transpose(1, 2) / 8 ** 0.5
s = s.masked_fill((ids == 0)[:, None], -torch.inf)
out = s.softmax(-1) @ c(x)
";

/// Gradients by hand, which are compared with differences for as many samples as there are features.
const CHECKED: &str = "\
import numpy as np
rng = np.random.default_rng(3)
P = {name: rng.normal(size=(4, 4)) / 2 for name in 'abc'}
def gradients(x, y):
    h = x @ P['a']
    g = h @ P['b']
    d = g @ P['c'] - y
    dg = d @ P['c'].T
    dh = dg @ P['b'].T
    return {'c': g.T @ d, 'b': h.T @ dg, 'a': x.T @ dh}
x, y = rng.normal(size=(2, 16, 4))
print({name: it[0, 0] for name, it in gradients(x[:4], y[:4]).items()})
for step in range(4):
    G = gradients(x, y)
    for name in P:
        P[name] -= 0.001 * G[name]
";

/// A writer in NumPy that reads one text, without the axis of a batch, and keeps keys and values.
const IN_ARRAYS: &str = "\
import numpy as np
rng = np.random.default_rng(3)
def norm(x, g):
    return g * x / np.sqrt(np.mean(x ** 2, axis=-1, keepdims=True) + 1e-6)
def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
angles = np.outer(np.arange(32), 1.0 / 100.0 ** (np.arange(0, 8, 2) / 8))
angles = np.concatenate([angles, angles], axis=-1)
cos, sin = np.cos(angles), np.sin(angles)
def turned(x):
    return np.concatenate([-x[..., 4:], x[..., :4]], axis=-1)
def rotated(x, start):
    c, s = cos[start:start + len(x)], sin[start:start + len(x)]
    return x * c + turned(x) * s
class Attention:
    def __init__(self):
        self.W_q, self.W_k, self.W_v = rng.normal(size=(3, 8, 8)) / 3
    def __call__(self, x, start, cache):
        q, k, v = rotated(x @ self.W_q, start), rotated(x @ self.W_k, start), x @ self.W_v
        if cache is not None:
            if cache:
                k, v = np.concatenate([cache['k'], k]), np.concatenate([cache['v'], v])
            cache['k'], cache['v'] = k, v
        s = q @ k.T / np.sqrt(8)
        s = s + np.triu(np.full((len(x), len(k)), -np.inf), k=len(k) - len(x) + 1)
        return softmax(s) @ v
class Writer:
    def __init__(self):
        self.table, self.layer, self.g = rng.normal(size=(9, 8)), Attention(), np.ones(8)
        self.up = rng.normal(size=(8, 8)) / 3
    def __call__(self, ids, start=0, cache=None):
        x = self.table[ids]
        x = x + self.layer(norm(x, self.g), start, cache)
        x = x + norm(x, self.g) @ self.up
        return x @ self.table.T
model, ids = Writer(), [3, 5, 1]
whole = model(np.array([3, 5, 1, 7]))
cache = {}
out = model(np.array(ids), 0, cache)
for _ in range(3):
    ids.append(int(rng.integers(9)))
    out = model(np.array(ids[-1:]), len(ids) - 1, cache)
";

/// Two towers, one of which is causal, and the other has a class token.
const TOWERS: &str = "\
import torch
from torch import nn
class Tower(nn.Module):
    def __init__(self, mask, d=8):
        super().__init__()
        self.mask, self.cls = mask, None if mask is not None else nn.Parameter(torch.randn(1, 1, d))
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x):
        if self.cls is not None:
            x = torch.cat([self.cls.expand(len(x), -1, -1), x], dim=1)
        s = self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5
        s = s if self.mask is None else s.masked_fill(self.mask, -torch.inf)
        x = x + s.softmax(-1) @ self.c(x)
        return x[:, -1] if self.cls is None else x[:, 0]
torch.manual_seed(3)
texts, images = Tower(torch.ones(6, 6).triu(1).bool()), Tower(None)
words, pixels = torch.randn(9, 6, 8), torch.randn(9, 5, 8)
index = torch.randperm(9)[:4]
a, b = (nn.functional.normalize(it, dim=-1) for it in (texts(words[index]), images(pixels[index])))
scores = a @ b.T
ways = [nn.functional.cross_entropy(it, torch.arange(4)) for it in (scores, scores.T)]
loss = ways[0] + ways[1]
";

/// A text that is written with a cache, twice.
const WRITTEN: &str = "\
import torch
from torch import nn
class Cache:
    def __init__(self):
        self.k, self.v = [], []
class Writer(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.tok, self.pos, self.head = nn.Embedding(9, d), nn.Embedding(32, d), nn.Linear(d, 9)
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, ids, cache=None):
        start = sum(it.shape[1] for it in cache.k) if cache else 0
        places = torch.arange(start, start + ids.shape[1])
        x = self.tok(ids) + self.pos(places)
        k, v = self.b(x), self.c(x)
        if cache:
            cache.k.append(k)
            cache.v.append(v)
            k, v = torch.cat(cache.k, 1), torch.cat(cache.v, 1)
        s = self.a(x) @ k.transpose(1, 2) / x.shape[-1] ** 0.5
        s = s.masked_fill(torch.arange(k.shape[1]) > places[:, None], -torch.inf)
        return self.head(x + s.softmax(-1) @ v)
def write(ids, cache=None):
    cache = cache or Cache()
    for step in range(6):
        ids = model(ids, cache)[:, -1].argmax(-1, keepdim=True)
torch.manual_seed(3)
model = Writer()
with torch.no_grad():
    write(torch.tensor([[1, 2, 3, 4]]))
    write(torch.tensor([[7, 5, 8, 6]]))
";

/// A student that learns from a teacher, with gradients of two batches for each step.
const DISTILLED: &str = "\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(3)
teacher, student = nn.Linear(6, 5), nn.Linear(6, 5)
optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
accumulate = 2
for step in range(4):
    optimizer.zero_grad()
    for part in range(accumulate):
        x, y = torch.randn(8, 6), torch.randint(5, (8,))
        with torch.no_grad():
            wanted = F.softmax(teacher(x) / 2.0, dim=-1)
        logits = student(x)
        loss = F.kl_div(F.log_softmax(logits / 2.0, dim=-1), wanted, reduction='batchmean') + F.cross_entropy(logits, y)
        (loss / accumulate).backward()
    optimizer.step()
";

/// Attention within windows of an image.
const WINDOWS: &str = "\
import torch
from torch import nn
class Near(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x):
        return (self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5).softmax(-1) @ self.c(x)
class Block(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.norm, self.near = nn.LayerNorm(d), Near(d)
        self.wide = nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d))
    def forward(self, x):
        b, n, d = x.shape
        parts = self.norm(x).view(b, 2, 3, 2, 3, d).transpose(2, 3).reshape(b * 4, 9, d)
        parts = self.near(parts).view(b, 2, 2, 3, 3, d).transpose(2, 3)
        x = x + parts.reshape(b, n, d)
        return x + self.wide(x)
torch.manual_seed(3)
out = Block()(torch.randn(2, 36, 4))
";

/// A window that returns new caches, a prompt that is read in parts, and a sum of losses that begins with zeros of a tensor's type.
const IN_PARTS: &str = "\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(3)
class Near(nn.Module):
    def __init__(self, d=8, window=4):
        super().__init__()
        self.q, self.k, self.v, self.window = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d), window
    def forward(self, x, past=None):
        q, k, v = self.q(x), self.k(x), self.v(x)
        if past is not None:
            k, v = torch.cat([past[0], k], 1), torch.cat([past[1], v], 1)
        t, s = q.shape[1], k.shape[1]
        back = torch.arange(s - t, s)[:, None] - torch.arange(s)
        w = (q @ k.transpose(1, 2) / q.shape[-1] ** 0.5).masked_fill((back < 0) | (back >= self.window), -torch.inf).softmax(-1)
        return w @ v, (k[:, -self.window + 1:], v[:, -self.window + 1:])
class Model(nn.Module):
    def __init__(self, words=9, d=8):
        super().__init__()
        self.table, self.layers, self.out = nn.Embedding(words, d), nn.ModuleList(Near(d) for _ in range(2)), nn.Linear(d, words)
    def forward(self, ids, past=None):
        x, kept = self.table(ids), []
        size = x.new_zeros(())
        for at, layer in enumerate(self.layers):
            y, own = layer(x, None if past is None else past[at])
            x, size = x + y, size + 1e-3 * y.square().mean()
            kept.append(own)
        return self.out(x), kept, size
model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
for step in range(4):
    ids = torch.cat([torch.full((4, 1), 8), torch.randint(0, 8, (4, 9))], 1)
    logits, _, size = model(ids[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()) + size
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
model.eval()
with torch.no_grad():
    past = None
    for part in torch.tensor([[8, 1, 2, 3, 4, 5]]).split(3, dim=1):
        logits, past, _ = model(part, past)
    for _ in range(5):
        ids = logits[:, -1:].argmax(-1)
        logits, past, _ = model(ids, past)
";

/// Weights that are merged between two texts.
const MERGED: &str = "\
import torch
from torch import nn
torch.manual_seed(3)
class Adapted(nn.Module):
    def __init__(self, base, r=2):
        super().__init__()
        self.base, self.merged = base, False
        self.a, self.b = nn.Parameter(torch.randn(r, base.in_features)), nn.Parameter(torch.randn(base.out_features, r))
    def forward(self, x):
        return self.base(x) if self.merged else self.base(x) + x @ self.a.T @ self.b.T
    @torch.no_grad()
    def merge(self):
        self.base.weight += self.b @ self.a
        self.merged = True
class Model(nn.Module):
    def __init__(self, words=9, d=8):
        super().__init__()
        self.table, self.q, self.k, self.v, self.out = nn.Embedding(words, d), Adapted(nn.Linear(d, d)), nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, words)
    def forward(self, ids):
        x = self.table(ids)
        s = self.q(x) @ self.k(x).transpose(1, 2) / x.shape[-1] ** 0.5
        hidden = torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool()
        return self.out(x + s.masked_fill(hidden, -torch.inf).softmax(-1) @ self.v(x))
@torch.no_grad()
def write(model, ids, count=5):
    for _ in range(count):
        ids = torch.cat([ids, model(ids)[:, -1:].argmax(-1)], 1)
    return ids
model = Model().eval()
before = write(model, torch.tensor([[1, 2, 3]]))
model.q.merge()
print(torch.equal(before, write(model, torch.tensor([[1, 2, 3]]))))
";

/// Two cells, the first of which has calls that are repeated often.
const IN_CELLS: &str = "\
import torch
from torch import nn
class Head(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x):
        return (self.a(x) @ self.b(x).transpose(1, 2) / 4 ** 0.5).softmax(-1) @ self.c(x)
torch.manual_seed(3)
for head in [Head() for _ in range(3)]:
    out = head(torch.randn(2, 5, 4))
# %%
class Heads(nn.Module):
    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList([Head() for _ in range(2)])
    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)
out = Heads()(torch.randn(2, 5, 4))
";

/// Weights of a graph, from scores that are sums.
const GRAPH: &str = "\
import torch
from torch import nn
class Graph(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.lin, self.drop = nn.Linear(d, d), nn.Dropout(0.5)
        self.on, self.of = nn.Parameter(torch.randn(d)), nn.Parameter(torch.randn(d))
    def forward(self, x, near):
        h = self.lin(x)
        e = (h * self.on).sum(-1)[:, None] + (h * self.of).sum(-1)[None, :]
        e = e.masked_fill(~near, -1e9)
        return self.drop(e.softmax(1)) @ h
torch.manual_seed(3)
out = Graph()(torch.randn(6, 4), torch.eye(6).bool() | (torch.rand(6, 6) > 0.5))
";

/// Fused attention with a bias by distance in its mask, compared in one piece and in two.
const ALIBI: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
class Alibi(nn.Module):
    def __init__(self, d=12, heads=3):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(d, 3 * d)
        self.register_buffer('slopes', 2.0 ** -torch.arange(1, heads + 1))
    def forward(self, x, past=None):
        b, t, c = x.shape
        q, k, v = (it.view(b, t, self.heads, -1).transpose(1, 2) for it in self.qkv(x).chunk(3, -1))
        if past is not None:
            k, v = torch.cat([past[0], k], 2), torch.cat([past[1], v], 2)
        s = k.shape[2]
        ahead = torch.arange(s)[None, :] - torch.arange(s - t, s)[:, None]
        bias = self.slopes[:, None, None] * ahead
        bias = bias.masked_fill(ahead > 0, -torch.inf)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
        return y.transpose(1, 2).reshape(b, t, c), (k, v)
torch.manual_seed(3)
layer = Alibi().eval()
x = torch.randn(2, 7, 12)
whole, _ = layer(x)
first, past = layer(x[:, :4])
second, _ = layer(x[:, 4:], past)
print(torch.allclose(whole, torch.cat([first, second], dim=1), atol=1e-5))
";

/// Local attention with global tokens: the argument says which they are, and is no mask of padding.
const GLOBAL: &str = "\
import torch
import torch.nn as nn
class Local(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x, is_global):
        n = x.shape[1]
        near = (torch.arange(n)[:, None] - torch.arange(n)[None, :]).abs() <= 2
        seen = near | is_global[:, None, :] | is_global[:, :, None]
        s = self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5
        return s.masked_fill(~seen, -torch.inf).softmax(-1) @ self.c(x)
torch.manual_seed(3)
is_global = torch.zeros(2, 13, dtype=torch.bool)
is_global[:, 0] = True
out = Local()(torch.randn(2, 13, 8), is_global)
";

/// A language model with a window, and more texts than its call can be repeated with.
const WINDOW: &str = "\
import torch
import torch.nn as nn
import torch.nn.functional as F
class Near(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.word, self.place = nn.Embedding(11, d), nn.Embedding(12, d)
        self.a, self.b, self.c, self.head = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, 11)
    def forward(self, ids):
        places = torch.arange(ids.shape[1])
        x = self.word(ids) + self.place(places)
        back = places[:, None] - places[None, :]
        seen = (back >= 0) & (back < 4)
        s = self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5
        return self.head(x + s.masked_fill(~seen, -torch.inf).softmax(-1) @ self.c(x))
torch.manual_seed(3)
ids = torch.randint(0, 11, (3000, 12))
loss = F.cross_entropy(Near()(ids)[:, :-1].flatten(0, 1), ids[:, 1:].flatten())
";

/// Words that are drawn, from probabilities that are divided by their sum once more.
const DRAWN: &str = "\
import torch
import torch.nn.functional as F
torch.manual_seed(3)
shares = F.softmax(torch.randn(2, 9) / 0.5, dim=-1)
word = torch.multinomial(shares / shares.sum(-1, keepdim=True), num_samples=1)
";

/// Gradients by hand, some of which a function of their own computes; the sign of the loss is changed after its mean.
const BY_HAND: &str = "\
import numpy as np
rng = np.random.default_rng(0)
params = {'a': rng.normal(size=(4, 5)), 'b': rng.normal(size=(5, 3)), 'c': np.zeros(3)}
def outer(x, d):
    return x.T @ d
def cross_entropy(logits, y):
    p, rows = np.exp(logits - logits.max(-1, keepdims=True)), np.arange(len(y))
    p /= p.sum(-1, keepdims=True)
    loss = -np.log(p[rows, y]).mean()
    d = p.copy()
    d[rows, y] -= 1
    return loss, d / len(y)
def backward(x, h, d):
    return {'c': d.sum(0), 'b': outer(h, d), 'a': outer(x, (d @ params['b'].T) * (1 - h ** 2))}
x, y = rng.normal(size=(1500, 4)), rng.integers(0, 3, size=1500)
for step in range(2):
    h = np.tanh(x @ params['a'])
    loss, d = cross_entropy(h @ params['b'] + params['c'], y)
    grads = backward(x, h, d)
    for name in params:
        params[name] -= 0.1 * grads[name]
";

/// Two models with an optimizer each, one of which has a cosine for its rate; answers that are compared in pairs.
const COSINE: &str = "\
import math
import torch
import torch.nn.functional as F
from torch import nn
torch.manual_seed(3)
model, judge = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer, other = (torch.optim.SGD(it.parameters(), lr=0.1) for it in (model, judge))
better, worse = torch.randn(12, 4), torch.randn(12, 4)
noam = torch.optim.lr_scheduler.LambdaLR(other, lambda step: min((step + 1) ** -0.5, (step + 1) * 8 ** -1.5))
for step in range(30):
    ratio = step / 30
    for group in optimizer.param_groups:
        group['lr'] = 0.05 * (1 + math.cos(math.pi * ratio))
    optimizer.zero_grad()
    model(better).square().mean().backward()
    optimizer.step()
    other.zero_grad()
    F.softplus(judge(worse).squeeze(-1) - judge(better).squeeze(-1)).mean().backward()
    other.step()
    noam.step()
";

/// Biases by offset: in a window of 3 x 3 by two coordinates, in a row by the distance to either side.
const OFFSETS: &str = "\
import torch
from torch import nn
class Near(nn.Module):
    def __init__(self, width=3, d=4):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.window, self.row = nn.Parameter(torch.randn((2 * width - 1) ** 2)), nn.Embedding(18, 1)
        at = torch.arange(width * width)
        down, right = (it[None] - it[:, None] for it in (at // width, at % width))
        self.index = (down + width - 1) * (2 * width - 1) + right + width - 1
        self.far = at[None] - at[:, None]
    def forward(self, x, in_window):
        s = self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5
        if in_window:
            s = s + self.window[self.index.flatten()].view(s.shape[1:])
        else:
            s = s + self.row((self.far > 0) * 9 + self.far.abs())[..., 0]
        return s.softmax(-1) @ self.c(x)
torch.manual_seed(3)
near = Near()
out = near(near(torch.randn(2, 9, 4), True), False)
";

/// A causal model with experts, which writes a text by top-p.
const EXPERTS: &str = "\
import torch
from torch import nn
class Experts(nn.Module):
    def __init__(self, words=9, d=6):
        super().__init__()
        self.table, self.place, self.head = nn.Embedding(words, d), nn.Embedding(8, d), nn.Linear(d, words)
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.gate, self.experts = nn.Linear(d, 3), nn.Parameter(torch.randn(3, d, d))
    def forward(self, ids):
        x, t = self.table(ids) + self.place(torch.arange(ids.shape[1])), ids.shape[1]
        s = self.a(x) @ self.b(x).transpose(1, 2) / x.shape[-1] ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool(), -torch.inf)
        x = x + s.softmax(-1) @ self.c(x)
        flat = x.flatten(0, 1)
        shares, chosen = self.gate(flat).softmax(-1).topk(2, dim=-1)
        shares = shares / shares.sum(-1, keepdim=True)
        mixed = (shares[:, :, None] * torch.einsum('nd,nkde->nke', flat, self.experts[chosen]).relu()).sum(1)
        return self.head(x + mixed.view_as(x))
torch.manual_seed(3)
model = Experts().eval()
with torch.no_grad():
    model(torch.randint(9, (4, 5)))
    ids = torch.randint(9, (1, 3))
    start = ids.shape[1]
    for _ in range(4):
        logits = model(ids)[:, -1]
        logits = logits.masked_fill(logits < logits.topk(6).values[:, -1:], -torch.inf)
        shares, order = logits.softmax(-1).sort(descending=True)
        shares[shares.cumsum(-1) - shares > 0.9] = 0
        place = torch.multinomial(shares / shares.sum(-1, keepdim=True), 1)
        ids = torch.cat([ids, order.gather(-1, place)], dim=1)
";

/// Patches of images, turned by their places; the likeliest of them.
const ROTARY: &str = "\
import torch
from torch import nn
class Turned(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        angles = torch.arange(4)[:, None] * 10.0 ** (-torch.arange(0, d, 2) / d)
        self.register_buffer('cos', angles.cos())
        self.register_buffer('sin', angles.sin())
    def forward(self, x):
        cos, sin = self.cos[: x.shape[1]], self.sin[: x.shape[1]]
        def turned(it):
            one, other = it.chunk(2, dim=-1)
            return torch.cat([one * cos - other * sin, one * sin + other * cos], dim=-1)
        q, k, v = self.a(x), self.b(x), self.c(x)
        q, k = turned(q), turned(k)
        return (q @ k.transpose(1, 2) / x.shape[-1] ** 0.5).softmax(-1) @ v
torch.manual_seed(3)
images = torch.randn(2, 2, 4, 4)
patches = images.reshape(2, 2, 2, 2, 2, 2).permute(0, 2, 4, 1, 3, 5).reshape(2, 2, 2, 8)
joined = torch.cat([images[..., a::2, b::2] for a, b in [(0, 0), (1, 0), (0, 1), (1, 1)]], dim=1)
out = Turned()(patches.flatten(1, 2))
logits, order = out[:, -1].sort(descending=True)
kept = logits.masked_fill(logits.softmax(-1).cumsum(-1) - logits.softmax(-1) > 0.8, -torch.inf)
";

/// Texts that a recurrent layer reads, with attention to what it has read.
const RECURRENT: &str = "\
import torch
from torch import nn
class Reader(nn.Module):
    def __init__(self, words=9, d=6):
        super().__init__()
        self.table, self.reader, self.query = nn.Embedding(words, d), nn.GRU(d, 6, batch_first=True), nn.Linear(6, 6)
    def forward(self, ids):
        read, _ = self.reader(self.table(ids))
        s = self.query(read) @ read.transpose(1, 2) / read.shape[-1] ** 0.5
        return s.softmax(-1) @ read
torch.manual_seed(3)
out = Reader()(torch.randint(9, (4, 5)))
";

/// One number for each sample, trained with a schedule.
const REGRESSION: &str = "\
import torch
from torch import nn
torch.manual_seed(3)
x, y = torch.randn(12, 4), torch.randn(12)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 5))
for step in range(8):
    lr = 0.1 * min(1.0, (step + 1) / 5)
    optimizer.zero_grad()
    loss = (model(x).squeeze(-1) - y).pow(2).mean()
    loss.backward()
    optimizer.step()
    schedule.step()
";

/// Two texts that a model with a cache writes.
const TWO_TEXTS: &str = "\
import torch
from torch import nn
class Layer(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.a, self.b, self.c, self.kept = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d), None
    def forward(self, x, start):
        k, v = self.b(x), self.c(x)
        if self.kept is not None:
            k, v = torch.cat([self.kept[0], k], 1), torch.cat([self.kept[1], v], 1)
        self.kept = (k, v)
        places = start + torch.arange(x.shape[1])
        later = torch.arange(k.shape[1])[None, :] > places[:, None]
        s = self.a(x) @ k.transpose(1, 2) / x.shape[-1] ** 0.5
        return s.masked_fill(later, -torch.inf).softmax(-1) @ v
class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.place, self.layer, self.head = nn.Embedding(9, 8), nn.Embedding(16, 8), Layer(), nn.Linear(8, 9)
    def forward(self, ids, start=0):
        x = self.word(ids) + self.place(start + torch.arange(ids.shape[1]))
        return self.head(x + self.layer(x, start))
@torch.no_grad()
def write(model, ids):
    model.layer.kept = None
    logits = model(ids)
    for _ in range(4):
        new = logits[:, -1:].argmax(-1)
        logits = model(new, start=ids.shape[1])
        ids = torch.cat([ids, new], 1)
    return ids
torch.manual_seed(3)
model = Writer().eval()
print(write(model, torch.tensor([[1, 2, 3]])), write(model, torch.tensor([[4, 5, 6]])))
";

/// A function with a gradient of its own.
const OWN_GRADIENT: &str = "\
import torch
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        return torch.tanh(x) * w
    @staticmethod
    def backward(ctx, grad):
        x, w = ctx.saved_tensors
        return grad * w * (1 - torch.tanh(x) ** 2), (grad * torch.tanh(x)).sum(0)
torch.manual_seed(3)
x, w = torch.randn(5, 4, requires_grad=True), torch.randn(4, requires_grad=True)
Scaled.apply(x, w).sum().backward()
";

/// Additive attention.
const ADDITIVE: &str = "\
import torch
from torch import nn
class Additive(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.one, self.other, self.score = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, 1)
    def forward(self, state, memory):
        s = self.score(torch.tanh(self.one(state)[:, None] + self.other(memory))).squeeze(-1)
        return (s.softmax(-1)[:, None] @ memory).squeeze(1)
torch.manual_seed(3)
out = Additive()(torch.randn(2, 6), torch.randn(2, 5, 6))
";

/// A norm of the program's own, and a word that is drawn at a temperature.
const NORMED: &str = "\
import torch
from torch import nn
class Norm(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))
    def forward(self, x):
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
torch.manual_seed(3)
temperature = 0.5
logits = Norm()(torch.randn(2, 3, 6))[:, -1]
word = torch.multinomial(torch.softmax(logits / temperature, dim=-1), num_samples=1)
";

/// The same in two ways, which the program says to be equal.
const TWO_WAYS: &str = "\
import numpy as np
rng = np.random.default_rng(0)
Q, K, V = rng.normal(size=(3, 6, 4))
def largest(a, b):
    return np.abs(a - b).max()
def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
def by_rows(Q, K, V):
    out = np.zeros_like(Q)
    for i in range(6):
        s = Q[i] @ K.T / 2.0
        p = np.exp(s - s.max())
        out[i] = p @ V / p.sum()
    return out
print('row by row:', largest(by_rows(Q, K, V), softmax(Q @ K.T / 2.0) @ V) < 1e-10)
";

/// A small model that is trained, whose text is written from the likeliest words.
const WRITES: &str = "\
import torch
from torch import nn
class Norm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.g, self.b = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))
    def forward(self, x):
        mean, var = x.mean(-1, keepdim=True), x.var(-1, keepdim=True, unbiased=False)
        return self.g * (x - mean) / torch.sqrt(var + 1e-5) + self.b
class Block(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.n1, self.n2 = Norm(d), Norm(d)
        self.mix, self.up = nn.Linear(d, d), nn.Linear(d, d)
        self.scale = nn.Parameter(torch.zeros(d))
    def forward(self, x):
        n = self.n1(x)
        x = x + self.mix(n)
        return x + self.up(self.n2(x)) * self.scale.exp()
class Model(nn.Module):
    def __init__(self, words=11, d=8):
        super().__init__()
        self.table, self.block, self.head = nn.Embedding(words, d, padding_idx=0), Block(d), nn.Linear(d, words)
        frequencies = 100.0 ** (-torch.arange(0, d, 2) / d)
        angles = torch.arange(20)[:, None] * frequencies
        self.register_buffer('waves', torch.cat([angles.sin(), angles.cos()], dim=-1))
    def forward(self, ids):
        return self.head(self.block(self.table(ids) + self.waves[:ids.shape[1]]))
torch.manual_seed(3)
texts = torch.randint(2, 11, (96, 6))
texts[:, 0] = 1
train_texts, val_texts = texts[:48], texts[48:]
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(6):
    batch = train_texts[8 * step : 8 * step + 8]
    losses = -model(batch[:, :-1]).log_softmax(-1).gather(-1, batch[:, 1:, None])
    optimizer.zero_grad()
    losses.mean().backward()
    optimizer.step()
def pick(logits):
    values, places = torch.topk(logits, 4)
    choice = torch.multinomial(values.softmax(-1), 1)
    return places.gather(-1, choice)
model.eval()
ids = torch.tensor([[1, 5]])
with torch.no_grad():
    for _ in range(4):
        ids = torch.cat([ids, pick(model(ids)[:, -1])], dim=1)
";

/// A text model in NumPy, trained by hand.
const BY_NUMPY: &str = "\
import numpy as np
rng = np.random.default_rng(3)
words, d, T = 9, 8, 5
params = {'E': rng.normal(size=(words, d)), 'W': rng.normal(size=(d, 6)) / 3, 'b': np.zeros(6), 'U': rng.normal(size=(6, words)) / 3}
def softmax(s):
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)
def forward(p, x):
    h = p['E'][x]
    s = h @ h.transpose(0, 2, 1) / np.sqrt(d)
    s = np.where(np.triu(np.ones((x.shape[1], x.shape[1]), dtype=bool), 1), -np.inf, s)
    a = softmax(s) @ h
    z = np.tanh(a @ p['W'] + p['b'])
    return softmax(z @ p['U']), a, z
everything = rng.integers(0, words, size=80)
text, val_text = everything[:60], everything[60:]
for step in range(5):
    starts = rng.integers(0, len(text) - T - 1, size=4)
    x = np.stack([text[i:i + T] for i in starts])
    y = np.stack([text[i + 1:i + T + 1] for i in starts])
    probs, a, z = forward(params, x)
    loss = -np.log(probs[np.arange(4)[:, None], np.arange(T)[None, :], y]).mean()
    probs[np.arange(4)[:, None], np.arange(T)[None, :], y] -= 1
    dlogits = probs / (4 * T)
    flat = lambda it: it.reshape(-1, it.shape[-1])
    dz = dlogits @ params['U'].T * (1 - z ** 2)
    grads = {'U': flat(z).T @ flat(dlogits), 'W': flat(a).T @ flat(dz), 'b': flat(dz).sum(0)}
    for name, w in params.items():
        if name in grads:
            w -= 0.5 * grads[name]
out = [1, 2]
for _ in range(8):
    probs, _, _ = forward(params, np.array([out[-T:]]))
    logits, temperature = np.log(probs[0, -1]), 0.8
    out.append(int(rng.choice(words, p=softmax(logits / temperature))))
";

/// A decoder with a state, which writes after its training.
const STATEFUL: &str = "\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(3)
table, cell, head = nn.Embedding(9, 6), nn.GRUCell(6, 6), nn.Linear(6, 9)
optimizer = torch.optim.SGD([*table.parameters(), *cell.parameters(), *head.parameters()], lr=0.1)
texts = torch.randint(1, 9, (4, 6))
for step in range(3):
    state, loss = torch.randn(4, 6), 0.0
    for t in range(5):
        state = cell(table(texts[:, t]), state)
        loss = loss + F.cross_entropy(head(state), texts[:, t + 1])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    state, token = torch.randn(4, 6), texts[:, 0]
    for t in range(7):
        new = cell(table(token), state)
        token = torch.multinomial(head(new).softmax(-1), 1).squeeze(1)
        state = new
";

/// A language model with an expert's gate, which is trained on pieces of a text.
const PIECES: &str = "\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(3)
balance_weight = 0.5
class Config:
    noise: float = 0.5
    warm: float = 0.1
data = torch.randint(1, 9, (200,))
train_data, val_data = data[:120], data[120:]
part = train_data
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tok, self.pos = nn.Embedding(9, 6), nn.Embedding(8, 6)
        self.gate, self.head = nn.Linear(6, 3), nn.Linear(6, 9)
    def forward(self, ids):
        places = torch.arange(ids.shape[1])
        x = self.tok(ids) + self.pos(places)
        probs = self.gate(x).softmax(-1)
        taken = F.one_hot(probs.argmax(-1), 3).float().mean((0, 1))
        balance = 3 * (taken * probs.mean((0, 1))).sum()
        return self.head(x * probs.amax(-1, keepdim=True)), balance
model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    starts = torch.randint(0, len(part) - 7, (8,))
    x = torch.stack([part[i:i + 6] for i in starts])
    y = torch.stack([part[i + 1:i + 7] for i in starts])
    logits, balance = model(x)
    loss = F.cross_entropy(logits.flatten(0, 1), y.flatten()) + balance_weight * balance
    if 0.2 * step > Config.noise:
        optimizer.param_groups[0]['lr'] = Config.warm if step else 0.2
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
";

/// An encoder and a decoder that share a table; all answers begin with token 0.
const BEGUN: &str = "\
import torch
from torch import nn
import torch.nn.functional as F
torch.manual_seed(3)
table, head = nn.Embedding(9, 6), nn.Linear(6, 9)
def encode(ids):
    return table(ids).mean(1, keepdim=True)
def decode(ids, memory):
    return head(table(ids).cumsum(1) + memory)
def write(source, length):
    memory, ids = encode(source), torch.full((len(source), 1), 0)
    for _ in range(length):
        ids = torch.cat([ids, decode(ids, memory)[:, -1].argmax(-1, keepdim=True)], 1)
    return ids
optimizer = torch.optim.SGD([*table.parameters(), *head.parameters()], lr=0.1)
for step in range(3):
    source = torch.randint(1, 9, (4, 5))
    given = torch.cat([torch.zeros(4, 1, dtype=torch.long), source.flip(1)], 1)
    loss = F.cross_entropy(decode(given[:, :-1], encode(source)).flatten(0, 1), given[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
with torch.no_grad():
    print(write(source, 5))
";

/// An image and grouped heads in NumPy, a cache of three keys, and a training by hand.
const WITHOUT_BATCH: &str = "\
import numpy as np
rng = np.random.default_rng(3)
image = rng.normal(size=(8, 8))
x = image.reshape(4, 2, 4, 2).transpose(0, 2, 1, 3).reshape(16, 4)
P = {name: rng.normal(size=(4, 4)) / 2 for name in 'qkvo'}
G = {name: np.zeros_like(it) for name, it in P.items()}
def heads(y):
    return y.reshape(len(y), 2, 2).transpose(1, 0, 2)
def attend(q, k, v):
    s = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
    e = np.exp(s - s.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True) @ v
narrow = rng.normal(size=(4, 2))
groups = [np.repeat((x @ narrow).reshape(16, 2, 1).transpose(1, 0, 2), 2, axis=0) for _ in range(2)]
out = attend((x @ P['q']).reshape(16, 4, 1).transpose(1, 0, 2), *groups)
keys = np.zeros((2, 0, 2))
for t in range(8):
    keys = np.concatenate([keys, heads(x[t:t + 1] @ P['k'])], axis=1)[:, -3:]
    out = attend(heads(x[t:t + 1] @ P['q']), keys, keys)
y = rng.normal(size=(16, 4))
for step in range(4):
    for g in G.values():
        g[...] = 0.0
    q, k, v = x @ P['q'], x @ P['k'], x @ P['v']
    h = q * k + v
    d = h @ P['o'] - y
    G['o'] += h.T @ d
    dh = d @ P['o'].T
    G['q'] += x.T @ (dh * k)
    G['k'] += x.T @ (dh * q)
    G['v'] += x.T @ dh
    for name in 'qkvo':
        P[name] -= 0.001 * G[name]
";

/// The names of the mistakes that the doctor finds in a program, and what it observed. A line of `# %%` begins another cell.
fn found(source: &str) -> Vec<(&'static str, String)> {
    let mut session = Session::new(SessionOptions::default());
    doctor::watch(&mut session);
    let mut findings = Vec::new();
    for (at, cell) in source.split("# %%\n").enumerate() {
        let (outcome, trace, calls) = session.examined(cell, &format!("cell {at}"), doctor::calls_to_repeat);
        assert_eq!(outcome.error, None, "{source}");
        let names = TensorNames::new(session.variables().into_iter().map(|it| (it.name, it.value)));
        findings.extend(doctor::examine(&trace, &names, &calls, &session.sources().collect()));
    }
    findings.extend(doctor::watched(&mut session));
    findings.into_iter().map(|it| (it.mistake, it.observed)).collect()
}

#[test]
fn each_change_makes_a_mistake_that_is_found() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        let mut wrong = Vec::new();
        for (mistake, program, from, to) in CASES {
            assert!(program.contains(from), "{from} is in the program");
            let found = found(&program.replace(from, to));
            if !found.iter().any(|(name, _)| name == mistake) {
                wrong.push(format!("{mistake}, {from} -> {to}: {found:?}"));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    });
}

#[test]
fn the_programs_themselves_have_no_findings() {
    if crate::apart::ran() {
        return;
    }
    with_large_stack(|| {
        for program in [
            POOL,
            SINK,
            PADDED,
            ROLLOUT,
            MEMORY,
            TABLE,
            FUSED,
            DIVIDED,
            NEXT,
            PROMPTS,
            PIECES,
            BEGUN,
            WITHOUT_BATCH,
            ALIBI,
            GLOBAL,
            WINDOW,
            DRAWN,
            BY_HAND,
            REGRESSION,
            COSINE,
            ROTARY,
            RECURRENT,
            OFFSETS,
            EXPERTS,
            TWO_TEXTS,
            OWN_GRADIENT,
            ADDITIVE,
            NORMED,
            TWO_WAYS,
            WRITES,
            BY_NUMPY,
            STATEFUL,
            FROM_THE_LEFT,
            CHECKED,
            IN_ARRAYS,
            TOWERS,
            WRITTEN,
            DISTILLED,
            WINDOWS,
            IN_PARTS,
            MERGED,
            IN_CELLS,
            GRAPH,
            COUNTED,
            MIXED,
            SAMPLED,
        ] {
            assert_eq!(found(program), [], "{program}");
        }
    });
}
