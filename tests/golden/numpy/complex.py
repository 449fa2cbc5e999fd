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
for made in (a + b, a - 1, 2 * a, a * a, a / (1 + 1j), a ** 2, a ** -1, -a, abs(a), a.conj(), a.real, a.imag):
    print(repr(made))
print(a.sum(), a.mean(), a.prod(), a.std(), a.var())
print(a == a.conj(), a != 0)
print(type(a[0]), a[0], repr(a[0]), a[0].real, type(a[0].real), a[0] * 2, a[1] / a[0])
print(a.dtype, a.itemsize, a.nbytes, a.strides, a.shape, a.ndim, a.dtype.kind, a.dtype.char)
c = a.astype(np.complex64)
print(repr(c), c[0], c.nbytes, (c * 2).dtype, (c * np.float32(2)).dtype, (c + b).dtype)
print(np.array([[1j, 2], [3, 4]]), np.array([1, 2], dtype=complex), np.array(1j), repr(np.array(1j)))
print(np.zeros(2, complex), np.ones((1, 2), np.complex64), np.full(2, 1 + 1j), np.eye(2, dtype=complex))
print(np.array([1e10 + 1j, 1e-10j]), np.array([np.nan + 1j, complex(0, np.inf)]))
print(np.array([1.5 + 2j, 100.25 - 3j]))
print(repr(np.arange(4) * 1j), np.linspace(0, 1j, 3))
with np.printoptions(precision=2):
    print(np.array([1.23456 + 6.54321j]))
print(np.round(np.array([1.2345 + 2.3456j]), 2))

# %% elementwise functions
import numpy as np
z = np.array([0.5 + 1j, -2 + 0.25j, 3 - 0.75j])
for name in "exp log log2 log10 log1p expm1 sqrt square sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh".split():
    print(name, np.round(getattr(np, name)(z), 6))
print(np.sqrt([4, -1, -3 + 4j]), np.sign([5 - 2j, -1j]), np.reciprocal(z).round(6))
print(np.power(z, 1.5).round(6), np.power([-1.0, -4.0], 1.5, dtype=complex))
print(np.isnan(np.array([1j, complex(np.nan, 0)])), np.isfinite(z), np.isreal([1j, 2]), np.iscomplex([1j, 2]), np.iscomplexobj(z))
print(np.maximum(z, 0), np.add.reduce(z), np.multiply.outer([1j, 2], [1, 2j]))
print(np.exp(1j * np.pi).round(12), np.angle(1 + 1j, deg=True), np.real(1 + 2j), np.imag(z), np.conj(3j))

# %% shape and indices
import numpy as np
a = (np.arange(6) + 1j * np.arange(6)[::-1]).reshape(2, 3)
print(a.T, a[:, 1], a[0, 2], a[..., 0], a[None].shape, a.ravel(), a.reshape(3, -1))
v = a[0]
v[1] = 100
print(a)
a.real = 0
a.imag[1] = 7
print(a)
print(np.concatenate([a, [[1, 2, 3]]]), np.stack([a[0], a[1]], axis=1), np.vstack([a[0], 1j * np.ones(3)]))
print(np.where(a.imag > 4, a, -1), a[a.imag > 4], np.flip(a, 1), np.roll(a, 1), np.repeat(a[0], 2), np.tile(a[0], 2))
print(np.diag(np.array([1j, 2])), np.trace(np.array([[1j, 2], [3, 4j]])), np.cumsum(a[1]), np.diff(a[0]))
print(np.sort(np.array([3 + 1j, 1 - 1j, 1 - 2j])), np.argsort([2j, 1j, 1]), np.argmax([1j, 2, 2 + 1j]), np.unique([1j, 1j, 2]))
print(np.dot([2j, 3j], [2j, 3j]), np.vdot([1 + 2j, 3], [1j, 1]), np.inner([1j], [1j]), np.einsum("ij,kj->ik", a, a.conj()))
print(a.sum(axis=0), a.mean(axis=1, keepdims=True), a.any(), a.all(), a.tolist(), a.flatten().shape)
print(np.array_equal(a, a.copy()), np.allclose(a, a + 1e-12), np.nonzero(a[0]), np.count_nonzero(a))

# %% what is refused
import numpy as np
def tried(run):
    try:
        print(run())
    except Exception as error:
        print(type(error).__name__, error)
x = np.zeros(3)
def grow():
    global x
    x += 1j
