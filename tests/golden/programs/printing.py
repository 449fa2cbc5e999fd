"""What print, str, repr and format specs show."""

# %% rows-of-mixed-magnitude
print(torch.tensor([0.001, 10.0, 999.0]))
print(torch.tensor([0.001, 10.0, 1001.0]))
print(torch.tensor([[1e-3, 1.0], [1e2, -1e3]]))
print(torch.tensor([1e-8, 1e-7]), torch.tensor([0.0001]), torch.tensor([0.00001]))

# %% whole-floats
print(torch.tensor([1., 2., 30.]), torch.tensor([[-1., 10.], [100., 0.]]), torch.tensor(5.), torch.tensor([1e8]), torch.tensor([2e8, 1.]))
print(torch.arange(0, 3000, 700.), torch.tensor([1., 1001.]), torch.tensor([1., 1000.]))

# %% not-numbers
nan, inf = float("nan"), float("inf")
print(torch.tensor([nan, inf, -inf]), torch.tensor([nan, 1.5, -inf]), torch.tensor([1., -inf, nan]))
print(torch.tensor([[0.25, -inf, -inf], [0.5, 12.0, -inf]]))
print(torch.tensor([inf, 1e-9, 1.0]), torch.tensor(nan), torch.tensor([0.0, -0.0]), torch.tensor([-0.0, 1.5]))

# %% integers-align
print(torch.tensor([1, -20, 300]), torch.tensor([[1, 2], [30, -4]]), torch.tensor([10**12, 1]), torch.tensor(-7))
print(torch.tensor([1, 2], dtype=torch.int32), torch.tensor([[255, 0]], dtype=torch.uint8), torch.tensor(3, dtype=torch.int16), torch.tensor([-128], dtype=torch.int8))

# %% booleans
print(torch.tensor([True, True]), torch.tensor([[True, False], [False, False]]), torch.tensor(True), torch.ones(2, 3) > 0.5)

# %% other-floating-dtypes
print(torch.tensor([1.1, 2.25], dtype=torch.float16), torch.tensor([1.1, 3.0], dtype=torch.bfloat16), torch.tensor([1 / 3], dtype=torch.float64))
print(torch.ones(2, 2, dtype=torch.float64), torch.tensor(0.1, dtype=torch.float16), torch.zeros(0, 2, dtype=torch.float16))

# %% lines-wrap
print(torch.arange(30))
print(torch.arange(20.) / 3)
print(torch.arange(36.).view(2, 18))
print(torch.arange(24).view(1, 1, 24) * 1000)

# %% more-than-two-dimensions
print(torch.arange(8).view(2, 2, 2))
print(torch.arange(16.).view(2, 2, 2, 2) / 2)
print(torch.zeros(1, 1, 1, 1, 2), torch.ones(2, 1, 1))

# %% long-tensors-are-cut
print(torch.arange(1001))
print(torch.arange(2000.).view(40, 50))
print(torch.arange(3000).view(10, 3, 100))
print(torch.ones(2, 2, 30, 30).shape, torch.ones(11, 10, 10)[..., :4])

# %% printoptions-precision
torch.set_printoptions(precision=2)
x = torch.tensor([3.14159, 2.71828])
print(x, torch.tensor(1 / 3), torch.tensor([1e-5]))
torch.set_printoptions(precision=8)
print(x)
torch.set_printoptions(profile="default")
print(x)

# %% printoptions-sci-mode
x = torch.tensor([1e-6, 0.5, 20.0])
print(x)
torch.set_printoptions(sci_mode=False)
print(x, torch.tensor([1e9, 1.0]))
torch.set_printoptions(sci_mode=True)
print(torch.tensor([1.0, 2.0]), torch.tensor([0.5]))
torch.set_printoptions(precision=1)
print(x)
torch.set_printoptions(profile="default")

# %% printoptions-cutting
x = torch.arange(60).view(6, 10)
torch.set_printoptions(threshold=20, edgeitems=2)
print(x)
torch.set_printoptions(edgeitems=1, linewidth=40)
print(x, torch.arange(12.) / 7)
torch.set_printoptions(profile="short")
print(torch.arange(1200.) / 7)
torch.set_printoptions(profile="full")
print(torch.arange(1010).sum(), len(str(torch.arange(1010))))
torch.set_printoptions(profile="default")

# %% printoptions-linewidth-matrix
torch.set_printoptions(linewidth=120)
print(torch.arange(36.).view(2, 18) / 4)
torch.set_printoptions(linewidth=50)
print(torch.arange(36.).view(2, 18) / 4)
torch.set_printoptions(profile="default")

