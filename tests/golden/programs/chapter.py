"""Whole pieces of attention code, as a chapter builds them up; every class is written here for this purpose."""

# %% self-attention-from-parameters
class Attend(nn.Module):
    def __init__(self, width_in, width_out):
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(width_in, width_out))
        self.W_key = nn.Parameter(torch.rand(width_in, width_out))
        self.W_value = nn.Parameter(torch.rand(width_in, width_out))
    def forward(self, x):
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        w = torch.softmax(q @ k.T / k.shape[-1] ** 0.5, dim=-1)
        return w @ v
torch.manual_seed(11)
x = torch.rand(5, 3)
att = Attend(3, 2)
print(att, att(x), att(x).shape, att.W_query, sep="\n")

# %% self-attention-from-linears
class Attend(nn.Module):
    def __init__(self, width_in, width_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(width_in, width_out, bias=qkv_bias)
        self.W_key = nn.Linear(width_in, width_out, bias=qkv_bias)
        self.W_value = nn.Linear(width_in, width_out, bias=qkv_bias)
    def forward(self, x):
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.T
        return torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1) @ v
torch.manual_seed(789)
x = torch.tensor([[0.1, 0.7, 0.3], [0.5, 0.2, 0.9], [0.8, 0.8, 0.1], [0.3, 0.4, 0.6]])
a, b = Attend(3, 2), Attend(3, 2, qkv_bias=True)
print(a(x), b(x), b, [n for n, _ in b.named_parameters()], sep="\n")

# %% weights-moved-between-two-forms
torch.manual_seed(21)
lin = nn.Linear(3, 2, bias=False)
par = nn.Parameter(torch.rand(3, 2))
x = torch.rand(2, 3)
print(torch.allclose(lin(x), x @ par))
par = nn.Parameter(lin.weight.T)
print(torch.allclose(lin(x), x @ par), par.shape, lin.weight.shape, par.is_contiguous(), par)

# %% causal-mask-by-steps
torch.manual_seed(123)
n = 4
scores = torch.rand(n, n)
weights = torch.softmax(scores, dim=-1)
mask_simple = torch.tril(torch.ones(n, n))
masked = weights * mask_simple
row_sums = masked.sum(dim=-1, keepdim=True)
print(mask_simple, masked, row_sums, masked / row_sums, sep="\n")
mask = torch.triu(torch.ones(n, n), diagonal=1)
hidden = scores.masked_fill(mask.bool(), -torch.inf)
print(hidden, torch.softmax(hidden, dim=1), torch.allclose(masked / row_sums, torch.softmax(hidden, 1)), sep="\n")

# %% causal-attention-class
class Causal(nn.Module):
    def __init__(self, width_in, width_out, context_length, dropout, qkv_bias=False):
        super().__init__()
        self.width_out = width_out
        self.W_query = nn.Linear(width_in, width_out, bias=qkv_bias)
        self.W_key = nn.Linear(width_in, width_out, bias=qkv_bias)
        self.W_value = nn.Linear(width_in, width_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))
    def forward(self, x):
        b, tokens, _ = x.shape
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        scores = q @ k.transpose(1, 2)
        scores.masked_fill_(self.mask.bool()[:tokens, :tokens], -torch.inf)
        w = self.dropout(torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1))
        return w @ v
torch.manual_seed(5)
x = torch.rand(6, 3)
batch = torch.stack((x, x), dim=0)
ca = Causal(3, 2, batch.shape[1], 0.0)
out = ca(batch)
print(batch.shape, out, out.shape, ca(batch[:, :3]), torch.allclose(out[0, 0], ca.W_value(x[0])), ca, list(ca.state_dict()), sep="\n")

