# %% softmax step by step
import numpy as np

np.random.seed(0)

# Three words, each with an embedding of four numbers
word_1 = np.array([1, 0, 0])
word_2 = np.array([0, 1, 0])
word_3 = np.array([1, 1, 0])
word_4 = np.array([0, 0, 1])
words = np.array((word_1, word_2, word_3, word_4))
print("words:\n", words)
W_Q = np.random.randint(3, size=(3, 3))
W_K = np.random.randint(3, size=(3, 3))
W_V = np.random.randint(3, size=(3, 3))
print(W_Q, W_K, W_V, sep="\n\n")
Q = words @ W_Q
K = words @ W_K
V = words @ W_V
print("Q.shape =", Q.shape, "| dtype:", Q.dtype)
scores = Q @ K.transpose()
print("scores", scores)
scaled = scores / K.shape[1] ** 0.5
print("scaled:", scaled)

def softmax(x, axis=None):
    shifted = x - np.max(x, axis=axis, keepdims=True)
    print("  shifted:", shifted[0])
    exps = np.exp(shifted)
    print("  exps:", exps[0])
    total = np.sum(exps, axis=axis, keepdims=True)
    print("  total:", total.ravel())
    return exps / total

weights = softmax(scaled, axis=1)
print(weights)
for i, row in enumerate(weights):
    print(f"word_{i + 1}: {row} sum = {row.sum()}")
    print("   ", ", ".join(f"{p:.2%}" for p in row), "->", int(np.argmax(row)))
attention = weights @ V
print(attention)
print(attention.round(3).tolist())
print(np.array2string(attention, precision=2, separator=", ", suppress_small=True))
print("max: %.4f min: %.4f mean: %8.3f" % (attention.max(), attention.min(), attention.mean()))
print("{:<10}|{:>12.5f}|{:^+10.2e}".format("first", attention[0, 0], attention[1, 1]))
print(repr(weights[0]), str(weights[0][:2]), weights[0][0], type(weights[0][0]))
print(np.allclose(weights.sum(axis=-1), 1.0), np.isclose(weights.sum(), 4), (weights > 0.5).any(axis=1))
print(np.set_printoptions(precision=3, suppress=True), weights)
with np.printoptions(precision=1):
    print(weights[:2])
print(weights.astype(np.float32), weights.astype("float16")[0], sep="\n")
print(np.vstack([weights[0], weights[-1]]).shape, np.hstack((Q, K)).shape, np.concatenate([Q, K], axis=0)[-1])
print(np.dot(Q[0], K[0]), np.inner(Q[0], K[0]), np.outer(Q[0], K[0]).shape, np.linalg.norm(Q, axis=1))
print(any(np.isnan(weights).ravel()))
print(np.cumsum(weights, axis=1)[:, -1], np.prod(Q.shape), np.unique(Q, return_counts=True))
print(dict(zip(["a", "b"], Q[0])), [*Q[0]], set(Q[0].tolist()), list(map(float, Q[1])))

# %% heat maps of weights
import numpy as np
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import seaborn as sns

rng = np.random.RandomState(42)
tokens = ["The", "animal", "did", "n't", "cross", "."]
T = len(tokens)
logits = rng.randn(T, T)
mask = np.triu(np.ones_like(logits, dtype=bool), k=1)
logits = np.where(mask, -1e9, logits)
weights = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
fig, ax = plt.subplots(figsize=(7, 6))
im = ax.imshow(weights, cmap="Blues")
print(im.get_array().shape, im.get_clim(), ax.get_xlim(), ax.get_ylim())
ax.set_xticks(range(T)); ax.set_yticks(range(T))
ax.set_xticklabels(tokens, rotation=90); ax.set_yticklabels(tokens)
print([label.get_text() for label in ax.get_xticklabels()], ax.get_xticks())
cbar = plt.colorbar(im, ax=ax, fraction=0.046, pad=0.04)
cbar.set_label("attention", rotation=270)
ax.set_title("Self-attention"); plt.tight_layout()
print(len(fig.axes), ax.get_title(), fig)
plt.close(fig)
fig, axes = plt.subplots(2, 2, figsize=(8, 8))
print(axes.shape, axes.size, axes.ndim, type(axes))
for h, (ax, name) in enumerate(zip(axes.flatten(), "abcd")):
    ax.imshow(weights ** (h + 1), vmin=0, vmax=1, interpolation="nearest")
    ax.set_title(f"Head {h + 1}{name}", fontsize=9)
    ax.set_xticks([]); ax.set_yticks([])
print([[a.get_title() for a in row] for row in axes], axes[0, 1].get_title(), axes[1][0].get_title())
print(axes.ravel()[3].get_title(), axes[:, 1].shape, len(axes), axes.T[0, 1].get_title(), axes[-1, -1] is axes[1, 1])
fig.suptitle("All heads", y=1.02); fig.tight_layout(rect=[0, 0, 1, 0.97])
plt.close()
plt.figure(figsize=(6, 5))
ax = sns.heatmap(weights, annot=True, fmt=".2f", cmap="viridis", xticklabels=tokens, yticklabels=tokens, mask=mask, linewidths=.5, cbar_kws={"label": "w"})
ax.set(xlabel="Key", ylabel="Query", title="Masked")
print(ax.get_xlabel(), ax.get_ylabel(), ax.get_title(), ax.get_xlim(), ax.get_ylim())
print([t.get_text() for t in ax.get_yticklabels()], len(ax.texts), ax.texts[0].get_text(), ax.get_xticks())
plt.close("all")
fig, (left, right) = plt.subplots(1, 2)
left.matshow(weights); right.pcolormesh(weights)
print(left.get_xlim(), right.get_xlim(), right.get_ylim())
plt.close("all")
fig = plt.figure(); a1 = fig.add_subplot(1, 2, 1); a2 = fig.add_subplot(122)
print(fig.axes.index(a2), len(fig.axes), plt.gca() is a2, plt.gcf() is fig, plt.get_fignums(), fig.number)
print(a1.imshow(np.eye(3), extent=[0, 3, 0, 3]).get_extent(), a1.get_xlim(), a1.get_ylim())
plt.close("all")

