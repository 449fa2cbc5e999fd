"""Operators, promotion, broadcasting, comparison."""

# %% promotion-table
values = {"b": torch.tensor([True]), "i": torch.tensor([2]), "f": torch.tensor([1.5]), "d": torch.tensor([0.5], dtype=torch.float64), "s": torch.tensor([3], dtype=torch.int32)}
for n, a in values.items():
    for m, b in values.items():
        print(n + m, (a + b).dtype, (a * b).dtype, (a / b).dtype, torch.result_type(a, b))

# %% promotion-with-numbers
i, f, b = torch.tensor([1, 2]), torch.tensor([1., 2.]), torch.tensor([True, False])
print(i + 1, i + 1.5, f + 1, f * True, b + 1, b * 2.5, b + b, b * b, i * True, 2 - i, 2.0 - i, 1 / i, i / 2, i // 2, 3 ** i, i ** 2, i ** 2.0)
print((i + 1.5).dtype, (f + torch.tensor(1, dtype=torch.float64)).dtype, (i + torch.tensor(1.5)).dtype, (torch.ones(1, dtype=torch.float16) + 1.0).dtype)

# %% zero-d-promotion
v = torch.ones(2, dtype=torch.float32)
print((v + torch.tensor(1.0, dtype=torch.float64)).dtype, (v + torch.ones(1, dtype=torch.float64)).dtype, (torch.ones(2, dtype=torch.int32) + torch.tensor(5)).dtype, (torch.tensor(1) + torch.tensor(2.0)).dtype, (torch.ones(2, dtype=torch.int64) + torch.tensor(True)).dtype)

# %% integer-division-and-remainder
a = torch.tensor([7, -7, 7, -7])
b = torch.tensor([2, 2, -2, -2])
print(a / b, a // b, a % b, torch.div(a, b, rounding_mode="trunc"), torch.div(a, b, rounding_mode="floor"), torch.remainder(a, b), torch.floor_divide(a, b))
print(torch.tensor([7.5, -7.5]) // 2, torch.tensor([7.5, -7.5]) % 2, 7 // torch.tensor([2, 4]), 7 % torch.tensor([4]), divmod(7, 2))
try:
    print(a // torch.tensor([0, 1, 1, 1]))
except RuntimeError as e:
    print(e)

# %% float-division-by-zero
x = torch.tensor([1., -1., 0.])
print(x / 0, 0 / x, x // 0, x % 0, torch.tensor([1, 0]) / 0, torch.log(torch.tensor([0., -1.])), torch.tensor(0.) * float("inf"), x / torch.tensor([0., 0., 0.]))

# %% broadcasting-shapes
a = torch.arange(3).view(3, 1)
b = torch.arange(4)
print(a + b, (a * b).shape, (torch.ones(2, 1, 3) + torch.ones(5, 1)).shape, torch.ones(0, 3).add(torch.ones(3)).shape, (torch.ones(2, 3) - torch.ones(2, 3).mean(1, keepdim=True)).sum(), torch.broadcast_shapes((2, 1), (3,)))
x, y = torch.broadcast_tensors(a, b)
print(x, y.stride())

# %% broadcasting-fails
for s, t in (((2, 3), (4,)), ((2, 3), (2,)), ((2, 3, 4), (3, 5)), ((5,), (3,)), ((2, 2), (3, 1, 3))):
    try:
        print((torch.zeros(s) + torch.zeros(t)).shape)
    except RuntimeError as e:
        print(s, t, e)

# %% powers
x = torch.tensor([1., 2., 3.])
print(x ** 2, 2 ** x, x ** -1, x ** 0.5, x.pow(3), torch.pow(2, x), x ** x, torch.tensor([2, 3]) ** 3, (-x) ** 0.5, torch.tensor([4, 9]) ** 0.5)
try:
    print(torch.tensor([2, 3]) ** -1)
except RuntimeError as e:
    print(e)

# %% comparisons
a, b = torch.tensor([1, 2, 3]), torch.tensor([3., 2., 1.])
print(a == b, a != b, a < b, a <= 2, 2 >= a, a > torch.tensor([0]), a.eq(b), torch.ne(a, 2), a.lt(b), torch.ge(a, b), a.gt(1), torch.le(a, 3))
print((a == b).dtype, (a == b).sum(), (a == b).all(), (a == b).any().item(), torch.equal(a, b), torch.equal(a, a.clone()), a is a)

# %% logic-on-masks
a, b = torch.tensor([True, True, False]), torch.tensor([True, False, False])
print(a & b, a | b, a ^ b, ~a, a.logical_and(b), torch.logical_or(a, b), torch.logical_not(b), torch.logical_xor(a, b), torch.tensor([0, 2]).logical_not(), a & True)
print(torch.tensor([5, 6]) & 3, torch.tensor([5, 6]) | 8, ~torch.tensor([0, 1]), torch.tensor([1, 2]) << 2, torch.tensor([8, 9]) >> 1, torch.tensor([5]) ^ 1)
try:
    print(torch.tensor([1.5]) & 1)
except RuntimeError as e:
    print(e)
try:
    print(a - b)
except RuntimeError as e:
    print(e)

# %% truth-of-a-tensor
print(bool(torch.tensor(1)), bool(torch.tensor([0.0])), bool(torch.tensor([[True]])), not torch.tensor(0), 1 if torch.tensor(2.5) > 2 else 0)
for t in (torch.tensor([1, 2]), torch.tensor([])):
    try:
        print(bool(t))
    except RuntimeError as e:
        print(e)
print([x for x in torch.tensor([1, 2, 3]) if x > 1], any(torch.tensor([False, True])), all(torch.tensor([1, 0])))

# %% unary-operators
x = torch.tensor([1.5, -2.5])
print(-x, +x, abs(x), -torch.tensor([1, 2]), x.round(), x.neg(), x.sign(), x.ceil(), x.floor(), x.trunc())
try:
    print(-torch.tensor([True]))
except RuntimeError as e:
    print(e)

# %% functions-with-alpha-and-out
a, b = torch.tensor([1., 2.]), torch.tensor([10., 20.])
print(torch.add(a, b, alpha=2), torch.sub(a, b, alpha=0.5), torch.rsub(a, 5), torch.mul(a, 3), torch.true_divide(a, 4), torch.subtract(a, 1), torch.multiply(a, b), torch.divide(b, a))
out = torch.empty(2)
r = torch.add(a, b, out=out)
print(out, r is out)

# %% integer-overflow-wraps
x = torch.tensor([200], dtype=torch.uint8)
print(x + 100, x * 2, torch.tensor([127], dtype=torch.int8) + 1, torch.tensor([2**31 - 1], dtype=torch.int32) + 1, -torch.tensor([1], dtype=torch.uint8), torch.tensor([-1]).to(torch.uint8), torch.tensor([300]).to(torch.int8))
print(torch.tensor([2**63 - 1]) + 1, torch.tensor([1.9, -1.9]).to(torch.int64), torch.tensor([1e10]).to(torch.int64))

# %% half-precision-rounds
h = torch.tensor([0.1, 1.0, 2049.0], dtype=torch.float16)
print(h, h + 1, h.float(), (h * h).dtype, torch.tensor([70000.]).half(), torch.tensor([1.001]).bfloat16().float(), h.sum(), h / 3)

# %% clamp-forms
x = torch.tensor([-2., 0., 3.])
print(x.clamp(-1, 1), x.clamp(min=0), torch.clamp(x, max=0.5), x.clip(0, 2), torch.clamp(torch.tensor([1, 5, 9]), 2, 6), x.clamp(min=torch.tensor([0., 1., 5.])), x.clamp_min(1), x.clamp_max(0))
try:
    x.clamp()
except Exception as e:
    print(type(e).__name__, e)

# %% maximum-minimum
a, b = torch.tensor([1., 5., float("nan")]), torch.tensor([2., 3., 1.])
print(torch.maximum(a, b), torch.minimum(a, b), torch.max(a, b), a.min(b), torch.max(torch.tensor([1, 2]), torch.tensor(1)))

# %% closeness
a = torch.tensor([1.0, 2.0])
print(torch.allclose(a, a + 1e-6), torch.allclose(a, a + 1e-2), torch.allclose(a, a + 0.05, atol=0.1), torch.isclose(a, torch.tensor([1.0, 2.1])), a.allclose(a), torch.allclose(torch.tensor([float("nan")]), torch.tensor([float("nan")])), torch.allclose(torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True), torch.isclose(a, a * (1 + 1e-5), rtol=1e-6))
try:
    torch.allclose(a, a.double())
except RuntimeError as e:
    print(e)
print(torch.eq(a, a).all() == True, (torch.tensor(0.1) + torch.tensor(0.2) == torch.tensor(0.3)).item())

# %% reflected-and-mixed-scalars
x = torch.tensor([1., 4.])
print(1 + x, 10 - x, 2 * x, 8 / x, 9 // x, 2 ** x, 7 % x, x.__radd__(1), x.__rsub__(1), 5 > x, 1 == x)
try:
    print([1, 2] + x)
except Exception as e:
    print(type(e).__name__)
try:
    print(x + "a")
except TypeError as e:
    print(str(e).split("\n")[0])
try:
    print(x + None)
except TypeError as e:
    print(str(e).split("\n")[0])
