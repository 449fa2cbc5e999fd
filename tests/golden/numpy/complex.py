# %% rotary by complex numbers
import numpy as np
np.random.seed(0)
T, D = 4, 6
freqs = 1.0 / 10000 ** (np.arange(0, D, 2) / D)
angles = np.outer(np.arange(T), freqs)
turns = np.exp(1j * angles)
print(turns.dtype, turns.shape)
print(turns)
q = np.random.randn(T, D)
pairs = q[:, 0::2] + 1j * q[:, 1::2]
turned = pairs * turns
out = np.empty_like(q)
out[:, 0::2] = turned.real
out[:, 1::2] = turned.imag
print(out.round(4))
print(np.allclose(np.abs(turned), np.abs(pairs)))
print(np.angle(turns[:, 0]))
scores = (turned @ turned.conj().T).real
print(np.round(scores, 3))

# %% arithmetic and printing
import numpy as np
a = np.array([1 + 2j, 3 - 4j, -0.5j])
b = np.array([2, 0.5, -1])
for made in (a + b, a - 1, 2 * a, a * a, a / 2, 1 - a, -a, abs(a), a.conj(), a.real, a.imag):
    print(repr(made))
print(a.sum(), np.sum(a.reshape(1, 3), axis=0))
print(a == a.conj(), a != 0)
print(type(a[0]), a[0], repr(a[0]), a[0].real, a[0] * 2)
print(a.dtype, a.dtype.itemsize, a.shape, a.ndim, a.dtype.kind, a.dtype.char)
c = a.astype(np.complex64)
print(repr(c), c[0], (c * 2).dtype, (c * np.float32(2)).dtype, (c + b).dtype)
print(np.array([[1j, 2], [3, 4]]), np.array([1, 2], dtype=complex))
print(np.zeros(2, complex), np.ones((1, 2), np.complex64), np.full(2, 1 + 1j), np.eye(2, dtype=complex))
print(np.array([1e10 + 1j, 1e-10j]), np.array([np.nan + 1j, complex(0, np.inf)]))
print(np.array([1.5 + 2j, 100.25 - 3j]))
print(repr(np.arange(4) * 1j), np.linspace(0, 1, 3) * 1j)
with np.printoptions(precision=2):
    print(np.array([1.23456 + 6.54321j]))
print(np.round(np.array([1.2345 + 2.3456j]), 2))
in_place = a.copy()
in_place *= 1j
in_place += [1, 2, 3]
print(in_place)
large = np.exp(1j * np.outer(np.arange(64), 10000.0 ** (-np.arange(32) / 32)))
print(large, large.shape)

# %% elementwise functions
import numpy as np
z = np.array([0.5 + 1j, -2 + 0.25j, 3 - 0.75j])
for name in "exp square conjugate negative isfinite".split():
    print(name, getattr(np, name)(z), getattr(np, name)(z.astype(np.complex64)))
print(abs(z), abs(z.astype(np.complex64)).dtype)
w = z.astype(np.complex64)
print(w * w[::-1], w[0] * w[1], w * 1.5j, w @ w)
print(np.add.reduce(z), np.multiply.outer([1j, 2], [1, 2j]))
print(np.angle(1 + 1j, deg=True), np.real(1 + 2j), np.imag(z), np.conj(3j))

# %% shape and indices
import numpy as np
y = np.zeros((2, 2), complex)
y[0] = [1j, 2]
y[:, 1] = 3
y[1, 0] -= 1j
print(y, y.T[0], np.asarray(y) is y, np.array(y) is y)
y[0, 0] = np.complex64(1)
print(y, y[::-1, 0], np.arange(4.0).view(complex), complex(y[0, 0]))
print(np.cumsum(y, axis=1), np.tril(y), np.diag(y), y.round(1), np.angle(-1.0))
print(np.full_like(y, 1j), np.zeros_like(y).dtype, np.append(y, 1j), [one for one in y[0]], np.linspace(0, 1, 3, dtype=complex))
a = (np.arange(6) + 1j * np.arange(6)[::-1]).reshape(2, 3)
print(a.T, a[:, 1], a[0, 2], a[..., 0], a[None].shape, a.ravel(), a.reshape(3, -1))
v = a[0]
v[1] = 100
print(a)
a.real[...] = 0
a.imag[1] = 7
print(a)
print(np.concatenate([a, [[1, 2, 3]]]), np.stack([a[0], a[1]], axis=1), np.vstack([a[0], 1j * np.ones(3)]))
print(np.where(a.imag > 4, a, -1), a[a.imag > 4], np.flip(a, 1), np.repeat(a[0], 2), np.tile(a[0], 2))
print(np.transpose(a).shape)
print(np.dot([2j, 3j], [2j, 3j]), np.einsum("ij,kj->ik", a, a.conj()))
print(a @ a.T, np.matmul(np.ones((1, 2)), a))
print(a.sum(axis=0), a.tolist(), a.flatten().shape)
print(np.array_equal(a, a.copy()), np.allclose(a, a + 1e-12), list(a[0]), len(a))

# %% what is refused
import numpy as np
def tried(run):
    try:
        print(run())
    except Exception as error:
        print(type(error).__name__, error)
tried(lambda: np.arange(4).reshape(2, 2)[1j])
tried(lambda: np.array([1j, 2j]).reshape(3))
tried(lambda: np.array([1j, 2]) + np.array([1, 2, 3]))

