"""Cells as they stand in notebooks: remarks, loops that print, small checks, things done twice."""

# %% remarks-and-shapes
import torch
torch.manual_seed(123)
batch, tokens, width = 2, 3, 4
x = torch.randn(batch, tokens, width)
print("Input shape:", x.shape)
print(f"{x.shape = }")
print(f"Batch: {x.size(0)}, tokens: {x.size(1)}, width: {x.size(-1)}")
print("First token of the first text:\n", x[0, 0])
print(f"Mean {x.mean():.4f}, std {x.std().item():.4f}, min {x.min():.2f}, max {x.max():.2f}")
print(x.shape == torch.Size([2, 3, 4]), x.shape[-1] == width, "=" * 20, sep="\n")

# %% loop-over-rows-and-words
import torch
words = ["My", "dog", "sleeps"]
vectors = torch.tensor([[0.21, 0.50], [0.93, 0.14], [0.40, 0.77]])
for word, vector in zip(words, vectors):
    print(f"{word:>8}: {vector} |v| = {vector.norm():.3f}")
for i, a in enumerate(words):
    for j, b in enumerate(words):
        print(f"{a}-{b}: {vectors[i] @ vectors[j]:.2f}", end="  " if j < 2 else "\n")
best = {w: words[int((vectors @ v).argmax())] for w, v in zip(words, vectors)}
print(best)

# %% steps-of-attention-with-remarks
import torch
import torch.nn.functional as F
torch.manual_seed(42)
d_k = 4
Q, K, V = (torch.randn(3, d_k) for _ in range(3))
scores = torch.matmul(Q, K.transpose(-2, -1))
print("Raw scores:", scores, sep="\n")
scaled = scores / (d_k ** 0.5)
print("Scaled:\n{}".format(scaled))
weights = F.softmax(scaled, dim=-1)
print("Weights:\n%s" % weights)
print("Row sums:", weights.sum(dim=-1))
print("Output:", torch.matmul(weights, V), "shape", tuple(torch.matmul(weights, V).shape))
assert torch.allclose(weights.sum(-1), torch.ones(3))

# %% one-function-many-masks
import torch
import torch.nn.functional as F
def attention(q, k, v, mask=None):
    s = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    if mask is not None:
        s = s.masked_fill(mask == 0, -1e9)
    w = F.softmax(s, dim=-1)
    return w @ v, w
torch.manual_seed(1)
q = k = v = torch.randn(1, 4, 2)
for name, mask in {"none": None, "causal": torch.tril(torch.ones(4, 4)), "padding": torch.tensor([1, 1, 1, 0]), "first only": torch.eye(4)[0]}.items():
    out, w = attention(q, k, v, mask)
    print(name, w[0], out.shape, sep="\n")

# %% masks-printed-as-numbers
import torch
n = 5
mask = torch.triu(torch.ones(n, n), diagonal=1)
print(mask)
print(mask.bool())
print(mask.masked_fill(mask == 1, float("-inf")))
print(mask.masked_fill(mask.bool(), -torch.inf).masked_fill(mask == 0, 0.0))
print((1 - mask).int(), torch.tril(torch.ones(n, n, dtype=torch.long)), ~mask.bool(), sep="\n")
print(torch.arange(n)[:, None] >= torch.arange(n), mask.sum(), mask.nonzero().shape)

# %% a-module-used-three-ways
import torch
from torch import nn
class Projection(nn.Module):
    """Two linear maps and a sum."""
    def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
        super().__init__()
        self.a = nn.Linear(d_in, d_out, bias=bias)
        self.b = nn.Linear(d_in, d_out, bias=bias)
        self.scale = nn.Parameter(torch.tensor(0.5))
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale * (self.a(x) + self.b(x))
torch.manual_seed(0)
m = Projection(3, 2)
x = torch.ones(2, 3)
print(m)
print(m(x), m.forward(x).shape, m.__class__.__name__, Projection.__doc__)
print(list(m.parameters()))
print({n: p.shape for n, p in m.named_parameters()}, m.scale, m.scale.item(), m.a.weight.T @ torch.ones(2))
with torch.no_grad():
    print(m(x))

# %% rerunning-a-cell
import torch
results = []
for _ in range(3):
    torch.manual_seed(7)
    results.append(torch.rand(2, 2))
print(all(torch.equal(results[0], r) for r in results), results[-1])
torch.manual_seed(7)
first = torch.rand(2, 2)
second = torch.rand(2, 2)
print(torch.equal(first, results[0]), torch.equal(first, second), (first - second).abs().max())

