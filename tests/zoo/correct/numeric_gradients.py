"""Attention in NumPy with gradients by hand, which are compared with differences before they train it."""
import numpy as np

rng = np.random.default_rng(0)
names = {"E": (7, 8), "Q": (8, 8), "K": (8, 8), "V": (8, 8), "O": (8, 8), "Y": (8, 7)}
p = {name: rng.normal(0, 0.4, shape) for name, shape in names.items()}


def softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def forward(ids):
    x = p["E"][ids]
    q, k, v = x @ p["Q"], x @ p["K"], x @ p["V"]
    a = softmax(q @ k.transpose(0, 2, 1) / np.sqrt(8))
    r = x + a @ v @ p["O"]
    inv = 1 / np.sqrt(r.var(-1, keepdims=True) + 1e-5)
    h = (r - r.mean(-1, keepdims=True)) * inv
    return softmax(h @ p["Y"]), (ids, x, q, k, v, a, inv, h)


def loss_of(probs, y):
    rows = np.arange(y.size)
    return -np.log(probs.reshape(-1, 7)[rows, y.ravel()]).sum() / y.size


def backward(probs, y, cache):
    ids, x, q, k, v, a, inv, h = cache
    dz = (probs - np.eye(7)[y]) / y.size
    dh = dz @ p["Y"].T
    dr = inv * (dh - dh.mean(-1, keepdims=True) - h * (dh * h).mean(-1, keepdims=True))
    g = {"Y": np.einsum("ntd,ntv->dv", h, dz), "O": np.einsum("ntd,nte->de", a @ v, dr)}
    dc = dr @ p["O"].T
    da = dc @ v.transpose(0, 2, 1)
    ds = a * (da - (da * a).sum(-1, keepdims=True)) / np.sqrt(8)
    d = {"Q": ds @ k, "K": ds.transpose(0, 2, 1) @ q, "V": a.transpose(0, 2, 1) @ dc}
    dx = dr.copy()
    for name in "QKV":
        g[name] = np.einsum("ntd,nte->de", x, d[name])
        dx += d[name] @ p[name].T
    g["E"] = np.zeros_like(p["E"])
    np.add.at(g["E"], ids, dx)
    return g


def check(ids, y):
    probs, cache = forward(ids)
    g = backward(probs, y, cache)
    for name in sorted(p):
        at = tuple(rng.integers(0, size) for size in p[name].shape)
        keep = p[name][at]
        p[name][at] = keep + 1e-5
        up = loss_of(forward(ids)[0], y)
        p[name][at] = keep - 1e-5
        down = loss_of(forward(ids)[0], y)
        p[name][at] = keep
        print(name, abs((up - down) / 2e-5 - g[name][at]) < 1e-6)


ids = rng.integers(0, 7, (3, 5))
check(ids, ids)
for step in range(3):
    ids = rng.integers(0, 7, (6, 5))
    probs, cache = forward(ids)
    g = backward(probs, ids, cache)
    for name in p:
        p[name] -= 0.1 * g[name]
    print(f"{loss_of(probs, ids):.4f}")