# %% stacked-single-heads
class OneHead(nn.Module):
    def __init__(self, width, head_dim, longest):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(width, head_dim, bias=False) for _ in range(3))
        self.register_buffer("seen", torch.ones(longest, longest).tril() > 0)
    def forward(self, x):
        n = x.size(-2)
        q, k = self.query(x), self.key(x)
        s = torch.einsum("bqd,bkd->bqk", q, k).div_(q.size(-1) ** 0.5)
        return s.masked_fill(~self.seen[:n, :n], float("-inf")).softmax(dim=-1) @ self.value(x)
class Beside(nn.Module):
    def __init__(self, num_heads, *sizes):
        super().__init__()
        self.heads = nn.ModuleList(OneHead(*sizes) for _ in range(num_heads))
    def forward(self, x):
        return torch.cat([head(x) for head in self.heads], dim=-1)
torch.manual_seed(123)
w = Beside(2, 3, 2, 4)
x = torch.rand(2, 4, 3)
print(w, w(x), w(x).shape, sum(p.numel() for p in w.parameters()), sep="\n")

# %% split-heads-class
class MultiHead(nn.Module):
    def __init__(self, d_in, d_out, context, num_heads, qkv_bias=False):
        super().__init__()
        assert d_out % num_heads == 0, "heads must divide the width"
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("mask", torch.triu(torch.ones(context, context), diagonal=1), persistent=False)
    def forward(self, x):
        b, t, _ = x.shape
        split = lambda y: y.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        q, k, v = split(self.W_query(x)), split(self.W_key(x)), split(self.W_value(x))
        scores = q @ k.transpose(2, 3)
        scores.masked_fill_(self.mask.bool()[:t, :t], -torch.inf)
        w = torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1)
        y = (w @ v).transpose(1, 2).contiguous().view(b, t, -1)
        return self.out_proj(y)
torch.manual_seed(123)
m = MultiHead(3, 4, 5, 2)
x = torch.rand(2, 5, 3)
y = m(x)
print(y, y.shape, m(x[:1, :2]), list(m.state_dict()), sep="\n")
try:
    MultiHead(3, 5, 5, 2)
except AssertionError as e:
    print(e)

# %% batched-matrix-products-over-heads
a = torch.arange(1, 25.).view(1, 2, 3, 4) / 10
print(a @ a.transpose(2, 3))
for head in a[0]:
    print(head @ head.T)
print(torch.equal((a @ a.mT)[0, 1], a[0, 1] @ a[0, 1].T), torch.equal(a @ a.mT, torch.einsum("bhqd,bhkd->bhqk", a, a)))

# %% combined-projection
class Combined(nn.Module):
    def __init__(self, d, heads, context):
        super().__init__()
        self.heads, self.hd = heads, d // heads
        self.qkv = nn.Linear(d, 3 * d, bias=False)
        self.proj = nn.Linear(d, d)
        self.register_buffer("mask", torch.triu(torch.ones(context, context, dtype=torch.bool), 1))
    def forward(self, x):
        b, t, d = x.shape
        qkv = self.qkv(x).view(b, t, 3, self.heads, self.hd).permute(2, 0, 3, 1, 4)
        q, k, v = qkv
        w = (q @ k.transpose(-2, -1) * self.hd ** -0.5).masked_fill(self.mask[:t, :t], float("-inf")).softmax(-1)
        return self.proj((w @ v).transpose(1, 2).reshape(b, t, d)), w
torch.manual_seed(1)
m = Combined(4, 2, 6)
y, w = m(torch.rand(1, 3, 4))
print(m, y, w, w.sum(-1), sep="\n")