# %% linear-by-hand-and-back
import torch
import torch.nn as nn
torch.manual_seed(10)
layer = nn.Linear(4, 3)
x = torch.randn(2, 4)
by_hand = x @ layer.weight.T + layer.bias
print(layer(x), by_hand, torch.allclose(layer(x), by_hand), sep="\n")
print(layer.weight.shape, layer.bias.shape, layer.weight.data[0], layer.weight.requires_grad, layer.weight.abs().max() <= 1 / 4 ** 0.5)
print(f"{layer.weight.numel() + layer.bias.numel()} parameters; weight[0, 0] = {layer.weight[0, 0]:.4f}")

# %% heads-by-view-with-prints
import torch
b, t, d, h = 1, 3, 8, 4
x = torch.arange(b * t * d).reshape(b, t, d).float()
print("before:", x.shape)
x = x.view(b, t, h, d // h)
print("split :", x.shape)
x = x.transpose(1, 2)
print("heads :", x.shape, x[0, 1], sep="\n")
x = x.transpose(1, 2).contiguous().view(b, t, d)
print("merged:", x.shape, x[0, 0])

# %% dropout-is-off-in-eval
import torch
import torch.nn as nn
torch.manual_seed(123)
drop = nn.Dropout(0.5)
example = torch.ones(4, 4)
print(drop.training, drop.eval()(example), drop.training, sep="\n")
net = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
net.eval()
print(torch.equal(net(example), net(example)), net[1].training, nn.Dropout(0.0)(example).sum())

# %% embedding-a-sentence
import torch
import torch.nn as nn
text = "the quick fox sees the dog"
words = sorted(set(text.split()))
index = {w: i for i, w in enumerate(words)}
ids = torch.tensor([index[w] for w in text.split()])
torch.manual_seed(123)
emb = nn.Embedding(len(words), 3)
vectors = emb(ids)
print(index, ids, vectors.shape, sep="\n")
print(vectors)
print(vectors.detach(), torch.equal(vectors[0], vectors[4]), emb.weight.shape, emb(torch.tensor(2)).shape)

# %% batch-of-two-texts
import torch
import torch.nn as nn
torch.manual_seed(4)
a = torch.rand(3, 4)
batch = torch.stack((a, a * 2), dim=0)
lin = nn.Linear(4, 2, bias=False)
out = lin(batch)
print(batch.shape, out.shape, torch.allclose(out[1], 2 * out[0]), out, out[:, -1, :], out[..., 0], sep="\n")

# %% next-word-by-argmax
import torch
import torch.nn.functional as F
vocab = {"cat": 0, "dog": 1, "runs": 2, "sleeps": 3}
names = {i: w for w, i in vocab.items()}
logits = torch.tensor([[1.2, 0.3, 3.1, 2.9], [0.1, 4.0, -1.0, 0.2]])
probs = F.softmax(logits, dim=-1)
ids = probs.argmax(dim=-1)
print(probs, ids, [names[i] for i in ids.tolist()], [names[i.item()] for i in ids], sep="\n")
top, where = probs.topk(2)
for p, w in zip(top, where):
    print(", ".join(f"{names[int(i)]} {v:.1%}" for v, i in zip(p, w)))
print(F.cross_entropy(logits, torch.tensor([2, 1])), F.cross_entropy(logits, torch.tensor([3, 0])).item())

# %% centring-rows-by-steps
import torch
torch.set_printoptions(sci_mode=False)
torch.manual_seed(28)
acts = torch.relu(torch.randn(3, 4) + 0.5)
centre = acts.mean(1, keepdim=True)
spread = acts.std(1, keepdim=True)
print("rows:", acts, "centres:", centre.squeeze(), "spreads:", spread.flatten(), sep="\n")
z = (acts - centre) / spread
print(z, z.std(1), (z.mean(1).abs() < 1e-6).tolist())
torch.set_printoptions(sci_mode=False, precision=2)
print(z * 100, torch.tensor([1e-6, 2.0]))
torch.set_printoptions(profile="default")

# %% choosing-with-multinomial
import torch
from collections import Counter
torch.manual_seed(8)
weights = torch.tensor([1., 3., 16.])
drawn = torch.multinomial(weights, 200, replacement=True)
tally = Counter(drawn.tolist())
print(sorted(tally.items()), drawn[:10], (drawn == 2).float().mean())
for word, n in zip(["rare", "some", "most"], torch.bincount(drawn)):
    print(f"{word:>5} {n:4d} {n / len(drawn):7.1%} expected {weights[['rare', 'some', 'most'].index(word)] / weights.sum():.1%}")

# %% dictionaries-of-tensors
import torch
state = {"w": torch.ones(2, 2), "b": torch.zeros(2), "step": 3}
for k, v in state.items():
    print(k, v.shape if isinstance(v, torch.Tensor) else v)
print(state)
print({k: v.sum().item() for k, v in state.items() if torch.is_tensor(v)}, sorted(state), [*state.values()][1], state.get("none"), len(state))

# %% settings-in-a-dict
import torch.nn as nn
import torch
cfg = {"vocab_size": 100, "context_length": 8, "emb_dim": 12, "n_heads": 3, "n_layers": 2, "drop_rate": 0.0, "qkv_bias": False}
class Tiny(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.tok = nn.Embedding(cfg["vocab_size"], cfg["emb_dim"])
        self.pos = nn.Embedding(cfg["context_length"], cfg["emb_dim"])
        self.drop = nn.Dropout(cfg["drop_rate"])
        self.layers = nn.ModuleList([nn.MultiheadAttention(cfg["emb_dim"], cfg["n_heads"], dropout=cfg["drop_rate"], batch_first=True) for _ in range(cfg["n_layers"])])
        self.norm = nn.LayerNorm(cfg["emb_dim"])
        self.head = nn.Linear(cfg["emb_dim"], cfg["vocab_size"], bias=False)
        self.register_buffer("mask", torch.triu(torch.ones(cfg["context_length"], cfg["context_length"]), diagonal=1).bool())
    def forward(self, ids):
        b, t = ids.shape
        x = self.drop(self.tok(ids) + self.pos(torch.arange(t)))
        for layer in self.layers:
            y, _ = layer(x, x, x, attn_mask=self.mask[:t, :t])
            x = x + y
        return self.head(self.norm(x))
torch.manual_seed(123)
m = Tiny(cfg)
out = m(torch.tensor([[5, 7, 9], [1, 0, 2]]))
print(m)
print(out.shape, out[0, -1, :5], out.argmax(-1), f"{sum(p.numel() for p in m.parameters()):,}", sep="\n")
print(len(m.state_dict()), [n for n, _ in m.named_parameters()][:4])

# %% saving-what-was-computed
import torch
history = []
x = torch.eye(3)
w = torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]])
for step in range(4):
    x = torch.softmax(x @ w, dim=-1)
    history.append(x.clone())
    print(f"step {step}: {x[0]} entropy {-(x[0] * x[0].log()).sum():.4f}")
