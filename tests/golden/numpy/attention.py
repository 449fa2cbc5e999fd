# %% softmax of scores
import numpy as np
x = np.array([[0.43, 0.15, 0.89], [0.55, 0.87, 0.66], [0.57, 0.85, 0.64], [0.22, 0.58, 0.33], [0.77, 0.25, 0.10], [0.05, 0.80, 0.55]])
scores = x @ x.T
print(scores)

def softmax(z, axis=-1):
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)

weights = softmax(scores)
print(weights.round(4))
print(weights.sum(axis=1))
print((weights @ x).round(4))
print(weights.shape, weights.dtype, weights.argmax(axis=-1))
# %% scaled scores with projections
import numpy as np
np.random.seed(123)
x = np.random.rand(4, 3)
W_q, W_k, W_v = (np.random.rand(3, 2) for _ in range(3))
q, k, v = x @ W_q, x @ W_k, x @ W_v
print(q)
scores = q @ k.T / np.sqrt(k.shape[-1])
e = np.exp(scores)
weights = e / e.sum(-1, keepdims=True)
print(weights)
print(weights @ v)
print(f"{weights[0, 1]:.4f}", weights[2].tolist() == list(weights[2]))
# %% causal mask
import numpy as np
np.random.seed(0)
scores = np.random.randn(5, 5)
mask = np.triu(np.ones((5, 5)), k=1).astype(bool)
print(mask)
masked = np.where(mask, -np.inf, scores)
print(masked)
e = np.exp(masked - masked.max(-1, keepdims=True))
weights = e / e.sum(-1, keepdims=True)
print(weights)
scores[mask] = -1e9
print(scores[0])
print(np.tril(np.ones((3, 3), dtype=int)))
# %% several heads
import numpy as np
rng = np.random.default_rng(42)
B, T, D, H = 2, 4, 8, 2
x = rng.standard_normal((B, T, D))
W = rng.standard_normal((D, 3 * D)) / np.sqrt(D)
q, k, v = np.split(x @ W, 3, axis=-1)
heads = lambda t: t.reshape(B, T, H, D // H).transpose(0, 2, 1, 3)
q, k, v = map(heads, (q, k, v))
print(q.shape, k.strides, v.flags["C_CONTIGUOUS"])
scores = np.einsum("bhtd,bhsd->bhts", q, k) / np.sqrt(D // H)
scores += np.triu(np.full((T, T), -np.inf), 1)
weights = np.exp(scores - scores.max(-1, keepdims=True))
weights /= weights.sum(-1, keepdims=True)
out = np.matmul(weights, v).swapaxes(1, 2).reshape(B, T, D)
print(weights[0].round(3))
print(out[1].round(5))
print(out.mean().round(10), out.std().round(10))
# %% positions
import numpy as np
T, D = 6, 8
position = np.arange(T)[:, np.newaxis]
rate = 1 / np.power(10000, (2 * (np.arange(D) // 2)) / np.float32(D))
angle = position * rate
angle[:, 0::2] = np.sin(angle[:, 0::2])
angle[:, 1::2] = np.cos(angle[:, 1::2])
print(angle)
print(rate, rate.dtype)
print((angle[2] @ angle[3]).round(6), np.linalg.norm(angle, axis=1).round(6))
# %% layer norm
import numpy as np
np.random.seed(1)
x = np.random.normal(2.0, 3.0, size=(3, 5))
mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
y = (x - mean) / np.sqrt(var + 1e-5)
print(y)
print(np.allclose(y.mean(-1), 0), np.allclose(y.std(-1), 1, atol=1e-3))
np.set_printoptions(precision=3, suppress=True)
print(y)
print(np.array([1e-10, 1.0, 123456.789]))
# %% a head that learns
import numpy as np
np.random.seed(7)
X = np.random.randn(8, 4)
Y = (X @ np.array([1.0, -2.0, 0.5, 3.0]))[:, None]
W1, b1 = np.random.randn(4, 6) * 0.5, np.zeros(6)
W2, b2 = np.random.randn(6, 1) * 0.5, np.zeros(1)
for step in range(61):
    h = np.tanh(X @ W1 + b1)
    out = h @ W2 + b2
    loss = np.mean((out - Y) ** 2)
    d_out = 2 * (out - Y) / len(X)
    d_W2, d_b2 = h.T @ d_out, d_out.sum(axis=0)
    d_h = (d_out @ W2.T) * (1 - h ** 2)
    d_W1, d_b1 = X.T @ d_h, d_h.sum(0)
    for p, g in ((W1, d_W1), (b1, d_b1), (W2, d_W2), (b2, d_b2)):
        p -= 0.05 * g
    if step % 20 == 0:
        print(f"step {step}: loss {loss:.6f}")
print(W2.ravel().round(4), type(loss))
# %% embeddings and tokens
import numpy as np
text = "the cat sat on the mat"
words = text.split()
vocab = {w: i for i, w in enumerate(sorted(set(words)))}
ids = np.array([vocab[w] for w in words])
print(ids, ids.dtype, np.unique(ids, return_counts=True))
onehot = np.eye(len(vocab))[ids]
print(onehot)
table = np.arange(len(vocab) * 3).reshape(len(vocab), 3) / 10
print(table[ids], np.array_equal(onehot @ table, table[ids]))
print(np.bincount(ids), [int(i) for i in np.argsort(-np.bincount(ids), kind="stable")])
# %% cross entropy
import numpy as np
logits = np.array([[2.0, 1.0, 0.1], [0.5, 2.5, 0.3], [1.2, 0.2, 3.1]], dtype=np.float32)
targets = np.array([0, 1, 2])
shifted = logits - logits.max(axis=1, keepdims=True)
logp = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
print(np.round(logp, 4))
print(round(float(-logp[np.arange(3), targets].mean()), 5))
print((logits.argmax(1) == targets).mean(), logits.dtype, (logits * 2).dtype, (logits * np.float64(2)).dtype)
print(repr(logits[0]), logits[0, 0], [logits[1, 1]])
# %% shapes and views
import numpy as np
a = np.arange(24).reshape(2, 3, 4)
print(a)
b = a[:, ::2, 1:]
b[...] = -1
print(a[0], a.sum(), a.sum(axis=(0, 2)))
print(a[::-1, 0], a[..., -1], a[[1, 0], :, 2])
print(np.concatenate([a[0], a[1]], axis=1).shape, np.stack([a, a]).shape, np.expand_dims(a, 1).shape)
print(np.vstack((a[0], a[1])), np.hstack((np.ones((2, 1)), np.zeros((2, 2)))))
try:
    a @ np.ones((3, 2))
except ValueError as error:
    print(error)
try:
    np.ones((2, 3)) + np.ones((3, 2))
except ValueError as error:
    print(error)
# %% with torch
import numpy as np
import torch
t = torch.arange(6, dtype=torch.float32).reshape(2, 3)
a = t.numpy()
a[0, 0] = 9
print(t, a.dtype, a)
u = torch.from_numpy(np.array([1.0, 2.0, 3.0]))
u *= 2
print(u, u.dtype, torch.tensor(np.eye(2, dtype=np.float32)), torch.tensor(np.array([1, 2]))[0])
w = torch.randn(2, 2, requires_grad=True)
try:
    w.numpy()
except RuntimeError as error:
    print(error)
print(np.array(t).sum(), np.asarray(u), isinstance(a, np.ndarray), np.float32(3) + torch.tensor(1.0))
# %% printing
import numpy as np
print(np.array([1.5, -2.25, 1e-3]), np.array([1e10, 1.0]), np.array([np.nan, np.inf, -1.0]))
print(repr(np.linspace(0, 1, 5)), repr(np.zeros((2, 0))), repr(np.float32([1, 2])), repr(np.array(True)))
print(np.arange(2000), np.random.RandomState(3).rand(40).round(3))
print(np.arange(30.0).reshape(5, 6) ** 3 / 7)
print(np.array2string(np.arange(6) / 3, precision=3, separator=", "))
with np.printoptions(precision=2, linewidth=40):
    print(np.sqrt(np.arange(20)))
print(np.int64(3), np.float64(0.1) + 0.2, np.float32(0.1), np.bool_(True), np.float64(1e-5), np.float64(1e16), [np.float64(2)])
print({"mean": np.mean([1, 2, 4]), "n": np.sum([1, 2]), "b": np.any([0, 1])}, np.__version__)
