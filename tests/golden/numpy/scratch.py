# %% positional encoding
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
def get_positional_encoding(seq_len, d_model):
    pos = np.arange(seq_len)[:, np.newaxis]
    i = np.arange(d_model)[np.newaxis, :]
    angle_rates = 1 / np.power(10000, (2 * (i // 2)) / np.float32(d_model))
    angle_rads = pos * angle_rates
    angle_rads[:, 0::2] = np.sin(angle_rads[:, 0::2])
    angle_rads[:, 1::2] = np.cos(angle_rads[:, 1::2])
    return angle_rads[np.newaxis, ...]
pe = get_positional_encoding(6, 8); print(pe.shape, pe.dtype); print(pe[0, :3])

# %% block of a transformer
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
class LayerNorm:
    def __init__(self, d, eps=1e-5): self.g, self.b, self.eps = np.ones(d), np.zeros(d), eps
    def __call__(self, x):
        m = x.mean(axis=-1, keepdims=True); v = x.var(axis=-1, keepdims=True)
        return self.g * (x - m) / np.sqrt(v + self.eps) + self.b
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)
def gelu(x): return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
def linear(x, w, b): return x @ w + b
def mha(x, wqkv, wo, n_head):
    qkv = x @ wqkv
    q, k, v = map(lambda t: np.split(t, n_head, axis=-1), np.split(qkv, 3, axis=-1))
    mask = (1 - np.tri(x.shape[0], dtype=x.dtype)) * -1e10
    out = [softmax(a @ b.T / np.sqrt(a.shape[-1]) + mask) @ c for a, b, c in zip(q, k, v)]
    return np.hstack(out) @ wo
x = np.random.randn(5, 8); wqkv = np.random.randn(8, 24) * 0.1; wo = np.random.randn(8, 8) * 0.1
y = mha(LayerNorm(8)(x), wqkv, wo, 2); print(y); print(y.argmax(axis=1), np.round(y, 3)[0])

# %% training by hand
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


V, D, T = 7, 4, 20
tokens = np.random.randint(0, V, size=T)
E, W = np.random.randn(V, D) * 0.1, np.random.randn(D, V) * 0.1
for step in range(40):
    h = E[tokens[:-1]]; logits = h @ W
    p = softmax(logits); n = len(logits)
    loss = -np.log(p[np.arange(n), tokens[1:]]).mean()
    d = p.copy(); d[np.arange(n), tokens[1:]] -= 1; d /= n
    dW = h.T @ d; dh = d @ W.T
    dE = np.zeros_like(E); np.add.at(dE, tokens[:-1], dh)
    E -= 0.5 * dE; W -= 0.5 * dW
    if step % 10 == 0: print(f"step {step:3d} loss {loss:.6f} |dW| {np.linalg.norm(dW):.6f}")
print(np.unique(tokens, return_counts=True), np.bincount(tokens, minlength=V))

# %% cross entropy, one hot, accuracy
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


y_true = np.array([0, 2, 1]); onehot = np.eye(3)[y_true]; print(onehot)
probs = softmax(np.array([[2.0, 1.0, 0.1], [0.5, 0.2, 3.0], [0.1, 2.0, 0.3]]))
print(-np.sum(onehot * np.log(np.clip(probs, 1e-12, 1.0)), axis=1), (probs.argmax(1) == y_true).mean())

# %% additive attention / masks with booleans
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


lengths = np.array([2, 4, 3]); pad = np.arange(4)[None, :] >= lengths[:, None]; print(pad, pad.sum(), pad.dtype)
scores = np.random.rand(3, 4, 4); scores = np.where(pad[:, None, :], -np.inf, scores); w = softmax(scores); print(w[0], np.isnan(w).any(), w.sum(-1))

# %% rotary positions
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
def rope(x, base=10000):
    t, d = x.shape; half = d // 2
    theta = 1.0 / (base ** (np.arange(0, half) / half)); ang = np.outer(np.arange(t), theta)
    cos, sin = np.cos(ang), np.sin(ang); x1, x2 = x[:, :half], x[:, half:]
    return np.concatenate([x1 * cos - x2 * sin, x1 * sin + x2 * cos], axis=-1)
print(rope(np.ones((3, 6))))
z = np.ones((3, 2)) * np.exp(1j * np.outer(np.arange(3), [1.0, 0.1])); print(z, np.abs(z), z.real.dtype)

# %% batched heads by reshape/transpose/einsum
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


B, H, Tn, Dh = 2, 2, 3, 4
xx = np.random.randn(B, Tn, H * Dh); q = xx.reshape(B, Tn, H, Dh).transpose(0, 2, 1, 3); s = np.einsum("bhqd,bhkd->bhqk", q, q) / np.sqrt(Dh)
m = np.triu(np.full((Tn, Tn), -np.inf), k=1); a = softmax(s + m); o = (a @ q).swapaxes(1, 2).reshape(B, Tn, -1); print(a[0, 0], o.shape, o[1, 2])

# %% sampling and text
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
vocab = sorted(set("hello world")); stoi = {c: i for i, c in enumerate(vocab)}; ids = np.array([stoi[c] for c in "hello"]); print(ids, ids.dtype, "".join(vocab[i] for i in ids))
rng = np.random.default_rng(42); print(rng.choice(5, p=[0.1, 0.2, 0.4, 0.2, 0.1]), rng.normal(size=3), rng.integers(0, 10, 5), np.random.choice(["a", "b"], 3))
logits = np.random.randn(10); top = np.argsort(logits)[::-1][:3]; print(top, logits[top], np.argpartition(logits, -3)[-3:].sum(), np.sort(logits)[-3:])

# %% gradient check and softmax jacobian
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
def softmax(x, axis=-1):
    x = x - np.max(x, axis=axis, keepdims=True)
    return np.exp(x) / np.sum(np.exp(x), axis=axis, keepdims=True)


def f(x): return (softmax(x) * np.arange(4)).sum()
x0 = np.array([0.1, -0.2, 0.3, 0.7]); p0 = softmax(x0); J = np.diag(p0) - np.outer(p0, p0); g = J @ np.arange(4)
num = np.array([(f(x0 + 1e-5 * e) - f(x0 - 1e-5 * e)) / 2e-5 for e in np.eye(4)]); print(g, np.allclose(g, num), np.max(np.abs(g - num)) < 1e-8)

# %% stats, printing
import numpy as np
np.random.seed(0)
np.set_printoptions(precision=6, suppress=True)
d = np.random.randn(100); print(f"{d.mean():.4f} {d.std(ddof=1):.4f} {np.median(d):.4f}", np.percentile(d, [5, 95]), np.histogram(d, bins=5)[0], d.min(), d.max(), np.cumsum(d)[-1])
print(np.array2string(d[:3], precision=2), repr(np.float32(0.1)), np.zeros((2, 0)), np.array([[1, 2], [3, 4]]).tolist(), np.ones(3, dtype=np.float16), np.int64(3) / 2, type(np.mean([1, 2])), np.arange(12).reshape(3, 4)[:, ::-1], np.arange(3) ** 2)
Q = np.random.rand(3, 3); print(np.linalg.det(np.eye(2)), np.trace(Q), np.linalg.norm(Q, axis=1), np.vstack([np.zeros(2), np.ones(2)]), np.column_stack([np.arange(2), np.ones(2)]))
xs = np.linspace(0, 1, 5); ys = np.interp(0.3, xs, xs**2); print(xs, ys, np.meshgrid(xs[:2], xs[:3])[0], np.diff(xs), np.flip(xs), np.roll(xs, 1), np.pad(xs, (1, 0)), np.squeeze(xs[None]), np.repeat(xs[:2], 2), np.tile(xs[:2], 2))
print(np.sum(np.array([[1, 2], [3, 4]], dtype=np.int32)), np.max([[1, 5], [7, 2]], axis=0), np.all([True, False]), np.any(np.isnan([1, np.nan])), np.isinf(np.array([np.inf])), np.sign([-2, 0, 3]), np.abs(-3), np.floor(2.7), np.log1p(1e-3), np.expand_dims(np.arange(3), 1).shape, np.argmax(np.array([[1, 9], [8, 2]]), axis=1), np.minimum([1, 5], [3, 2]), np.mod(7, 3), np.power(2, 10), np.array_split(np.arange(7), 3))