# %% loss curve of a small training
import math, time
from collections import defaultdict
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
from tqdm import tqdm

def set_seed(seed: int = 42) -> None:
    import random
    random.seed(seed); np.random.seed(seed); torch.manual_seed(seed)

set_seed(1)
device = "cuda" if torch.cuda.is_available() else "cpu"
print(f"Using device: {device}", torch.device(device))
X = torch.arange(40.0).reshape(10, 4).sin()
y = (X.sum(1) > 0).long()
print(X.shape, y, y.float().mean(), torch.bincount(y))
class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.out = nn.Linear(d, 2)
        for i, p in enumerate(self.parameters()):
            with torch.no_grad():
                p.copy_(torch.linspace(-0.5, 0.5, p.numel()).view_as(p) * (-1) ** i)
    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        a = F.softmax(q @ k.T / math.sqrt(q.size(-1)), dim=-1)
        return self.out(a @ v + x)
model = SelfAttention(4).to(device)
print(model)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=10, gamma=0.5)
history = defaultdict(list)
start = time.time()
for epoch in tqdm(range(1, 31), disable=True):
    model.train()
    optimizer.zero_grad()
    out = model(X)
    loss = criterion(out, y)
    loss.backward()
    optimizer.step(); scheduler.step()
    acc = (out.argmax(1) == y).float().mean().item()
    history["loss"].append(loss.item()); history["acc"].append(acc)
    if epoch % 10 == 0 or epoch == 1:
        print(f"Epoch [{epoch:>2}/30] loss: {loss.item():.4f} acc: {acc:6.2%} lr: {scheduler.get_last_lr()[0]:g}")
assert time.time() - start >= 0
print(optimizer)
fig, ax1 = plt.subplots(figsize=(8, 4))
(line,) = ax1.plot(range(1, 31), history["loss"], marker="o", markersize=3, label="train loss")
ax1.set_xlabel("epoch"); ax1.set_ylabel("loss", color="tab:blue"); ax1.tick_params(axis="y", labelcolor="tab:blue")
ax2 = ax1.twinx(); ax2.plot(range(1, 31), history["acc"], "r--", label="accuracy"); ax2.set_ylim(0, 1.05)
print(ax1.get_xlim(), ax2.get_ylim(), line, line.get_label(), len(line.get_ydata()))
legend = ax1.legend(loc="best"); print([t.get_text() for t in legend.get_texts()], legend)
handles, labels = ax1.get_legend_handles_labels(); print(len(handles), labels)
ax1.grid(True, alpha=0.3); ax1.axhline(0.5, ls=":", c="k"); print(len(ax1.lines), len(ax2.lines))
plt.close(fig)
print("best", min(range(30), key=lambda i: history["loss"][i]) + 1, np.argmin(history["loss"]) + 1)
window = 5
print(np.convolve(history["loss"], np.ones(window) / window, mode="valid").round(3))
plt.plot(np.linspace(0, 1, 11)); print(plt.xlim(), plt.ylim()); plt.ylim(-1, 2); print(plt.gca().get_ylim(), plt.axis())
plt.xticks(np.arange(0, 11, 5)); plt.legend(["ramp"]); plt.close()

# %% saved numbers and names
import json, io, os, pickle, textwrap, pprint
from collections import OrderedDict
import numpy as np
import torch
from torch import nn

torch.manual_seed(0)
class Tiny(nn.Module):
    def __init__(self, n_embd=4, n_head=2):
        super().__init__()
        self.wte = nn.Embedding(6, n_embd)
        self.attn = nn.MultiheadAttention(n_embd, n_head, batch_first=True)
        self.mlp = nn.Sequential(OrderedDict([("fc", nn.Linear(n_embd, 4 * n_embd)), ("act", nn.GELU()), ("proj", nn.Linear(4 * n_embd, n_embd))]))
        self.ln_f = nn.LayerNorm(n_embd, eps=1e-6)
        self.register_buffer("mask", torch.tril(torch.ones(3, 3)).bool())
    def forward(self, idx):
        x = self.wte(idx)
        a, w = self.attn(x, x, x, attn_mask=~self.mask)
        return self.ln_f(x + a + self.mlp(x)), w
net = Tiny()
print(net)
total = sum(p.numel() for p in net.parameters())
trainable = sum(p.numel() for p in net.parameters() if p.requires_grad)
print(f"{total:,} parameters, {trainable:,} trainable, {total * 4 / 1024:.2f} KiB")
print("-" * 46)
print(f"{'name':<28}{'shape':<12}{'count':>6}")
for name, p in net.named_parameters():
    print(f"{name:<28}{str(tuple(p.shape)):<12}{p.numel():>6}")
print("=" * 46)
for key, value in net.state_dict().items():
    print(key, "\t", value.size(), value.dtype)
buffer = io.BytesIO(); torch.save(net.state_dict(), buffer); buffer.seek(0)
other = Tiny(); print(torch.allclose(net.wte.weight, other.wte.weight))
print(other.load_state_dict(torch.load(buffer, weights_only=True)))
idx = torch.tensor([[1, 2, 3]])
print(torch.allclose(net(idx)[0], other(idx)[0]), torch.equal(net.mask, other.mask))
print(all(torch.equal(a, b) for a, b in zip(net.state_dict().values(), other.state_dict().values())))
missing, unexpected = other.load_state_dict({"wte.weight": torch.zeros(6, 4), "extra": torch.ones(1)}, strict=False)
print(len(missing), missing[:2], unexpected)
try:
    other.load_state_dict({"wte.weight": torch.zeros(5, 4)})
