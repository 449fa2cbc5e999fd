# %% softmax, cross entropy and its gradient
import numpy as np

np.set_printoptions(precision=4, suppress=True)

def softmax(x, axis=-1, temperature=1.0):
    x = np.asarray(x, dtype=np.float64) / temperature
    x = x - np.max(x, axis=axis, keepdims=True)
    e = np.exp(x)
    return e / np.sum(e, axis=axis, keepdims=True)

def log_softmax(x, axis=-1):
    m = x.max(axis=axis, keepdims=True)
    return x - m - np.log(np.sum(np.exp(x - m), axis=axis, keepdims=True))

def cross_entropy(logits, targets, eps=1e-12):
    p = softmax(logits)
    n = logits.shape[0]
    return -np.mean(np.log(p[np.arange(n), targets] + eps))

logits = np.array([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3], [1000.0, 1000.0, 999.0], [-1e9, 0.0, 0.0]])
for t in (0.5, 1.0, 2.0, 10.0):
    print(f"T={t:>4}:", softmax(logits[0], temperature=t))
print(softmax(logits))
print(softmax(logits, axis=0).sum(axis=0))
print(log_softmax(logits))
targets = np.array([0, 1, 2, 1])
print("loss", cross_entropy(logits, targets))
onehot = np.eye(3)[targets]
print(onehot)
grad = (softmax(logits) - onehot) / len(targets)
print(grad)
# numerical check
num = np.zeros_like(logits)
h = 1e-5
it = [(i, j) for i in range(2) for j in range(3)]
for i, j in it:
    up, down = logits.copy(), logits.copy()
    up[i, j] += h
    down[i, j] -= h
    num[i, j] = (cross_entropy(up, targets) - cross_entropy(down, targets)) / (2 * h)
print(np.allclose(num[:2], grad[:2], atol=1e-6), np.abs(num[:2] - grad[:2]).max() < 1e-6)
entropy = -(softmax(logits) * np.log(softmax(logits) + 1e-12)).sum(-1)
print("entropy:", entropy, entropy.dtype, entropy.argsort()[::-1])
print("perplexity", np.exp(entropy).round(3).tolist())
top = np.argsort(-softmax(logits[1]))[:2]
print(top, softmax(logits[1])[top])
j = np.diag(softmax(logits[0])) - np.outer(softmax(logits[0]), softmax(logits[0]))
print(j, np.isclose(j.sum(), 0))
with np.errstate(divide="ignore"):
    print(np.log(np.array([0.0, 1.0])))
print(np.nan_to_num(np.log(softmax(np.array([-np.inf, 0.0, 0.0])) + 0), neginf=-99.0))

# %% heads in a class
import numpy as np
np.random.seed(42)

class MultiHeadAttention:
    def __init__(self, d_model, num_heads):
        assert d_model % num_heads == 0
        self.d_model, self.num_heads = d_model, num_heads
        self.d_k = d_model // num_heads
        limit = np.sqrt(6 / (d_model + d_model))
        self.W_q = np.random.uniform(-limit, limit, (d_model, d_model))
        self.W_k = np.random.uniform(-limit, limit, (d_model, d_model))
        self.W_v = np.random.uniform(-limit, limit, (d_model, d_model))
        self.W_o = np.random.uniform(-limit, limit, (d_model, d_model))

    def split(self, x):
        b, t, _ = x.shape
        return x.reshape(b, t, self.num_heads, self.d_k).transpose(0, 2, 1, 3)

    def __call__(self, q, k, v, mask=None):
        Q, K, V = self.split(q @ self.W_q), self.split(k @ self.W_k), self.split(v @ self.W_v)
        scores = np.matmul(Q, K.swapaxes(-1, -2)) / np.sqrt(self.d_k)
        if mask is not None:
            scores = np.where(mask, scores, -1e9)
        w = np.exp(scores - scores.max(-1, keepdims=True))
        w /= w.sum(-1, keepdims=True)
        out = np.einsum("bhqk,bhkd->bhqd", w, V)
        b, h, t, d = out.shape
        out = out.transpose(0, 2, 1, 3).reshape(b, t, h * d)
        return out @ self.W_o, w

def layer_norm(x, gamma, beta, eps=1e-5):
    mu = x.mean(-1, keepdims=True)
    var = x.var(-1, keepdims=True)
    return gamma * (x - mu) / np.sqrt(var + eps) + beta

def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * np.power(x, 3))))