# %% einsum-attention-class
class Einsum(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.wq = nn.Parameter(torch.randn(heads, d, d // heads) / d ** 0.5)
        self.wk = nn.Parameter(torch.randn(heads, d, d // heads) / d ** 0.5)
        self.wv = nn.Parameter(torch.randn(heads, d, d // heads) / d ** 0.5)
    def forward(self, x):
        q, k, v = (torch.einsum("btd,hdk->bhtk", x, w) for w in (self.wq, self.wk, self.wv))
        s = torch.einsum("bhqk,bhmk->bhqm", q, k) / q.shape[-1] ** 0.5
        t = x.shape[1]
        s = s.masked_fill(~torch.tril(torch.ones(t, t, dtype=torch.bool)), -torch.inf)
        return torch.einsum("bhqm,bhmk->bqhk", torch.softmax(s, -1), v).flatten(2)
torch.manual_seed(2)
m = Einsum(4, 2)
x = torch.randn(1, 3, 4)
print(m(x), m, [tuple(p.shape) for p in m.parameters()], sep="\n")

# %% three-implementations-agree
torch.manual_seed(3)
b, t, h, d = 2, 4, 2, 3
x = torch.randn(b, t, h * d)
wq, wk, wv = (torch.randn(h * d, h * d) / 3 for _ in range(3))
q, k, v = ((x @ w).view(b, t, h, d).transpose(1, 2) for w in (wq, wk, wv))
mask = torch.ones(t, t).tril().bool()
one = (q @ k.mT / d ** 0.5).masked_fill(~mask, -torch.inf).softmax(-1) @ v
two = F.scaled_dot_product_attention(q, k, v, is_causal=True)
three = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
four = torch.stack([torch.stack([F.softmax((q[i, j] @ k[i, j].T / d ** 0.5).masked_fill(~mask, -torch.inf), -1) @ v[i, j] for j in range(h)]) for i in range(b)])
print([torch.allclose(one, o, atol=1e-6) for o in (two, three, four)], one[0, 0], one.shape)

# %% sdpa-class-with-eval
class Sdpa(nn.Module):
    def __init__(self, d, heads, dropout=0.1):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.qkv = nn.Linear(d, 3 * d)
        self.proj = nn.Linear(d, d)
    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).split(d, dim=-1)
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=self.dropout if self.training else 0.0, is_causal=True)
        return self.proj(y.transpose(1, 2).contiguous().view(b, t, d))
torch.manual_seed(4)
m = Sdpa(4, 2).eval()
with torch.no_grad():
    print(m(torch.rand(1, 3, 4)), m, m.training, sep="\n")

# %% mha-module-causal
torch.manual_seed(5)
t = 4
mha = nn.MultiheadAttention(embed_dim=6, num_heads=3, dropout=0.0, bias=True, batch_first=True)
mha.register_buffer("mask", torch.triu(torch.ones(t, t), diagonal=1).bool())
x = torch.rand(2, t, 6)
y, w = mha(x, x, x, attn_mask=mha.mask, need_weights=True)
print(y.shape, w, y[0, 0], sep="\n")

# %% transformer-block-eval
class Block(nn.Module):
    def __init__(self, d, heads, drop):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.att = nn.MultiheadAttention(d, heads, dropout=drop, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(drop))
    def forward(self, x):
        t = x.shape[1]
        mask = torch.triu(torch.ones(t, t, dtype=torch.bool), diagonal=1)
        h = self.ln1(x)
        x = x + self.att(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.mlp(self.ln2(x))
torch.manual_seed(6)
b = Block(4, 2, 0.1).eval()
x = torch.rand(1, 3, 4)
with torch.no_grad():
    print(b(x), b, sep="\n")

# %% small-gpt-greedy
class Gpt(nn.Module):
    def __init__(self, vocab, d, n, layers):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(n, d)
        self.blocks = nn.Sequential(*[nn.Sequential(nn.LayerNorm(d), nn.Linear(d, d), nn.GELU()) for _ in range(layers)])
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, vocab, bias=False)
    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.blocks(x)))
torch.manual_seed(123)
g = Gpt(11, 8, 6, 2).eval()
ids = torch.tensor([[3, 1, 4]])
with torch.no_grad():
    for _ in range(3):
        logits = g(ids)[:, -1, :]
        ids = torch.cat((ids, torch.softmax(logits, dim=-1).argmax(dim=-1, keepdim=True)), dim=1)
print(ids, logits, g, sum(p.numel() for p in g.parameters()), sep="\n")

# %% loss-of-a-bigram-model
torch.manual_seed(23)
class NextWord(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.scores = nn.Embedding(words, words)
    def loss(self, ids):
        logits = self.scores(ids[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
    def forward(self, ids):
        return self.scores(ids)
m = NextWord(5)
ids = torch.tensor([[0, 1, 2, 3], [3, 4, 0, 1]])
loss = m.loss(ids)
print(m(ids).shape, loss, f"{loss.item():.4f}", loss.exp(), m.scores.weight[0], -torch.log(torch.tensor(1 / 5)), m)

# %% averaging-the-past
torch.manual_seed(31)
tokens = 4
x = torch.randn(2, tokens, 3)
running = x.cumsum(dim=1) / torch.arange(1, tokens + 1).view(-1, 1)
lower = torch.ones(tokens, tokens).tril()
even = lower / lower.sum(dim=1, keepdim=True)
hidden = torch.zeros(tokens, tokens).masked_fill(lower == 0, float("-inf"))
print(x[0], running[0], even, torch.allclose(running, even @ x, atol=1e-6), torch.allclose(even, F.softmax(hidden, dim=-1)), (hidden.softmax(1) @ x)[1], sep="\n")

# %% scaled-scores-have-unit-variance
torch.manual_seed(18)
for width in (4, 64, 256):
    q, k = torch.randn(10, width), torch.randn(10, width)
    dots = q @ k.T
    print(f"{width:4d} {dots.var().item():9.3f} {(dots / width ** 0.5).var().item():.3f} {torch.softmax(dots, -1).amax(-1).mean().item():.3f}")
x = torch.tensor([0.2, 0.9, -0.4])
print(torch.softmax(x, dim=-1), torch.softmax(x * 10, dim=-1))

# %% grouped-query-attention
torch.manual_seed(9)
b, t, hq, hk, d = 1, 3, 4, 2, 2
q, k, v = torch.randn(b, hq, t, d), torch.randn(b, hk, t, d), torch.randn(b, hk, t, d)
k2, v2 = (y.repeat_interleave(hq // hk, dim=1) for y in (k, v))
y = torch.softmax(q @ k2.mT / d ** 0.5, -1) @ v2
print(y, torch.allclose(y, F.scaled_dot_product_attention(q, k, v, enable_gqa=True), atol=1e-6), k2.shape)

# %% attention-map-with-words
words = ["the", "cat", "sat"]
torch.manual_seed(0)
e = torch.rand(3, 4)
w = torch.softmax(e @ e.T, dim=-1)
print(" " * 6 + "".join(f"{c:>8}" for c in words))
for name, row in zip(words, w):
    print(f"{name:>6}" + "".join(f"{v:8.3f}" for v in row.tolist()) + f"   most: {words[row.argmax()]}")

# %% streaming-softmax
x = torch.tensor([1.0, 3.0, -2.0, 5.0, 0.5])
v = torch.arange(10.).view(5, 2)
m, l, acc = torch.tensor(-torch.inf), torch.tensor(0.0), torch.zeros(2)
for s, row in zip(x, v):
    new = torch.maximum(m, s)
    scale = torch.exp(m - new)
    l = l * scale + torch.exp(s - new)
    acc = acc * scale + torch.exp(s - new) * row
    m = new
print(acc / l, torch.softmax(x, 0) @ v, l.log() + m, x.logsumexp(0))

# %% parameters-of-a-real-size
cfg = {"emb_dim": 768, "n_heads": 12, "context_length": 1024, "qkv_bias": False}
d = cfg["emb_dim"]
mods = nn.ModuleDict({n: nn.Linear(d, d, bias=cfg["qkv_bias"]) for n in ("q", "k", "v")} | {"out": nn.Linear(d, d)})
print(mods, f"{sum(p.numel() for p in mods.parameters()):,}", d // cfg["n_heads"], f"{sum(p.numel() * p.element_size() for p in mods.parameters()) / 1024 ** 2:.2f} MB", sep="\n")