except RuntimeError as error:
    print(textwrap.shorten(str(error), 120))
arrays = {name: p.detach().cpu().numpy() for name, p in net.named_parameters() if "ln" in name}
pprint.pprint({name: (a.shape, a.dtype, a.sum()) for name, a in arrays.items()})
text = json.dumps({"n_embd": 4, "layers": ["attn", "mlp"], "weights": arrays["ln_f.weight"].tolist(), "eps": 1e-6}, indent=2, sort_keys=True)
print(text); print(json.loads(text)["weights"])
again = pickle.loads(pickle.dumps({"step": 3, "loss": [0.5, 0.25]})); print(again)
print(list(net.children())[0], [type(m).__name__ for m in net.modules()], dict(net.named_buffers()).keys())
print(net.mlp.fc, net.mlp[1], net.attn.in_proj_weight.shape, next(net.parameters()).device, net.training, net.eval().training)
for p in net.wte.parameters():
    p.requires_grad = False
print(sum(p.numel() for p in net.parameters() if p.requires_grad), net.wte.weight.requires_grad)
print(os.path.splitext("model_final.pth"), os.path.join("out", "ckpt.pt"))

# %% rotary embedding by complex numbers
import torch
import torch.nn as nn
from dataclasses import dataclass, field, asdict
from typing import Optional, Tuple

@dataclass
class ModelArgs:
    dim: int = 16
    n_heads: int = 4
    n_kv_heads: Optional[int] = 2
    norm_eps: float = 1e-5
    rope_theta: float = 10000
    max_seq_len: int = 8

args = ModelArgs()
print(args, asdict(args), args == ModelArgs(dim=16))
def precompute_freqs_cis(dim: int, end: int, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end, device=freqs.device, dtype=torch.float32)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)
def reshape_for_broadcast(freqs_cis: torch.Tensor, x: torch.Tensor):
    ndim = x.ndim
    assert 0 <= 1 < ndim
    assert freqs_cis.shape == (x.shape[1], x.shape[-1])
    shape = [d if i == 1 or i == ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)
def apply_rotary_emb(xq, xk, freqs_cis) -> Tuple[torch.Tensor, torch.Tensor]:
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = reshape_for_broadcast(freqs_cis, xq_)
    xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)
    xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)
def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """torch.repeat_interleave(x, dim=2, repeats=n_rep)"""
    bs, slen, n_kv_heads, head_dim = x.shape
    if n_rep == 1:
        return x
    return x[:, :, :, None, :].expand(bs, slen, n_kv_heads, n_rep, head_dim).reshape(bs, slen, n_kv_heads * n_rep, head_dim)
class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)
    def forward(self, x):
        return self._norm(x.float()).type_as(x) * self.weight