# %% zero-d-format-specs
x = torch.tensor(3.14159)
print(f"{x}", f"{x:.2f}", f"{x:8.3f}|", f"{x:<10.1f}|", f"{x:e}", f"{x:+.1f}", "{:.4f}".format(x), format(x, ".0f"))
n = torch.tensor(42)
print(f"{n}", f"{n:5d}|", f"{n:05d}", f"{n:,}", "%d %s" % (n, n), f"{n:x}", f"{n!r}")
print(f"{torch.tensor(True)}", f"{torch.tensor(0.1)}", f"{torch.tensor(0.1, dtype=torch.float64)}", f"{torch.tensor(float('nan')):.2f}")

# %% tensors-in-format-strings
x = torch.tensor([1.0, 2.5])
print(f"{x}", f"x = {x} and {x.shape}", f"{x!r}", "%s" % x, "{}".format(x), f"{x.sum():.3f}", f"{x.mean().item():.2f}", f"{x[0]}")
try:
    print(f"{x:.2f}")
except Exception as e:
    print(type(e).__name__, e)

# %% containers-of-tensors
a, b = torch.tensor([1.0]), torch.tensor([[1, 2]])
print([a, b], (a, b), {"a": a, "b": b}, [torch.tensor(1.5)], (a,))
print([t.shape for t in (a, b)], {1: torch.tensor(2)}, [[a], [b]])
print(str([a]) == repr([a]), list(a), tuple(b))

# %% print-keywords
x = torch.tensor([1, 2])
print("x:", x, x.shape, sep="\n", end="!\n")
print(x, x, sep=" | ")
print()
print("a\tb", end="")
print("", x)

# %% sizes-and-dtypes
s = torch.zeros(2, 3, 4).shape
print(s, str(s), repr(s), f"{s}", list(s), tuple(s), s[0], s[-1], s[1:], len(s), s.numel(), s == (2, 3, 4), s == torch.Size([2, 3, 4]))
print(torch.float32, torch.int64, torch.bool, torch.float, torch.long, [torch.float64], torch.float16, torch.half, torch.double)
print(torch.device("cpu"), repr(torch.device("cpu")), torch.zeros(1).device, torch.strided, torch.zeros(1).layout)

# %% size-arithmetic
s = torch.zeros(2, 3, 4).size()
print(s + (5,), s[:-1] + s[-1:], torch.Size([1]) + torch.Size([2]), s[:2] * 2, (*s, 7), 3 in s, s.index(4), s.count(2))
b, t, d = s
print(b * t * d, max(s), sorted(s, reverse=True), torch.zeros(s).shape, torch.zeros(*s).shape, hash(s) == hash((2, 3, 4)), isinstance(s, tuple))

# %% grad-suffixes
w = torch.ones(2, 2, requires_grad=True)
print(w, w * 2, w.sum(), w @ w, (w * 2).detach(), w.T, w[0], w.view(4))
print(torch.ones(6, 12, requires_grad=True) / 7)
print(torch.ones(1, dtype=torch.float64, requires_grad=True) + 1)

# %% parameter-prints
p = nn.Parameter(torch.tensor([[0.5, 1.0]]))
print(p)
print(nn.Parameter(torch.zeros(2), requires_grad=False), [p], p.data, nn.Parameter(torch.tensor(1.0)))
print(repr(p) == str(p), f"{p}", type(p), isinstance(p, torch.Tensor))

# %% named-results-print
x = torch.tensor([[1., 5., 3.], [4., 2., 6.]])
print(x.max(dim=1))
print(torch.sort(x, dim=1, descending=True))
print(torch.topk(x, 2), x.min(0).values, x.median(dim=1))
values, indices = x.max(dim=0)
print(values, indices)

# %% arrays-in-a-format-of-ones-own
import numpy as np
weights = np.array([[0.12345, 0.5, -1.0], [2.0, 0.33333, 1e-9]])
np.set_printoptions(formatter={"float": "{: 0.3f}".format})
print(weights, weights[0], weights.astype(np.float32), np.arange(3), np.array(1.5), sep="\n")
print(repr(weights), repr(weights[0].astype(np.float32)), [weights[0, 0]])
np.set_printoptions(precision=3)
print(weights)
with np.printoptions(formatter={"all": lambda x: f"<{x}>"}):
    print(np.arange(3), np.array([True]), weights[0])
print(np.array2string(weights, formatter={"float_kind": lambda x: f"{x:.2f}"}, separator=", "))
np.set_printoptions(precision=8, formatter={"int": "{:>4}".format})
print(np.arange(40), weights[1])
np.set_printoptions()