x = np.random.randn(2, 5, 8)
mask = np.tril(np.ones((5, 5), dtype=bool))
mha = MultiHeadAttention(8, 2)
y, w = mha(x, x, x, mask)
print(y.shape, w.shape)
print(np.round(w[0, 0], 3))
print(y[0])
print(w.sum(axis=-1).ravel()[:6], np.allclose(w.sum(-1), 1.0))
z = layer_norm(x + y, np.ones(8), np.zeros(8))
print(z.mean(axis=-1).round(6) + 0.0, z.std(-1).round(3))
print(gelu(z[1]))
pad = np.array([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]])
combined = mask[None, None] & (pad[:, None, None, :] == 1)
print(combined.shape, combined.dtype, combined[0, 0].astype(int))
y2, w2 = mha(x, x, x, combined)
print(w2[0, 1])
rel = np.arange(5)[:, None] - np.arange(5)[None, :]
slopes = 2.0 ** (-8.0 * np.arange(1, 3) / 2)
alibi = -slopes[:, None, None] * np.abs(rel)
print(alibi)
cache_k = np.empty((2, 0, 8))
for t in range(3):
    cache_k = np.concatenate([cache_k, x[:, t : t + 1] @ mha.W_k], axis=1)
print(cache_k.shape, np.array_equal(cache_k, x[:, :3] @ mha.W_k) or np.allclose(cache_k, x[:, :3] @ mha.W_k))
print("max", w.max(), "at", np.unravel_index(w.argmax(), w.shape), "mean %.4f" % w.mean())
print(f"{y.min():.4f} {y.max():.4f} {y.nbytes} bytes", repr(y[0, 0, 0]), y.flags["C_CONTIGUOUS"])

# %% positions, added and rotated
import numpy as np