head_dim = args.dim // args.n_heads
freqs = precompute_freqs_cis(head_dim, args.max_seq_len, args.rope_theta)
print(freqs.shape, freqs.dtype, freqs.is_complex()); print(freqs[:3])
x = torch.arange(2 * 3 * 16, dtype=torch.float32).view(2, 3, 16) / 10
xq = x.view(2, 3, 4, head_dim); xk = x[..., :8].reshape(2, 3, 2, head_dim)
q, k = apply_rotary_emb(xq, xk, freqs[:3])
print(q[0, 1], k[0, 2], q.dtype, k.shape, sep="\n")
print(torch.allclose(q.norm(dim=-1), xq.norm(dim=-1)), RMSNorm(16)(x)[0, 0, :4], RMSNorm(16))
keys = repeat_kv(k, args.n_heads // args.n_kv_heads); print(keys.shape, torch.equal(keys[:, :, 0], keys[:, :, 1]))
scores = torch.matmul(q.transpose(1, 2), keys.transpose(1, 2).transpose(2, 3)) / head_dim ** 0.5
mask = torch.triu(torch.full((3, 3), float("-inf")), diagonal=1)
print(mask, scores.shape, torch.softmax(scores + mask, dim=-1)[0, 0], sep="\n")
print(freqs.abs()[0], freqs.angle()[1], freqs.real[1], freqs.imag[1], torch.view_as_real(freqs).shape)
print(f"{torch.complex(torch.tensor(1.), torch.tensor(2.)).item():.1f}", freqs[1, 0].item().__class__.__name__)

# %% positional encodings drawn
import numpy as np
import matplotlib.pyplot as plt
import torch, math

plt.rcParams["figure.figsize"] = (10, 4)
def positional_encoding(length, depth):
    depth = depth / 2
    positions = np.arange(length)[:, np.newaxis]
    depths = np.arange(depth)[np.newaxis, :] / depth
    angle_rates = 1 / (10000 ** depths)
    angle_rads = positions * angle_rates
    return np.concatenate([np.sin(angle_rads), np.cos(angle_rads)], axis=-1)
pe = positional_encoding(50, 16)
print(pe.shape, pe.dtype, pe[1])
fig, ax = plt.subplots()
mesh = ax.pcolormesh(pe.T, cmap="RdBu")
ax.set_xlabel("Position"); ax.set_ylabel("Depth"); fig.colorbar(mesh)
print(ax.get_xlim(), ax.get_ylim(), mesh.get_clim())
plt.close(fig)
def get_pe(seq_len, d, n=10000):
    P = np.zeros((seq_len, d))
    for k in range(seq_len):
        for i in np.arange(int(d / 2)):
            denominator = np.power(n, 2 * i / d)
            P[k, 2 * i] = np.sin(k / denominator)
            P[k, 2 * i + 1] = np.cos(k / denominator)
    return P
P = get_pe(seq_len=4, d=4, n=100)
print(P)
for row in get_pe(3, 6):
    print(" ".join(f"{v:7.4f}" for v in row))
fig, axes = plt.subplots(nrows=2, ncols=2, figsize=(9, 5), sharex=True)
for i, ax in enumerate(axes.flat):
    xs = np.linspace(0, 20, 100)
    (line,) = ax.plot(xs, np.sin(xs / 100 ** (2 * i / 8)), label=f"dim {i}")
    ax.legend(); ax.set_ylim([-1.1, 1.1])
print(ax.get_ylim(), ax.get_xlim(), line.get_xydata().shape if hasattr(line, "get_xydata") else None)
plt.close("all")
norm = pe / np.linalg.norm(pe, axis=-1, keepdims=True)
p = norm[10]
dots = np.einsum("pd,d->p", norm, p)
print(dots[8:13], dots.argmax(), np.argsort(dots)[::-1][:3])
position = torch.arange(6).unsqueeze(1)
div_term = torch.exp(torch.arange(0, 8, 2) * (-math.log(10000.0) / 8))
t = torch.zeros(6, 8); t[:, 0::2] = torch.sin(position * div_term); t[:, 1::2] = torch.cos(position * div_term)
print(t[:3], div_term)
print(np.allclose(np.sin(np.arange(6)), t[:, 0].numpy(), atol=1e-6), t.numpy().flags["OWNDATA"])
grid_x, grid_y = np.meshgrid(np.arange(3), np.arange(2)); print(grid_x, grid_y, grid_x.shape)
plt.figure(figsize=(3, 2)); im = plt.imshow(pe, aspect="auto", origin="lower"); print(plt.gca().get_ylim(), im.get_extent(), im.get_cmap().name); plt.close()

# %% cross attention of an encoder and a decoder
import torch
import torch.nn as nn
import torch.nn.functional as F
import copy
from functools import partial

torch.manual_seed(0)
torch.set_printoptions(precision=3, sci_mode=False, linewidth=100)
def clones(module, N):
    "Produce N identical layers."
    return nn.ModuleList([copy.deepcopy(module) for _ in range(N)])
def attention(query, key, value, mask=None, dropout=None):
    d_k = query.size(-1)
    scores = torch.matmul(query, key.transpose(-2, -1)) / d_k ** 0.5
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    p_attn = scores.softmax(dim=-1)
    if dropout is not None:
        p_attn = dropout(p_attn)
    return torch.matmul(p_attn, value), p_attn
class MultiHeadedAttention(nn.Module):
    def __init__(self, h, d_model, dropout=0.1):
        super(MultiHeadedAttention, self).__init__()
        assert d_model % h == 0
        self.d_k = d_model // h
        self.h = h
        self.linears = clones(nn.Linear(d_model, d_model), 4)
        self.attn = None
        self.dropout = nn.Dropout(p=dropout)
    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)
        nbatches = query.size(0)
        query, key, value = [lin(x).view(nbatches, -1, self.h, self.d_k).transpose(1, 2) for lin, x in zip(self.linears, (query, key, value))]
        x, self.attn = attention(query, key, value, mask=mask, dropout=self.dropout)
        x = x.transpose(1, 2).contiguous().view(nbatches, -1, self.h * self.d_k)
        del query, key, value
        return self.linears[-1](x)
def subsequent_mask(size):
    "Mask out subsequent positions."
    attn_shape = (1, size, size)
    subsequent_mask = torch.triu(torch.ones(attn_shape), diagonal=1).type(torch.uint8)
    return subsequent_mask == 0
src = torch.LongTensor([[1, 2, 3, 4, 0], [1, 5, 0, 0, 0]]); tgt = torch.LongTensor([[1, 6, 7], [1, 8, 0]])
src_mask = (src != 0).unsqueeze(-2); tgt_mask = (tgt != 0).unsqueeze(-2) & subsequent_mask(tgt.size(-1)).type_as(src_mask.data)
print(src_mask.shape, tgt_mask, sep="\n")
emb = nn.Embedding(10, 8, padding_idx=0); print(emb, emb.weight[0])
memory = emb(src) * 8 ** 0.5; x = emb(tgt)
layer = MultiHeadedAttention(2, 8).eval(); print(layer)
y = layer(x, memory, memory, src_mask)
print(y.shape, layer.attn.shape, layer.attn[1, 0], sep="\n")
print(y[0])
self_out = layer(x, x, x, tgt_mask); print(layer.attn[1].detach().numpy().round(3))
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), num_layers=2).eval()
dec = nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True, norm_first=True).eval()
print(enc.layers[0].self_attn, dec.multihead_attn.out_proj, len(enc.layers))
with torch.inference_mode():
    out = dec(x, memory, tgt_mask=nn.Transformer.generate_square_subsequent_mask(3), memory_key_padding_mask=src == 0)
print(out.shape, out.requires_grad, nn.Transformer.generate_square_subsequent_mask(3))
relu = partial(F.leaky_relu, negative_slope=0.2); print(relu(torch.tensor([-1.0, 2.0])), relu.func.__name__, relu.keywords)
print(F.scaled_dot_product_attention(x[:, None], x[:, None], x[:, None], is_causal=True).squeeze(1).shape)
mha = nn.MultiheadAttention(8, 2, batch_first=True); o, w = mha(x, memory, memory, key_padding_mask=src == 0, average_attn_weights=False); print(o.shape, w.shape, w.sum(-1)[0])

# %% a block of gpt with a config
import inspect, math, random
from dataclasses import dataclass, replace, fields
from typing import Dict, List, Optional, Union
import torch
from torch import nn, Tensor
import torch.nn.functional as F