# %% dtypes to ask
import numpy as np
for spec in (complex, "c8", "U3"):
    kind = np.dtype(spec)
    print(repr(kind), kind.name, kind.kind, kind.itemsize)
print(np.dtype("complex64") == np.complex64, np.dtype("U3") == "U3")
print(np.issubdtype(np.complex64, np.complexfloating), np.issubdtype(complex, np.inexact), np.issubdtype("U1", np.str_))
print((np.ones(1, np.float32) * 1j).dtype, (np.ones(1, np.int64) * 1j).dtype)

# %% labels
import numpy as np
labels = np.array([["the", "cat"], ["a", "dog"]])
print(labels == "cat", labels[:, 1], labels.T.tolist(), labels.shape, np.unique(labels), labels.ravel()[labels.ravel() != "a"])

# %% labels are moved and written through views
import numpy as np
w=np.array(["b","a","cc","a"])
v=w[1:3]; v[0]="zz"
print(w, repr(w), w.dtype, w[::-1], w.reshape(2,2).T, w.tolist(), w[np.array([0,2])], np.sort(w), w.argsort())
print(np.unique(w, return_counts=True))
print("cc" in w, len(w), bool((w=="a").any()))
a=np.array(["x","y"]); b=a.copy(); b[0]="k"; print(a,b, a.flatten(), a==b, a!=b, np.array([["a","b"],["c","d"]])[1,0])
for i,r in enumerate(np.array([["a","b"],["c","d"]])): print(i,r)
w[:2] = ["long", "q"]; w[2:] = "c"; print(w, w == ["long", "q", "c", "d"], [["a"], ["c"]] == w)

# %% padding, joining, drawing
import numpy as np
a = np.array([1, 2, 3, 4, 5])
print(np.pad(a, (2, 3)), np.pad(a * 1j, 1))
print(np.pad(np.arange(6).reshape(2, 3), ((0, 1), (2, 0)), constant_values=9))
rng = np.random.default_rng(7)
print(rng.choice(5), rng.choice(["a", "b"], 3))
np.random.seed(5)
print(np.random.rand(), rng.random())
print(np.arange(3), np.logspace(2.0, 3.0, num=4, base=2.0))

# %% means-of-complex-numbers
import numpy as np
z = np.exp(1j * np.outer(np.arange(5), np.arange(7.0)))
print(np.mean(z, axis=0), z.mean(axis=1), np.mean(z, axis=-1, keepdims=True).shape, z[0].mean(), np.mean(z.astype(np.complex64), axis=0))

# %% arithmetic, indices and sums to the last digit
import numpy as np
z=np.exp(1j*np.arange(20.)); a=np.arange(18.).reshape(6,3)
print(z[3]); print(repr(z[3]), type(z[3]).__name__)
print(z[:3], repr(z[:3]))
print((z*z)[:3], (1j*a)[1], (a*1j)[2], (z/(2+1j))[:2], (z/2)[:2])
print(z.sum(), z.mean(), z.reshape(4,5).sum(0), z.reshape(4,5).sum(axis=1, keepdims=True), np.sum(z))
print(np.abs(z)[:3], np.angle(z)[:3], z.real[:2], z.imag[:2], z.conj()[:2], np.conj(z)[:2], (-z)[:2], abs(z)[:2])
print(z.ndim, z.size, z.shape, z.dtype, len(z), z.T.shape)
w=z.reshape(4,5)
print(w[1,2], w[1][:2], w[...,0], w[:,1], w[None].shape, w[w.real>0].shape, w[[0,2]].shape, w[1:3,::2])
try: z[1,2]
except IndexError as e: print(e)
try: z[40]
except IndexError as e: print(e)
z[0]=5; z.real[1]=7; print(z[:2]); z*=2; print(z[:2])
print(np.concatenate([z[:2],z[:1]]), np.stack([z[:2],z[1:3]],axis=1), np.concatenate([w,w],axis=-1).shape)
print((z==z).all(), z!=2, (z[:2]@z[:2]))
print(np.square(z)[:2], np.multiply(z,2)[:2], np.float32(2)*z[:1], (z.astype(np.complex64)*2).dtype, (z.astype(np.complex64)*a[:1,0]).dtype, (np.arange(3,dtype=np.float32)*1j).dtype,(np.arange(3)*1j).dtype)
c=z.astype(np.complex64); print(c[0], repr(c[1]), c[:2], np.exp(c)[:2])
for x in z[:2]: print(x)
print((z[:3]+a[:,0][:3]), z[:2]-1, 1-z[:2], 2/z[:2], z[:2]*(1-2j))
print(np.exp(1j*np.outer(np.arange(3),np.arange(3.))).round(3))
print(np.power(z[:2].real,2), z[:2].tolist(), z.copy()[:1], np.zeros(2,dtype=complex), np.array([1,2j]), np.array([[1+1j,2]]))
print(1j*np.float64(2), np.float64(2)*1j, np.isfinite(z).all(), np.allclose(w, w))
big=np.random.default_rng(0).standard_normal((1000,2)).view(complex)[:,0]
print(big.sum(), big.reshape(10,100).sum(1)[:3], big.reshape(10,100).sum(0)[:2],big.mean())
print((big[:300]*big[-300:]).sum())
