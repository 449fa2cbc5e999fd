"""Causal multi-head attention in NumPy with a hand-written backward pass and a numerical check."""
import numpy as np

rng = np.random.default_rng(4)

N, T, D, H = 3, 7, 20, 4
E = D // H


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def to_heads(x):
    n, t, _ = x.shape
    return x.reshape(n, t, H, E).transpose(0, 2, 1, 3)


def from_heads(x):
    n, h, t, e = x.shape
    return x.transpose(0, 2, 1, 3).reshape(n, t, h * e)


class Attention:
    def __init__(self):
        s = 1.0 / np.sqrt(D)
        self.Wq = rng.normal(0, s, (D, D))
        self.Wk = rng.normal(0, s, (D, D))
        self.Wv = rng.normal(0, s, (D, D))
        self.Wo = rng.normal(0, s, (D, D))
        self.scale = 1.0 / np.sqrt(E)

    def params(self):
        return [self.Wq, self.Wk, self.Wv, self.Wo]

    def forward(self, x):
        n, t, _ = x.shape
        q, k, v = to_heads(x @ self.Wq), to_heads(x @ self.Wk), to_heads(x @ self.Wv)
        s = np.einsum("nhie,nhje->nhij", q, k) * self.scale
        hidden = np.triu(np.ones((t, t), dtype=bool), k=1)
        s = np.where(hidden, -1e30, s)
        p = softmax(s, axis=-1)
        o = from_heads(p @ v)
        self.saved = (x, q, k, v, p, o)
        return o @ self.Wo

    def backward(self, dy):
        x, q, k, v, p, o = self.saved
        dWo = np.einsum("nti,ntj->ij", o, dy)
        do = to_heads(dy @ self.Wo.T)
        dp = do @ v.transpose(0, 1, 3, 2)
        dv = p.transpose(0, 1, 3, 2) @ do
        ds = p * (dp - (dp * p).sum(axis=-1, keepdims=True))
        ds = ds * self.scale
        dq = ds @ k
        dk = ds.transpose(0, 1, 3, 2) @ q
        dq, dk, dv = from_heads(dq), from_heads(dk), from_heads(dv)
        dWq = np.einsum("nti,ntj->ij", x, dq)
        dWk = np.einsum("nti,ntj->ij", x, dk)
        dWv = np.einsum("nti,ntj->ij", x, dv)
        dx = dq @ self.Wq.T + dk @ self.Wk.T + dv @ self.Wv.T
        return dx, [dWq, dWk, dWv, dWo]


def loss_of(layer, x, target):
    diff = layer.forward(x) - target
    return 0.5 * (diff ** 2).sum() / len(x), diff / len(x)


def numeric(layer, x, target, w, i, j, h=1e-5):
    keep = w[i, j]
    w[i, j] = keep + h
    up, _ = loss_of(layer, x, target)
    w[i, j] = keep - h
    down, _ = loss_of(layer, x, target)
    w[i, j] = keep
    return (up - down) / (2 * h)


layer = Attention()
x = rng.normal(size=(N, T, D))
target = np.concatenate([x[:, :1], x[:, :-1]], axis=1)      # copy the token before

value, dy = loss_of(layer, x, target)
dx, grads = layer.backward(dy)
worst = 0.0
for w, g in zip(layer.params(), grads):
    for _ in range(4):
        i, j = rng.integers(0, D, 2)
        worst = max(worst, abs(numeric(layer, x, target, w, i, j) - g[i, j]))
print("gradient check passed:", worst < 1e-6)

for step in range(20):
    value, dy = loss_of(layer, x, target)
    _, grads = layer.backward(dy)
    for w, g in zip(layer.params(), grads):
        w -= 0.05 * g
    if step % 19 == 0:
        print("round", step, "loss", round(float(value), 4))

out = layer.forward(x)
x2 = x.copy()
x2[:, 4:] += 1.0
out2 = layer.forward(x2)
print(out.shape, dx.shape, "causal:", np.allclose(out[:, :4], out2[:, :4]))
print(round(float(out.sum()), 4), round(float(np.abs(dx).sum()), 4))