@dataclass
class GPTConfig:
    block_size: int = 16
    vocab_size: int = 50
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 8
    dropout: float = 0.0
    bias: bool = True
    def __post_init__(self):
        assert self.n_embd % self.n_head == 0, f"{self.n_embd} % {self.n_head}"
class CausalSelfAttention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
        self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
        self.n_head, self.n_embd = config.n_head, config.n_embd
        self.flash = hasattr(torch.nn.functional, "scaled_dot_product_attention")
        self.register_buffer("bias", torch.tril(torch.ones(config.block_size, config.block_size)).view(1, 1, config.block_size, config.block_size))
    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))
class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.n_embd)
        self.attn = CausalSelfAttention(config)
        self.ln_2 = nn.LayerNorm(config.n_embd)
        self.mlp = nn.ModuleDict(dict(c_fc=nn.Linear(config.n_embd, 4 * config.n_embd), c_proj=nn.Linear(4 * config.n_embd, config.n_embd), act=nn.GELU(approximate="tanh")))
        m = self.mlp
        self.mlpf = lambda x: m.c_proj(m.act(m.c_fc(x)))
    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlpf(self.ln_2(x))
class GPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(config.vocab_size, config.n_embd), wpe=nn.Embedding(config.block_size, config.n_embd),
            h=nn.ModuleList([Block(config) for _ in range(config.n_layer)]), ln_f=nn.LayerNorm(config.n_embd)))
        self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)
        for pn, p in self.named_parameters():
            if pn.endswith("c_proj.weight"):
                torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * config.n_layer))
    def get_num_params(self, non_embedding=True):
        n_params = sum(p.numel() for p in self.parameters())
        return n_params - self.transformer.wpe.weight.numel() if non_embedding else n_params
    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)
        elif isinstance(module, nn.Embedding):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
    def forward(self, idx, targets=None):
        b, t = idx.size()
        assert t <= self.config.block_size, f"Cannot forward sequence of length {t}, block size is only {self.config.block_size}"
        pos = torch.arange(0, t, dtype=torch.long, device=idx.device)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            x = block(x)
        x = self.transformer.ln_f(x)
        if targets is not None:
            logits = self.lm_head(x)
            return logits, F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
        return self.lm_head(x[:, [-1], :]), None
    def configure_optimizers(self, weight_decay, learning_rate, betas):
        params = {pn: p for pn, p in self.named_parameters() if p.requires_grad}
        decay = [p for p in params.values() if p.dim() >= 2]; rest = [p for p in params.values() if p.dim() < 2]
        print(f"num decayed parameter tensors: {len(decay)}, with {sum(p.numel() for p in decay):,} parameters")
        fused = "fused" in inspect.signature(torch.optim.AdamW).parameters
        print(f"using fused AdamW: {fused and False}")
        return torch.optim.AdamW([{"params": decay, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}], lr=learning_rate, betas=betas)
random.seed(0); torch.manual_seed(1337)
config = GPTConfig(); print(config, replace(config, n_head=4).n_head, [f.name for f in fields(config)][:3])
try:
    GPTConfig(n_embd=7)
except AssertionError as error:
    print("AssertionError:", error)
model = GPT(config); print("number of parameters: %.2fK" % (model.get_num_params() / 1e3,)); print(model)
idx = torch.tensor([[random.randrange(50) for _ in range(8)] for _ in range(2)]); print(idx)
logits, loss = model(idx, torch.roll(idx, -1, 1)); print(logits.shape, f"{loss.item():.4f}", f"{-math.log(1 / 50):.4f}", loss)
opt = model.configure_optimizers(0.1, 1e-2, (0.9, 0.95))
def get_lr(it, warmup=5, top=1e-2, low=1e-3, end=20):
    if it < warmup: return top * (it + 1) / warmup
    ratio = (it - warmup) / (end - warmup)
    return low + 0.5 * (1.0 + math.cos(math.pi * ratio)) * (top - low)
for it in range(20):
    for group in opt.param_groups:
        group["lr"] = get_lr(it)
    _, loss = model(idx, torch.roll(idx, -1, 1)); opt.zero_grad(set_to_none=True); loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0); opt.step()
    if it % 5 == 0: print(f"step {it:4d} | loss: {loss.item():.3f} | norm: {norm:.2f} | lr {get_lr(it):.4e}")
print(inspect.signature(get_lr), GPT.forward.__name__, get_lr.__defaults__)
print(model.transformer.h[0].attn.bias.shape, model.transformer.wte.weight is model.lm_head.weight, model.config.n_layer)

# %% from bigram to transformer
import torch, re, string, itertools, random
import torch.nn as nn
from torch.nn import functional as F
from collections import Counter, defaultdict

torch.manual_seed(1337)
text = """First Citizen:
Before we proceed any further, hear me speak.

All:
Speak, speak.

First Citizen:
You are all resolved rather to die than to famish?
""" * 4
words = re.findall(r"[a-z']+", text.lower()); print(words[:6], len(words), Counter(words).most_common(3))
clean = text.lower().translate(str.maketrans("", "", string.punctuation)); print(clean.split()[:5], re.sub(r"\s+", " ", clean)[:40])
chars = sorted(list(set(text))); vocab_size = len(chars)
print("".join(chars)); print(vocab_size)
stoi = {ch: i for i, ch in enumerate(chars)}; itos = {i: ch for i, ch in enumerate(chars)}
encode = lambda s: [stoi[c] for c in s]; decode = lambda l: "".join([itos[i] for i in l])
print(encode("hear me")); print(decode(encode("hear me")))
pairs = Counter(zip(text, text[1:])); print(pairs.most_common(3))
N = torch.zeros((vocab_size, vocab_size), dtype=torch.int32)
for a, b in zip(text, text[1:]): N[stoi[a], stoi[b]] += 1
P = (N + 1).float(); P /= P.sum(1, keepdim=True); print(N[1, :8], P[0].sum(), P.shape)
nll = -sum(P[stoi[a], stoi[b]].log() for a, b in zip(text, text[1:])) / (len(text) - 1); print(f"{nll=:.4f}")
data = torch.tensor(encode(text), dtype=torch.long); print(data.shape, data.dtype); print(data[:20])
n = int(0.9 * len(data)); train_data, val_data = data[:n], data[n:]
block_size, batch_size = 8, 4
x, y = train_data[:block_size], train_data[1:block_size + 1]
for t in range(3):
    context, target = x[:t + 1], y[t]
    print(f"when input is {context} the target: {target}")