def positional_encoding(max_len, d_model):
    pos = np.arange(max_len)[:, np.newaxis]
    i = np.arange(d_model)[np.newaxis, :]
    angle_rates = 1 / np.power(10000, (2 * (i // 2)) / np.float32(d_model))
    angles = pos * angle_rates
    angles[:, 0::2] = np.sin(angles[:, 0::2])
    angles[:, 1::2] = np.cos(angles[:, 1::2])
    return angles[np.newaxis, ...]

pe = positional_encoding(10, 6)
print(pe.shape, pe.dtype)
print(pe)
print(pe[0, :3].tolist())
print(np.round(pe[0] @ pe[0].T, 2))

def rope_cache(seq, dim, base=10000.0):
    theta = base ** (-np.arange(0, dim, 2) / dim)
    freqs = np.outer(np.arange(seq), theta)
    return np.cos(freqs), np.sin(freqs)

def rotate(x, cos, sin):
    x1, x2 = x[..., ::2], x[..., 1::2]
    out = np.empty_like(x)
    out[..., ::2] = x1 * cos - x2 * sin
    out[..., 1::2] = x1 * sin + x2 * cos
    return out

rng = np.random.default_rng(0)
q = rng.standard_normal((4, 6))
k = rng.standard_normal((4, 6))
cos, sin = rope_cache(4, 6)
print(cos.dtype, cos)
rq, rk = rotate(q, cos, sin), rotate(k, cos, sin)
print(rq)
print(np.linalg.norm(q, axis=-1), np.linalg.norm(rq, axis=-1))
zq = (q[:, ::2] + 1j * q[:, 1::2]) * np.exp(1j * np.outer(np.arange(4), 10000.0 ** (-np.arange(0, 6, 2) / 6)))
print(zq.shape, zq.dtype)
print(np.stack([zq.real, zq.imag], axis=-1).reshape(4, 6))
print(np.allclose(np.stack([zq.real, zq.imag], -1).reshape(4, 6), rq, atol=1e-5))
print(zq[0], np.abs(zq[1]), np.angle(zq[2], deg=True))
def score(m, n):
    c, s = rope_cache(32, 6)
    return rotate(q[:1], c[m : m + 1], s[m : m + 1]) @ rotate(k[:1], c[n : n + 1], s[n : n + 1]).T
print(*[f"{score(m, m + 3).item():.4f}" for m in range(0, 20, 5)])
wavelengths = 2 * np.pi * 10000 ** (np.arange(0, 8, 2) / 8)
print(wavelengths)
print(np.log10(wavelengths), np.logspace(0, 3, 4))
mean_d = [np.linalg.norm(pe[0][0] - pe[0][j]) for j in range(10)]
print(mean_d)
print(np.array2string(np.array(mean_d), precision=2, separator=", "))
bins = np.searchsorted([1, 2, 4], np.abs(np.arange(6)[:, None] - np.arange(6)), "right")
print(bins)

# %% words to numbers
import numpy as np

text = "the quick brown fox jumps over the lazy dog the end"
words = np.array(text.split())
vocab, inverse, counts = np.unique(words, return_inverse=True, return_counts=True)
print(vocab, vocab.dtype, vocab.shape)
print(inverse)
print(dict(zip(vocab.tolist(), counts.tolist())))
onehot = np.zeros((len(words), len(vocab)), dtype=int)
onehot[np.arange(len(words)), inverse] = 1
print(onehot)
print(np.argmax(onehot, axis=1) == inverse)
print(vocab[np.argmax(onehot, axis=1)])
order = np.argsort(counts)[::-1]
for w, c in zip(vocab[order][:3], counts[order][:3]):
    print(w, c, type(c))
labels = np.array(["cat", "dog", "bird", "cat"])
classes = np.array(sorted(set(labels)))
print(labels == "cat", (labels == "cat").sum(), classes)
ids = np.array([np.where(classes == l)[0][0] for l in labels])
print(ids, np.eye(len(classes), dtype=np.float32)[ids])
print(labels[ids > 0], labels[[0, -1]], labels[1:3], labels[::-1])
print(labels.tolist(), list(labels), labels.size, len(labels), labels.ndim)
for i, l in enumerate(labels):
    print(i, l, len(l), l.upper())
print(repr(words))
print(repr(labels), repr(labels[0]), str(labels[0]))
print("dog" in labels, labels[1] == "dog", np.unique(labels))
chars = np.array(list("attention"))
print(chars, np.unique(chars, return_counts=True))
c2i = {c: i for i, c in enumerate(np.unique(chars))}
encoded = np.array([c2i[c] for c in chars])
print(encoded, encoded.dtype)
print(np.array([["a", "b"], ["c", "d"]]).shape, np.array([["a", "b"], ["c", "d"]])[:, 0])
freq = np.bincount(encoded, minlength=7)
print(freq, freq / freq.sum())
print(np.array(["2024-01-01", "2024-01-02"]))
embedding = np.random.RandomState(0).randn(len(vocab), 4)
print((onehot @ embedding == embedding[inverse]).all(), np.allclose(onehot @ embedding, embedding[inverse]))

# %% a network trained by hand
import numpy as np

rng = np.random.RandomState(1)

class Linear:
    def __init__(self, n_in, n_out):
        self.W = rng.randn(n_in, n_out) * np.sqrt(2.0 / n_in)
        self.b = np.zeros(n_out)

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, d):
        self.dW = self.x.T @ d
        self.db = d.sum(axis=0)
        return d @ self.W.T

class ReLU:
    def forward(self, x):
        self.mask = x > 0
        return x * self.mask

    def backward(self, d):
        return d * self.mask

class Adam:
    def __init__(self, params, lr=1e-2, b1=0.9, b2=0.999, eps=1e-8):
        self.params, self.lr, self.b1, self.b2, self.eps, self.t = params, lr, b1, b2, eps, 0
        self.m = [np.zeros_like(p) for p in params]
        self.v = [np.zeros_like(p) for p in params]

    def step(self, grads):
        self.t += 1
        for i, (p, g) in enumerate(zip(self.params, grads)):
            self.m[i] = self.b1 * self.m[i] + (1 - self.b1) * g
            self.v[i] = self.b2 * self.v[i] + (1 - self.b2) * g**2
            mh = self.m[i] / (1 - self.b1**self.t)
            vh = self.v[i] / (1 - self.b2**self.t)
            p -= self.lr * mh / (np.sqrt(vh) + self.eps)

n = 60
t = np.linspace(0, 2 * np.pi, n)
X = np.column_stack([np.cos(t), np.sin(t)]) * np.repeat([1.0, 2.0, 3.0], n // 3)[:, None] + 0.1 * rng.randn(n, 2)
y = np.repeat(np.arange(3), n // 3)
perm = rng.permutation(n)
X, y = X[perm], y[perm]
X = (X - X.mean(0)) / X.std(0)
print(X[:3], y[:10])
l1, act, l2 = Linear(2, 16), ReLU(), Linear(16, 3)
opt = Adam([l1.W, l1.b, l2.W, l2.b])
history = []
for epoch in range(60):
    idx = rng.permutation(n)
    total = 0.0
    for start in range(0, n, 20):
        batch = idx[start : start + 20]
        xb, yb = X[batch], y[batch]
        logits = l2.forward(act.forward(l1.forward(xb)))
        logits -= logits.max(axis=1, keepdims=True)
        p = np.exp(logits)
        p /= p.sum(axis=1, keepdims=True)
        loss = -np.log(p[range(len(yb)), yb]).mean()
        total += loss * len(yb)
        d = p.copy()
        d[range(len(yb)), yb] -= 1
        d /= len(yb)
        l1.backward(act.backward(l2.backward(d)))
        norm = np.sqrt(sum((g**2).sum() for g in (l1.dW, l1.db, l2.dW, l2.db)))
        scale = min(1.0, 1.0 / (norm + 1e-6))
        opt.step([g * scale for g in (l1.dW, l1.db, l2.dW, l2.db)])
    history.append(total / n)
    if epoch % 10 == 0:
        print(f"epoch {epoch:3d} loss {total / n:.4f} |g| {norm:.3f}")
pred = np.argmax(l2.forward(act.forward(l1.forward(X))), axis=1)
print("accuracy", (pred == y).mean(), np.mean(pred == y), np.count_nonzero(pred == y))
cm = np.zeros((3, 3), dtype=np.int64)
np.add.at(cm, (y, pred), 1)
print(cm, np.trace(cm) / cm.sum())
print(np.array(history)[::15].round(4), np.diff(history)[:3].round(4))
print("smoothed", np.convolve(history, np.ones(5) / 5, mode="valid")[:4].round(4))
params = {"W1": l1.W, "b1": l1.b}
for k, v in params.items():
    print(k, v.shape, f"{np.linalg.norm(v):.4f}", v.dtype)
print(sum(p.size for p in opt.params))

# %% what a heat map shows
import numpy as np

np.random.seed(3)
np.set_printoptions(precision=3, suppress=True, linewidth=100)
tokens = ["The", "cat", "sat", "on", "the", "mat"]
n = len(tokens)
scores = np.random.normal(size=(n, n))
mask = np.triu(np.ones((n, n)), k=1)
scores[mask == 1] = -np.inf
weights = np.exp(scores) / np.exp(scores).sum(axis=1)[:, None]
print(weights)
print("      " + " ".join(f"{t:>5}" for t in tokens))
for t, row in zip(tokens, weights):
    print(f"{t:>5} " + " ".join(f"{v:5.2f}" if v > 0 else "    ." for v in row))
levels = " .:-=+*#%@"
for row in weights:
    print("".join(levels[int(min(v, 0.999) * len(levels))] * 2 for v in row))
norm = (weights - weights.min()) / (weights.max() - weights.min())
img = (norm * 255).astype(np.uint8)
print(img, img.dtype)
i, j = np.unravel_index(np.argmax(weights - np.eye(n)), weights.shape)
print(tokens[i], "->", tokens[j], i, j, type(i))
heads = np.random.rand(2, n, n)
heads /= heads.sum(-1, keepdims=True)
avg = heads.mean(axis=0)
print(avg)
rollout = np.eye(n)
for h in heads:
    a = 0.5 * h + 0.5 * np.eye(n)
    a = a / a.sum(axis=-1, keepdims=True)
    rollout = a @ rollout
print(rollout, rollout.sum(axis=1))
distance = (heads * np.abs(np.subtract.outer(np.arange(n), np.arange(n)))).sum((-1, -2)) / n
print("mean distance", distance)
h, edges = np.histogram(weights[weights > 0], bins=5, range=(0, 1))
print(h, edges)
for count, lo, hi in zip(h, edges[:-1], edges[1:]):
    print(f"{lo:.1f}-{hi:.1f} | {'#' * count}")
grid = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(0, 1, 2))
print(grid[0], grid[1], sep="\n")
z = np.hypot(*grid)
print(z, z[::-1, ::-1], np.flipud(z), sep="\n")
print(np.percentile(weights, [25, 50, 75]), np.median(weights), np.quantile(weights[-1], 0.9))
masked = np.where(np.tril(np.ones_like(weights)) > 0, weights, np.nan)
print(masked[:3], masked[~np.isnan(masked)].mean(), np.isnan(masked).sum())
big = weights[:2, :2].repeat(2, axis=0).repeat(2, axis=1)
print(big, big.shape)
print(np.repeat(np.repeat(img[:2, :2], 2, axis=0), 2, axis=1))
print(np.vstack([img[0], img[1]]), np.hstack([img[:2, :1], img[:2, 1:2]]))

# %% days and labels
import numpy as np
from datetime import date, timedelta

days = [date(2024, 1, 1) + timedelta(days=i) for i in range(7)]
names = np.array([d.strftime("%a") for d in days])
values = np.array([3.2, 4.1, 2.8, 5.0, 4.4, 6.1, 5.9])
print(names)
for n, v in zip(names, values):
    print(f"{n}: {'*' * int(v)} {v}")
weekend = (names == "Sat") | (names == "Sun")
print(weekend, values[weekend].mean(), values[~weekend].mean().round(2))
best = names[np.argmax(values)]
print("best:", best, type(best), isinstance(best, str))
print(names[values.argsort()], names[np.argsort(-values)[:3]])
iso = np.array([d.isoformat() for d in days])
print(iso, iso.dtype, iso[0] < iso[1], repr(iso[-1]))
print(np.sort(np.array(["pear", "apple", "fig"])), names.reshape(-1, 1).shape)
ma = np.convolve(values, np.ones(3) / 3, "valid")
print(ma, np.cumsum(values), np.round(np.diff(values), 2))
trend = np.interp(np.linspace(0, 6, 4), np.arange(7), values)
print(trend)
print(np.corrcoef(np.arange(7), values))
t = np.arange(7)
A = np.vstack([t, np.ones(len(t))]).T
m, c = np.linalg.pinv(A) @ values
print(f"{m:.4f} {c:.4f}")
ticks = np.linspace(0, 6, 3).astype(int)
print([str(names[i]) for i in ticks], names[ticks].tolist())
table = dict(zip(names, values))
print(table["Wed"], max(table, key=table.get))
print({str(k): float(v) for k, v in table.items()})
print(",".join(names), " ".join(f"{x:.1f}" for x in values))
label = np.array(["pos" if v > 4 else "neg" for v in values])
print((label == "pos").astype(int), np.unique(label, return_counts=True), (label != "pos").any())
print(values.reshape(-1)[:6].reshape(2, 3), values.min(), values.max(), values.argmin())
print(np.allclose(values.mean(), sum(values) / len(values)), values.std(), values.var(ddof=1))
cut = np.searchsorted([3, 4, 5], values, side="right")
print(cut, np.array(["low", "mid", "high", "top"])[cut])

# %% linear regression
import numpy as np

np.random.seed(0)
X = 2 * np.random.rand(100, 1)
y = 4 + 3 * X + np.random.randn(100, 1)
X_b = np.column_stack([np.ones((100, 1)), X])
theta = np.linalg.inv(X_b.T.dot(X_b)).dot(X_b.T).dot(y)
print(theta)
print(np.linalg.solve(X_b.T @ X_b, X_b.T @ y).ravel())
X_new = np.array([[0], [2]])
print(np.column_stack([np.ones((2, 1)), X_new]).dot(theta))
eta, w = 0.1, np.random.randn(2, 1)
losses = []
for it in range(1000):
    r = X_b.dot(w) - y
    losses.append(float((r**2).mean()))
    w = w - eta * 2 / 100 * X_b.T.dot(r)
print(w, losses[0], losses[-1])
w = np.zeros((2, 1))
for epoch in range(5):
    for i in range(100):
        k = np.random.randint(100)
        xi, yi = X_b[k : k + 1], y[k : k + 1]
        w -= 5 / (epoch * 100 + i + 50) * 2 * xi.T @ (xi @ w - yi)
print(w.T)
pred = X_b @ theta
ss_res, ss_tot = ((y - pred) ** 2).sum(), ((y - y.mean()) ** 2).sum()
print("R2", 1 - ss_res / ss_tot, "RMSE", np.sqrt(ss_res / len(y)))
print("cov", np.cov(X.ravel(), y.ravel()), np.corrcoef(X.T, y.T)[0, 1])
U, S, Vt = np.linalg.svd(X_b, full_matrices=False)
print(S, np.linalg.matrix_rank(X_b), (U * S @ Vt - X_b).max() < 1e-12)
print(np.linalg.det(X_b.T @ X_b).round(6), np.trace(X_b.T @ X_b).round(8))
print(np.linalg.norm(theta).round(8), np.linalg.norm(X_b, ord="fro").round(8), np.linalg.norm(X_b, axis=0))
phi = np.hstack([X**p for p in range(4)])
ridge = np.linalg.solve(phi.T @ phi + 0.1 * np.eye(4), phi.T @ y)
print(phi[:2], ridge.flatten())
idx = np.arange(100)
np.random.shuffle(idx)
folds = np.array_split(idx, 3)
print([len(f) for f in folds], folds[0][:5])
for f in folds:
    tr = idx[np.isin(idx, f, invert=True)]
    b = np.linalg.pinv(X_b[tr]) @ y[tr]
    print(round(float(np.mean((X_b[f] @ b - y[f]) ** 2)), 4), b.ravel())
def kernel(a, b, h=0.3):
    return np.exp(-((a[:, None] - b[None, :]) ** 2) / (2 * h**2))
q = np.linspace(0, 2, 5)
k = kernel(q, X[:, 0])
att = k / k.sum(1, keepdims=True)
print(att @ y[:, 0], att.shape, att.sum(1))
print(np.sort(X[:, 0])[:3], X[:, 0].argsort()[:3], np.median(y), np.percentile(y, 90))
print(y[:3].T, y.shape, y[0], y[0, 0], y.squeeze()[:2], float(y[5, 0]))
vals, vecs = np.linalg.eigh(np.cov(X_b[:, 1], y[:, 0]))
print(vals, np.abs(vecs))

# %% images to patches
import numpy as np

img = np.arange(8 * 8 * 3).reshape(8, 8, 3).astype(np.float32) / 191
p = 4
h, w, c = img.shape
patches = img.reshape(h // p, p, w // p, p, c).transpose(0, 2, 1, 3, 4).reshape(-1, p * p * c)
print(patches.shape, patches.dtype, patches[:, :4])
back = patches.reshape(h // p, w // p, p, p, c).swapaxes(1, 2).reshape(h, w, c)
print(np.array_equal(back, img), (back == img).all())
rng = np.random.default_rng(7)
W = rng.normal(0, 0.02, (p * p * c, 6)).astype("float32")
emb = patches @ W
cls = np.zeros((1, 6), dtype=np.float32)
x = np.concatenate((cls, emb), axis=0)
print(x.shape, x.dtype)
print(np.round(x, 4))
grey = img @ np.array([0.299, 0.587, 0.114])
print(grey.shape, grey.dtype, grey[:2, :3])
def im2col(a, k, stride=1, pad=0):
    a = np.pad(a, pad, mode="constant")
    n = (a.shape[0] - k) // stride + 1
    return np.array([[a[i * stride : i * stride + k, j * stride : j * stride + k].ravel() for j in range(n)] for i in range(n)])
cols = im2col(grey, 3, 2, 1)
print(cols.shape, cols[0, 0])
sobel = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
print((cols @ sobel.ravel()).round(3))
pool = grey.reshape(4, 2, 4, 2).max(axis=(1, 3))
print(pool, pool.mean().round(10))
print(np.pad(np.arange(6).reshape(2, 3), ((1, 1), (2, 0)), constant_values=7))
print(np.pad([1, 2], 1, constant_values=9), np.pad(1.5 * np.ones((1, 2, 1)), 1))
chw = np.moveaxis(img, -1, 0)
print(chw.shape, chw.strides, np.ascontiguousarray(chw).strides, chw[0, :2, :2])
mean, std = img.mean(axis=(0, 1)), img.std(axis=(0, 1))
print(mean, std, ((img - mean) / std).mean(axis=(0, 1)).round(5) + 0)
u8 = (img * 255).round().astype(np.uint8)
print(u8[0, :3], u8.dtype, u8.max(), u8.sum(), (u8 + 100)[7, 7], u8.astype(int).sum())
flipped = img[:, ::-1]
print(flipped[0, 0], np.fliplr(img)[0, 0])
crop = img[2:6, 2:6]
crop[...] = 0
print(img[3, 3], img[:, :, 0].sum(), np.count_nonzero(img == 0))
keep = rng.permutation(4)[:3]
mask = np.ones(4, bool)
mask[keep] = False
print(keep, mask, patches[~mask].shape, np.flatnonzero(mask))
print(np.tile(np.eye(2, dtype=int), (2, 2)), np.roll(np.arange(6).reshape(2, 3), 1, axis=1))
ys, xs = np.indices((2, 3))
print(ys, xs, np.stack([ys, xs], axis=-1).shape)
pos = np.stack(np.meshgrid(np.arange(2), np.arange(2), indexing="ij"), axis=-1).reshape(-1, 2)
print(pos, np.abs(pos[:, None] - pos[None]).sum(-1))
d = np.sqrt(((patches[:, None] - patches[None]) ** 2).sum(-1))
print(d, np.argsort(d, axis=1)[:, 1])
print(np.expand_dims(img, 0).shape, img[None, ..., None].shape, np.squeeze(img[:1]).shape, np.atleast_2d(mean).shape)

# %% beams and samples
import numpy as np

rng = np.random.default_rng(123)
V = 6
vocab = np.array(["<s>", "</s>", "a", "b", "c", "d"])
T = rng.random((V, V))
T[:, 0] = 0
T = T / T.sum(axis=1, keepdims=True)
logT = np.log(np.where(T > 0, T, 1e-300))
print(np.round(T, 3))

def greedy(start, steps):
    out = [start]
    for _ in range(steps):
        out.append(int(np.argmax(T[out[-1]])))
        if out[-1] == 1:
            break
    return out

def beam_search(start, steps, k=3, alpha=0.7):
    beams = [([start], 0.0)]
    done = []
    for _ in range(steps):
        cand = []
        for seq, s in beams:
            lp = logT[seq[-1]]
            for tok in np.argsort(lp)[::-1][:k]:
                cand.append((seq + [int(tok)], s + lp[tok]))
        cand.sort(key=lambda c: -c[1])
        beams = []
        for seq, s in cand:
            (done if seq[-1] == 1 else beams).append((seq, s))
            if len(beams) == k:
                break
    done += beams
    return sorted(done, key=lambda c: c[1] / len(c[0]) ** alpha, reverse=True)

print([str(vocab[i]) for i in greedy(0, 5)], vocab[greedy(0, 5)])
for seq, s in beam_search(0, 4)[:5]:
    print(" ".join(vocab[seq]), f"{s:.4f}", seq, round(s, 6))
print(beam_search(0, 2)[0])

def sample(p, temperature=1.0, top_k=None, top_p=None):
    logits = np.log(p + 1e-20) / temperature
    if top_k is not None:
        kth = np.sort(logits)[-top_k]
        logits = np.where(logits < kth, -np.inf, logits)
    q = np.exp(logits - logits.max())
    q = q / q.sum()
    if top_p is not None:
        order = np.argsort(q)[::-1]
        cum = np.cumsum(q[order])
        cut = np.searchsorted(cum, top_p) + 1
        keep = np.zeros_like(q, dtype=bool)
        keep[order[:cut]] = True
        q = np.where(keep, q, 0)
        q /= q.sum()
    return rng.choice(len(q), p=q), q

for kw in ({}, {"temperature": 0.5}, {"top_k": 2}, {"top_p": 0.6}, {"temperature": 2.0, "top_k": 3}):
    tok, q = sample(T[2], **kw)
    print(kw, vocab[tok], q.round(3), type(tok))
np.random.seed(5)
print(np.random.choice(V, 5, p=T[3]), np.random.choice(vocab, 3), np.random.choice(["x", "y"], size=4))
print(rng.integers(0, V, 4), rng.choice(5, 3, replace=False))
beams = np.full((2, 3), -np.inf)
beams[:, 0] = 0
step = beams[:, :, None] + logT[None, :3]
flat = step.reshape(2, -1)
top = np.argpartition(-flat, 3, axis=1)[:, :3]
top = np.sort(top, axis=1)
print(top // V, top % V, np.take_along_axis(flat, top, axis=1))
lengths = np.array([3, 5, 2])
penalty = ((5 + lengths) / 6) ** 0.6
print(penalty, (np.array([-1.0, -1.5, -0.7]) / penalty).argmax())
print(-np.mean(np.log([0.2, 0.5, 0.1])), np.exp(-np.mean(np.log([0.2, 0.5, 0.1]))), np.prod([0.2, 0.5, 0.1]))
stationary = np.eye(len(T))[2]
for _ in range(50):
    stationary = stationary @ T
print(stationary, stationary @ T - stationary < 1e-8)
g = -np.log(-np.log(rng.random(V)))
print(np.argmax(logT[2] + g), g)
print(np.array([len(s) for s, _ in beam_search(0, 4)]), np.array_equal(greedy(0, 5)[:1], [0]))
