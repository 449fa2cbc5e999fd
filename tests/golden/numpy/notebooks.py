# %% multi-head attention from scratch
import numpy as np
np.random.seed(42)
np.set_printoptions(precision=4, suppress=True)

class Attention:
    """Scaled dot-product attention in plain NumPy."""
    def __init__(self, d_in, d_out, heads=2):
        limit = np.sqrt(6.0 / (d_in + d_out))
        self.W = {name: np.random.uniform(-limit, limit, (d_in, d_out)) for name in ("q", "k", "v")}
        self.heads, self.d = heads, d_out // heads

    @staticmethod
    def softmax(x, axis=-1):
        e = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return e / e.sum(axis=axis, keepdims=True)

    def __call__(self, x, causal=True):
        b, t, _ = x.shape
        q, k, v = ((x @ w).reshape(b, t, self.heads, self.d).transpose(0, 2, 1, 3) for w in self.W.values())
        scores = np.einsum("bhqd,bhkd->bhqk", q, k) / np.sqrt(self.d)
        if causal:
            mask = np.triu(np.ones((t, t), dtype=bool), k=1)
            scores = np.where(mask, -np.inf, scores)
        weights = self.softmax(scores)
        out = np.matmul(weights, v).swapaxes(1, 2).reshape(b, t, -1)
        return out, weights

x = np.random.randn(2, 4, 6)
out, w = Attention(6, 8)(x)
print(out.shape, w.shape, out.dtype)
print(w[0, 0])
print(out[0])
assert np.allclose(w.sum(-1), 1)
np.testing.assert_allclose(w.sum(axis=-1), np.ones(w.shape[:-1]), rtol=1e-12)
top = np.argsort(-w[0, 1], axis=1)[:, :2]
print(np.take_along_axis(w[0, 1], top, axis=1))
pos = np.arange(6)[:, np.newaxis]
angles = pos / np.power(10000, (2 * (np.arange(4)[None, :] // 2)) / np.float32(4))
angles[:, 0::2] = np.sin(angles[:, 0::2]); angles[:, 1::2] = np.cos(angles[:, 1::2])
print(angles, angles.dtype)
entropy = -np.sum(w * np.log(np.clip(w, 1e-9, None)), axis=-1)
print(entropy.mean(axis=(0, 2)), entropy.std(ddof=1))
for (i, j), value in np.ndenumerate(w[0, 0][:2, :2]):
    print(i, j, f"{value:.3f}", type(value).__name__)
print(repr(out[0, 0]), repr(w.max()), w.argmax(), np.unravel_index(w.argmax(), w.shape))
onehot = np.eye(5, dtype=np.float32)[[0, 2, 4]]
print(onehot, onehot.nbytes, onehot.strides, onehot.flags["C_CONTIGUOUS"])