def get_batch(split, step):
    d = train_data if split == "train" else val_data
    ix = torch.arange(batch_size) * 7 + step
    return torch.stack([d[i:i + block_size] for i in ix]), torch.stack([d[i + 1:i + block_size + 1] for i in ix])
xb, yb = get_batch("train", 0); print("inputs:"); print(xb.shape); print(xb); print("targets:"); print(yb.shape)
B, T, C = 2, 4, 2
x = torch.arange(B * T * C, dtype=torch.float32).view(B, T, C)
xbow = torch.zeros((B, T, C))
for b in range(B):
    for t in range(T): xbow[b, t] = torch.mean(x[b, :t + 1], 0)
wei = torch.tril(torch.ones(T, T)); wei = wei / wei.sum(1, keepdim=True); print(wei, torch.allclose(xbow, wei @ x))
tril = torch.tril(torch.ones(T, T)); w3 = torch.zeros((T, T)).masked_fill(tril == 0, float("-inf")); print(w3, F.softmax(w3, dim=-1))
class Head(nn.Module):
    def __init__(self, n_embd, size):
        super().__init__()
        self.key = nn.Linear(n_embd, size, bias=False); self.query = nn.Linear(n_embd, size, bias=False); self.value = nn.Linear(n_embd, size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
    def forward(self, x):
        B, T, C = x.shape
        wei = self.query(x) @ self.key(x).transpose(-2, -1) * self.key.out_features ** -0.5
        return F.softmax(wei.masked_fill(self.tril[:T, :T] == 0, float("-inf")), dim=-1) @ self.value(x)
class LanguageModel(nn.Module):
    def __init__(self, n_embd=16, heads=2):
        super().__init__()
        self.token = nn.Embedding(vocab_size, n_embd); self.position = nn.Embedding(block_size, n_embd)
        self.heads = nn.ModuleList([Head(n_embd, n_embd // heads) for _ in range(heads)])
        self.ffwd = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd))
        self.ln = nn.LayerNorm(n_embd); self.lm_head = nn.Linear(n_embd, vocab_size)
    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.token(idx) + self.position(torch.arange(T))
        x = x + torch.cat([h(x) for h in self.heads], dim=-1); x = x + self.ffwd(self.ln(x))
        logits = self.lm_head(x)
        loss = None if targets is None else F.cross_entropy(logits.view(B * T, -1), targets.view(B * T))
        return logits, loss
    def generate(self, idx, max_new_tokens):
        for _ in range(max_new_tokens):
            logits, _ = self(idx[:, -block_size:])
            probs = F.softmax(logits[:, -1, :], dim=-1)
            idx = torch.cat((idx, torch.topk(probs, 1).indices), dim=1)
        return idx
m = LanguageModel(); print(m.heads[0], sum(p.numel() for p in m.parameters()), "parameters")
optimizer = torch.optim.AdamW(m.parameters(), lr=1e-2)
@torch.no_grad()
def estimate_loss():
    out = {}; m.eval()
    for split in ["train", "val"]:
        out[split] = torch.tensor([m(*get_batch(split, 0))[1].item() for _ in range(2)]).mean()
    m.train(); return out
for step in range(60):
    if step % 20 == 0:
        losses = {"train": m(*get_batch("train", 0))[1].item()}; print(f"step {step}: train loss {losses['train']:.2f}")
    logits, loss = m(*get_batch("train", step)); optimizer.zero_grad(set_to_none=True); loss.backward(); optimizer.step()
print(repr(decode(m.generate(torch.zeros((1, 1), dtype=torch.long), 24)[0].tolist()))[:1], len(m.generate(xb[:1], 5)[0]))
print(list(itertools.islice(itertools.cycle("ab"), 3)), list(itertools.product([0, 1], repeat=2)), ["".join(g) for _, g in itertools.groupby("aabbb")])
random.seed(7); print(random.sample(range(10), 3), random.choice("abc"), round(random.random(), 6), random.randint(1, 6), random.shuffle(l := [1, 2, 3]), l)

# %% masks made visible
import numpy as np, torch
import torch.nn.functional as F
import matplotlib.pyplot as plt

def show(mask, name):
    print(name, tuple(mask.shape), mask.dtype)
    print("\n".join("".join("█" if v else "·" for v in row) for row in mask.tolist()))
T = 5
causal = torch.tril(torch.ones(T, T, dtype=torch.bool)); show(causal, "causal")
band = torch.ones(T, T).tril().triu(-1).bool(); show(band, "window")
prefix = causal.clone(); prefix[:, :2] = True; show(prefix, "prefix")
lengths = torch.tensor([3, 5, 1]); padding = torch.arange(T)[None, :] < lengths[:, None]; show(padding, "padding")
both = causal[None] & padding[:, None, :]; print(both.shape, both.sum(dim=(1, 2)), both[2].int())
print(torch.logical_or(causal, band).all().item(), (~causal).nonzero().tolist()[:3], torch.where(causal, 0.0, float("-inf")))
scores = torch.arange(T * T).float().reshape(T, T) / 10
masked = scores.masked_fill(~causal, float("-inf")); print(masked); print(F.softmax(masked, dim=-1))
print(torch.nan_to_num(F.softmax(torch.full((2, 2), -torch.inf), dim=-1)), torch.finfo(torch.float32).min, torch.finfo(torch.float16).max)
m = np.tril(np.ones((T, T))); print(m); print(np.triu(np.full((3, 3), -np.inf), k=1)); print(np.where(m == 0, -np.inf, 0))
print(m.astype(bool), (1 - m) * -1e9, np.ma is not None if False else "", sep="\n")
look_ahead = 1 - np.tri(4); print(look_ahead, look_ahead.sum(), np.tri(3, dtype=int))
fig, axs = plt.subplots(1, 3, figsize=(12, 4), constrained_layout=True)
for ax, (name, mask) in zip(axs, {"causal": causal, "window": band, "prefix": prefix}.items()):
    ax.imshow(mask, cmap="gray_r"); ax.set_title(name)
    ax.set_xticks(np.arange(-.5, T, 1), minor=True); ax.grid(which="minor", color="w")
    for (i, j), v in np.ndenumerate(mask.numpy()):
        ax.text(j, i, int(v), ha="center", va="center")
print(len(axs), axs.shape, axs[0].get_xlim(), len(axs[1].texts), axs[2].texts[3].get_text(), axs[1].get_title())
plt.close(fig)
ids = np.array([[5, 3, 0], [7, 0, 0]]); pad = (ids == 0); print(pad, pad[:, np.newaxis, np.newaxis, :].shape, np.count_nonzero(pad), np.argwhere(pad))
additive = np.where(pad, -1e9, 0.0); print(additive); print(np.flip(m, 0)[0], np.fliplr(m)[0])
alibi = -np.abs(np.arange(4)[:, None] - np.arange(4)[None, :]) * np.array([0.5, 0.25])[:, None, None]; print(alibi.shape, alibi[0])
a = np.zeros((3, 3), int); np.fill_diagonal(a, 4); np.fill_diagonal(np.fliplr(a), [1, 2, 3]); print(a, a[::-1].base is a, np.diag(a), np.trace(a))
b = np.arange(6); v = b[::-1]; v[0] = 99; w = b[1:4]; w *= 2; print(b, v, w.base is b); b.sort(); print(b[::2], b[::-2])

# %% patches by einops
import torch
from torch import nn, einsum
import numpy as np
from einops import rearrange, repeat, reduce

torch.manual_seed(0)
def pair(t):
    return t if isinstance(t, tuple) else (t, t)
class Attention(nn.Module):
    def __init__(self, dim, heads=2, dim_head=4, dropout=0.):
        super().__init__()
        inner_dim = dim_head * heads
        project_out = not (heads == 1 and dim_head == dim)
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.norm = nn.LayerNorm(dim)
        self.attend = nn.Softmax(dim=-1)
        self.to_qkv = nn.Linear(dim, inner_dim * 3, bias=False)
        self.to_out = nn.Sequential(nn.Linear(inner_dim, dim), nn.Dropout(dropout)) if project_out else nn.Identity()
    def forward(self, x):
        x = self.norm(x)
        qkv = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> b h n d", h=self.heads), qkv)
        dots = torch.matmul(q, k.transpose(-1, -2)) * self.scale
        attn = self.attend(dots)
        out = torch.matmul(attn, v)
        out = rearrange(out, "b h n d -> b n (h d)")
        return self.to_out(out), attn
image = torch.arange(2 * 3 * 8 * 8, dtype=torch.float32).view(2, 3, 8, 8) / 384
patches = rearrange(image, "b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=4, p2=4); print(patches.shape, patches[0, 0, :6])
embed = nn.Sequential(nn.LayerNorm(48), nn.Linear(48, 8), nn.LayerNorm(8)); print(embed)
x = embed(patches); cls = nn.Parameter(torch.zeros(1, 1, 8)); tokens = repeat(cls, "1 1 d -> b 1 d", b=2)
x = torch.cat((tokens, x), dim=1); x = x + nn.Parameter(torch.zeros(1, 5, 8)); print(x.shape, x.requires_grad, pair(3), pair((1, 2)))
att = Attention(8); out, w = att(x); print(att); print(out.shape, w.shape, w.sum(-1)[0, 0], w.mean(dim=(0, 1, 2)))
print(reduce(x, "b n d -> b d", "mean").shape, reduce(image, "b c (h h2) (w w2) -> b c h w", "max", h2=4, w2=4)[0, 0])
q = rearrange(x, "b n (h d) -> (b h) n d", h=2); sim = einsum("b i d, b j d -> b i j", q, q); print(sim.shape, sim.softmax(-1).sum().round())
print(torch.einsum("bhid,bhjd->bhij", x.view(2, 5, 2, 4).transpose(1, 2), x.view(2, 5, 2, 4).transpose(1, 2)).shape)
a = np.arange(12).reshape(3, 4); print(rearrange(a, "h w -> w h"), reduce(a, "h w -> h", "sum"), repeat(a[0], "w -> k w", k=2))
try:
    rearrange(image, "b c (h p) w -> b c h p w", p=3)
except Exception as error:
    print(type(error).__name__)
print(nn.Conv2d(3, 8, kernel_size=4, stride=4), nn.Conv2d(3, 8, 4, 4)(image).flatten(2).transpose(1, 2).shape)
print(att.to_qkv.weight.std() > 0, nn.Identity(), att.norm.normalized_shape, [n for n, _ in att.named_modules()], att.scale)
print(x.cpu().detach().numpy().mean().dtype, f"{x.shape=}", f"{tuple(out.shape)!s:>14}", f"{image[0, 0, 0, 1].item():.6f}", f"{image.mean():.3f}", "%s" % (x.size(),))

# %% statistics in numpy
import numpy as np, statistics, math
from pprint import pprint

data = np.array([[85, 92.5, 78], [90, 88, 95.25], [70, 65, 80]])
print(data.mean(axis=0), data.std(axis=1, ddof=1), np.median(data, axis=0), np.var(data), data.min(1))
print(np.percentile(data, [10, 50, 90]), np.quantile(data, 0.3, axis=1), np.average(data, axis=1, weights=[1, 2, 1]))
print(np.cov(data), np.corrcoef(data[0], data[1]), np.histogram(data, bins=3), sep="\n")
print(np.sort(data, axis=None), np.argsort(data[:, 1]), data[data[:, 0].argsort()], np.where(data > 90), sep="\n")
print((data - data.mean(0)) / data.std(0), np.clip(data, 70, 90), np.searchsorted([75, 80, 90], data[0]), np.sign(data - 80), sep="\n")
print(np.linspace(0, 1, 5), np.logspace(0, 3, 4), np.arange(1, 2, 0.25), np.zeros(3), np.ones((2, 2), dtype=int), np.full(2, 7.5), np.eye(2), np.identity(2)[1])
print(np.array([1, 2.5, 1e6]), np.array([1e-5, 1]), np.array([1e10, 1]), np.array([0.1 + 0.2]), np.array([np.nan, np.inf, -1]), np.array([True, False]), np.array([]), np.array(3.5), np.array([[]]).shape)
print(repr(np.array([1, 2, 3], dtype=np.int32)), repr(np.float32(0.1)), repr(np.int64(3)), np.float64(1) / 3, np.float32(1) / 3, 1 / np.float16(3), repr(np.bool_(True)))
print(np.random.default_rng(0).normal(size=3), np.random.default_rng(1).integers(0, 10, 5), np.random.default_rng(2).choice(5, 3, replace=False), np.random.default_rng(3).permutation(5))
np.random.seed(5); print(np.random.rand(2), np.random.randn(2, 2), np.random.randint(0, 9, (2, 3)), np.random.choice(["a", "b", "c"]), np.random.uniform(-1, 1, 2), np.random.permutation(4), np.random.normal(0, 1), sep="\n")
g = np.random.default_rng(42); print(g.standard_normal((2, 2)), g.uniform(size=2), g.random(2), sep="\n")
print(np.linalg.inv(np.array([[2., 1], [1, 3]])), np.linalg.det(np.eye(3) * 2), np.linalg.eigvalsh([[2, 1], [1, 3]]), np.linalg.matrix_rank(data), np.linalg.solve([[2., 1], [1, 3]], [1, 2]), np.trace(data))
u, s, vt = np.linalg.svd(data); print(s.round(6), u.shape, np.allclose(u * s @ vt, data), np.linalg.norm(data), np.linalg.norm(data, 2).round(8))
print(np.split(np.arange(6), 3), np.array_split(np.arange(5), 2), np.tile([1, 2], 2), np.repeat([1, 2], 2), np.roll(np.arange(4), 1), np.stack([np.zeros(2), np.ones(2)], axis=1), np.expand_dims(np.arange(2), 0).shape, np.squeeze(np.zeros((1, 2))).shape, np.swapaxes(np.zeros((1, 2)), 0, 1).shape)
print(np.bincount([0, 1, 1, 3]), np.unique([3, 1, 1]), np.diff([1, 4, 9]), np.cumsum([1, 2, 3]), np.interp(2.5, [1, 2, 3], [10, 20, 30]), np.maximum([1, 5], [3, 2]), np.round(2.5), np.floor(-1.5), np.mod(-1, 3), np.hypot(3, 4), np.log1p(0.5), np.isin([1, 2], [2]))
x = np.arange(10); print(x[x % 2 == 0], x[[1, 3]], x[-3:], x[::-1], x[2:8:3], x.reshape(2, 5)[:, 1:3], x.reshape(-1, 2).T, x[np.newaxis].shape, x.reshape(5, 2)[[0, 1], [1, 0]])
print(x.dtype, x.itemsize, x.nbytes, x.flags.c_contiguous, x.strides, x.size, type(x), x.tolist(), x.sum().item(), x.mean(dtype=np.float32))
big = np.arange(2000).reshape(40, 50); print(big); print(np.arange(1001)); print(np.random.RandomState(1).rand(3, 40).shape)
print(statistics.mean([1, 2, 4]), statistics.stdev([1, 2, 4]), statistics.median([3, 1, 2]), math.isclose(0.1 + 0.2, 0.3), math.comb(5, 2), math.prod([1, 2, 3]))
records = [{"name": n, "score": float(s)} for n, s in zip("abc", data[:, 0])]; pprint(records); print(max(records, key=lambda r: r["score"])["name"], sorted(records, key=lambda r: -r["score"])[0])
with np.errstate(divide="ignore", invalid="ignore"): print(np.array([1., 0]) / 0, np.log(np.array([0.0])), np.sqrt(np.array([-1.0])))
for bad in (lambda: np.zeros((2, 3)) @ np.zeros((2, 3)), lambda: np.zeros(3) + np.zeros(4), lambda: np.array([1, 2])[5], lambda: np.arange(6).reshape(4, 2), lambda: np.linalg.inv(np.zeros((2, 2))), lambda: np.concatenate([np.zeros((1, 2)), np.zeros((1, 3))])):
    try: bad()
    except Exception as error: print(type(error).__name__, error)
np.set_printoptions(threshold=1e15, linewidth=60, precision=3); print(np.arange(30) / 7); np.set_printoptions(threshold=np.inf); print(np.arange(25)); print(np.get_printoptions()["precision"])