tried(grow)
tried(lambda: np.floor(np.array([1j])))
tried(lambda: np.array([1j]) // 2)
tried(lambda: np.array([1, 2j], dtype=float))
tried(lambda: np.arange(4).reshape(2, 2)[1j])
tried(lambda: np.array([1j, 2j])[2])
tried(lambda: np.array([1j, 2j])[0, 0])
tried(lambda: np.array([1j, 2j]).reshape(3))
tried(lambda: bool(np.array([1j, 2j])))
tried(lambda: np.array([1j, 2]) + np.array([1, 2, 3]))

# %% linear algebra
import numpy as np
np.random.seed(3)
a = np.random.randn(3, 3) + 1j * np.random.randn(3, 3)
h = a + a.conj().T
w, v = np.linalg.eigh(h)
print(w.round(6), v.round(6))
print(np.allclose(h @ v, v * w), np.linalg.eigvalsh(h).round(6))
w, v = np.linalg.eig(a)
print(w.round(6), v.round(6))
print(np.linalg.inv(a).round(6), np.linalg.det(a).round(6), np.linalg.solve(a, [1, 2, 3j]).round(6))
print(np.linalg.cholesky(h + 10 * np.eye(3)).round(6))
q, r = np.linalg.qr(a)
print(q.round(6), r.round(6))
u, s, vh = np.linalg.svd(a)
print(s.round(6), np.allclose(u * s @ vh, a), np.linalg.norm(a).round(6), np.linalg.matrix_rank(a), np.linalg.cond(a).round(6))
w, v = np.linalg.eig(np.array([[1, -1], [1, 1]]))
print(w, v)
r = np.random.randn(4, 4)
w, v = np.linalg.eig(r)
print(w.round(6), v.round(6))
w, v = np.linalg.eigh(r + r.T)
print(w.round(6), v.round(6))
print(np.roots([3.2, 2, 1]), np.poly([1, 2, 3]))

# %% fourier transforms
import numpy as np
x = np.array([1.0, 2.0, 4.0, 3.0])
print(np.fft.fft(x), np.fft.ifft(np.fft.fft(x)).real, np.fft.rfft(x), np.fft.irfft(np.fft.rfft(x)))
print(np.fft.fftfreq(8), np.fft.fftfreq(5, d=0.1), np.fft.rfftfreq(6), np.fft.fftshift(np.arange(5)), np.fft.ifftshift(np.arange(5)))
t = np.arange(64) / 64
signal = np.sin(2 * np.pi * 5 * t) + 0.5 * np.cos(2 * np.pi * 12 * t)
power = np.abs(np.fft.rfft(signal)) ** 2
print(np.argsort(power)[-2:][::-1], power.max().round(6))
np.random.seed(0)
for n in (5, 6, 7, 12, 15, 16, 30):
    z = np.random.randn(n)
    f = np.fft.fft(z)
    print(n, f.round(6)[:4], np.allclose(np.fft.ifft(f), z))
    print(np.fft.rfft(z).round(6)[-2:], np.allclose(np.fft.irfft(np.fft.rfft(z), n), z))
g = np.random.randn(4, 6)
print(np.fft.fft2(g).round(5)[0], np.allclose(np.fft.ifft2(np.fft.fft2(g)), g), np.fft.fft(g, axis=0).shape)
print(np.fft.fft(z, norm="ortho").round(6)[:3], np.fft.fft([1, 2, 3], 5).round(6))

# %% polynomials
import numpy as np
p = np.poly1d([1, 2, 3])
print(p, p(0.5), p.order, p[1], p.c)
print(repr(p * p), repr(p + 1), repr(p ** 2), repr(p.deriv()), repr(p.integ()))
print(np.poly1d([1, -3, 2]).r, np.polydiv([3.0, 5.0, 2.0], [2.0, 1.0]), np.polysub([2, 10, -2], [3, 10, -4]))
print(np.poly1d([1, 2, 3], variable="z"), np.polyder([1, 1, 1, 1]), np.polyint([3, 2, 1]))
x = np.array([0.0, 1.0, 2.0, 3.0, 4.0, 5.0])
y = np.array([0.0, 0.8, 0.9, 0.1, -0.8, -1.0])
fit = np.poly1d(np.polyfit(x, y, 3))
print(round(fit(3.5), 9), np.polyfit(x, y, 1, w=[1, 2, 1, 2, 1, 2]).round(6))
coefficients, covariance = np.polyfit(x, y, 1, cov=True)
print(coefficients.round(6), covariance.round(6))

# %% dtypes to ask
import numpy as np
for spec in (complex, "c8", ">i8", "S10", "U3", object, np.uint16, [("x", "f4"), ("y", "i2", (2,))], "i4, (2,3)f8", ("i4", 3)):
    kind = np.dtype(spec)
    print(repr(kind), kind.name, kind.kind, kind.itemsize, kind.byteorder, kind.names, kind.shape)
print(np.can_cast(float, complex), np.can_cast(complex, float), np.can_cast("i4", "S4"), np.can_cast("<i8", ">i4", "same_kind"))
print(np.promote_types("i8", "c8"), np.promote_types("f4", "c8"), np.promote_types("i4", "S8"), np.result_type("i4", "c8"))
print(np.issubdtype(np.complex64, np.complexfloating), np.issubdtype(complex, np.inexact), np.issubdtype("S1", np.bytes_))
print(np.result_type(np.float32(1), 1j), (np.ones(1, np.float32) * 1j).dtype, (np.ones(1, np.int64) * 1j).dtype)
print(np.finfo(np.complex64).dtype, np.finfo(np.complex128).eps, np.common_type(np.array([1j])))

# %% functions of objects
import numpy as np
words = np.array(["a", "b", "c"], dtype=object)
print(words + "x", words * 2, np.outer(words, [1, 2]), repr(np.tensordot(np.array([[1, 2, 3]]), words, 1)))
print(repr(np.frompyfunc(oct, 1, 1)(np.array((10, 30, 100)))), np.array([1, 2.5, "x"], dtype=object).tolist())
lists = np.empty(2, dtype=object)
lists[0], lists[1] = [1], [2, 3]
print(lists, lists.shape)
total = np.array([1, 2, 3], dtype=object)
print(total.sum(), total * 10, 10 - total, total / 2)
apply = np.vectorize(lambda p, x: sum(p) * x, excluded=[0])
print(apply([1, 2, 3], [0, 1, 2]))
convolve = np.vectorize(np.convolve, signature="(n),(m)->(k)")
print(convolve(np.eye(3), [1, 2, 1]))

# %% padding, joining, drawing
import numpy as np
a = np.array([1, 2, 3, 4, 5])
print(np.pad(a, (2, 3), "reflect", reflect_type="odd"), np.pad(a, (7, 9), "symmetric", reflect_type="odd"), np.pad(a, 11, "reflect", reflect_type="odd"))
def pad_with(vector, pad_width, iaxis, kwargs):
    vector[: pad_width[0]] = kwargs.get("padder", 10)
    vector[-pad_width[1] :] = kwargs.get("padder", 10)
print(np.pad(np.arange(6).reshape(2, 3), 2, pad_with, padder=100))
print(np.r_["-1", [[1, 2]], [[3, 4]]], np.r_["0,2", [1, 2], [3, 4]], np.r_["1,2,0", [1, 2], [3, 4]], np.c_[[1, 2], [3, 4]])
print(np.interp([-180, -10, 0, 365], [190, -190, 350, -350], [5, 10, 3, 4], period=360))
rng = np.random.default_rng(7)
print(rng.multinomial([[10], [20]], [1 / 6] * 6, size=(2, 2)), rng.multinomial(1, [[0.1, 0.5, 0.4], [0.3, 0.7, 0.0]]))
x = np.arange(12).reshape(3, 4)
print(rng.permuted(x, axis=1), rng.permuted(x, axis=0), rng.permuted(x), rng.bytes(10), rng.integers(10))
np.random.seed(5)
print(np.random.bytes(7), np.random.rand())
print(np.random.binomial(100, 0.5, 12), np.random.binomial(1000, 0.9, 6), np.random.binomial(10**6, 0.3, 5), np.random.binomial(40, 0.99, 4))
print(np.random.multinomial(500, [0.2, 0.3, 0.5], 3), np.random.rand())
print(rng.binomial(100, 0.5, 12), rng.binomial(5000, 0.37, 6), rng.multinomial(100, [1 / 3, 2 / 3], 3), rng.random())
x.itemset(4, 100)
print(x)
print(np.array2string(np.arange(3.0), formatter={"float_kind": lambda x: "%.2f" % x}), np.array2string(np.arange(3), formatter={"int": hex}))
np.set_printoptions(formatter={"all": lambda x: "<" + str(x) + ">"})
print(np.arange(3), repr(np.arange(2.0)))
np.set_printoptions()
print(np.arange(3), np.array([1, 256, 8755], np.int16).byteswap(), np.geomspace(1j, 1000j, 4), np.logspace(2.0, 3.0, num=4, base=[2.0, 3.0], axis=-1))