print(torch.stack(history).shape, torch.stack(history)[:, 0, 0], (history[0] - history[-1]).abs().max().item() < 0.1)

# %% types-of-everything
import torch
import torch.nn as nn
x = torch.ones(2)
for thing in (x, x.shape, x.dtype, x.sum(), x.tolist(), x[0].item(), nn.ReLU(), nn.Parameter(x), x.max(0), x.device, torch.Generator(), x > 0):
    print(type(thing).__name__, type(thing))

# %% try-and-look
import torch
a, b = torch.ones(2, 3), torch.ones(2, 3)
try:
    a @ b
except RuntimeError as err:
    print("Error:", err)
    print("mended:", (a @ b.T).shape)
try:
    torch.cat((a, torch.ones(2, 2)), dim=0)
except Exception as err:
    print(f"{type(err).__name__}: {err}")
try:
    a.view(4, 2)
except RuntimeError as err:
    print(err, "->", a.reshape(3, 2).shape)

# %% comparing-two-ways
import torch
torch.manual_seed(99)
x = torch.rand(4, 4)
loop = torch.zeros(4, 4)
for i in range(4):
    for j in range(4):
        loop[i, j] = (x[i] * x[j]).sum()
for name, other in {"matmul": x @ x.T, "einsum": torch.einsum("ik,jk->ij", x, x), "broadcast": (x[:, None, :] * x[None, :, :]).sum(-1), "mm": torch.mm(x, x.t()), "bmm": torch.bmm(x[None], x.T[None])[0]}.items():
    print(f"{name:<10} same: {torch.allclose(loop, other)}  largest difference below 1e-6: {bool((loop - other).abs().max() < 1e-6)}")
print(loop)

# %% a-heat-map-in-text
import torch
torch.manual_seed(5)
w = torch.softmax(torch.randn(4, 4), dim=-1)
shades = " .:-=+*#"
for row in w:
    print("".join(shades[min(int(v * 8), 7)] * 2 for v in row), " ".join(f"{v:.2f}" for v in row))
print(w.max().item() <= 1, w.argmax(dim=1).tolist(), (w > 0.25).sum().item(), w.round(decimals=2))

# %% docstring-cell
"""
This cell only says what comes next.
"""
import torch
x = torch.tensor([1, 2, 3]); y = x * 2; print(x, y)
(a, b), c = torch.tensor([[1, 2], [3, 4]])[0], 5
print(a, b, c, a + b == 3, x[-1] if len(x) > 2 else None, [i for i in range(3) if x[i] > 1])
print("done" if torch.all(y == x + x) else "wrong")
