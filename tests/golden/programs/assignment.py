"""Writing elements and whole tensors in place."""

# %% assign-scalars-and-rows
x = torch.zeros(3, 4)
x[0] = 1
x[1, 2] = 5.5
x[:, 0] = torch.tensor([7., 8., 9.])
x[-1, 1:3] = torch.tensor([[1., 2.]])
x[..., -1] = -1
print(x)

# %% assign-converts-dtype
x = torch.zeros(3, dtype=torch.int64)
x[0] = 2.9
x[1] = True
x[2] = torch.tensor(-3.7)
y = torch.zeros(2)
y[0] = torch.tensor(3)
y[1] = False
b = torch.zeros(3, dtype=torch.bool)
b[1] = 5
print(x, y, b)

# %% assign-through-masks
x = torch.arange(6.).view(2, 3)
x[x > 3] = 0
x[x == 0] -= 1
print(x)
y = torch.arange(5)
y[y % 2 == 1] = torch.tensor([10, 30])
y[[True, False, False, False, True]] *= -1
print(y)

# %% assign-through-positions
x = torch.zeros(3, 3)
x[[0, 1, 2], [2, 1, 0]] = torch.tensor([1., 2., 3.])
x[torch.tensor([0, 2])] += 10
x[:, [0, 0]] = 4
x[1, torch.tensor([1, 2])] = 6
print(x)
z = torch.zeros(3)
z[[0, 0, 1]] += 1
print(z)

# %% assign-slices-with-steps
x = torch.zeros(8)
x[::2] = 1
x[1::4] = torch.tensor([5., 6.])
x[-2:] = x[:2].clone()
print(x)
m = torch.zeros(4, 4)
m[::2, 1::2] = 1
m[1:3, 1:3] = torch.eye(2) * 9
m[None, 0] = 3
print(m)

# %% assign-wrong-shapes
x = torch.zeros(2, 3)
def put(index, value):
    x[index] = value
for index, value in ((0, torch.ones(2)), ((slice(None), 0), torch.ones(3)), (x > -1, torch.ones(4)), ((2, 0), 1.0), ([0, 1], torch.ones(3, 3))):
    try:
        put(index, value)
        print("fine", x)
    except Exception as e:
        print(type(e).__name__, e)

# %% masked-fill-forms
x = torch.arange(4.).view(2, 2)
m = torch.tensor([[True, False], [False, True]])
print(x.masked_fill(m, -1), torch.masked_fill(x, m, float("-inf")), x.masked_fill(m[0], 9), x.masked_fill(m, torch.tensor(2.5)), x)
x.masked_fill_(~m, 0.25)
print(x, torch.zeros(2, 2, dtype=torch.long).masked_fill(m, 3), x.masked_fill(torch.tensor(True), 1))
try:
    x.masked_fill(torch.ones(2, 2), 1)
except RuntimeError as e:
    print(e)

# %% masked-fill-causal
scores = torch.arange(16.).view(4, 4)
mask = torch.triu(torch.ones(4, 4), diagonal=1)
a = scores.masked_fill(mask.bool(), -torch.inf)
b = scores.masked_fill(mask == 1, float("-inf"))
c = scores.clone()
c[mask.bool()] = -torch.inf
print(a, torch.equal(a, b), torch.equal(a, c), torch.isinf(a).sum())
print(scores.masked_fill_(mask.bool()[:4, :4], -1e9)[0], torch.softmax(a, dim=-1)[:2])

# %% fill-zero-copy
x = torch.empty(2, 2).fill_(3.5)
y = torch.zeros(2, 2).copy_(torch.tensor([1., 2.]))
print(x, y, x.zero_(), torch.zeros(2, dtype=torch.int64).copy_(torch.tensor([1.9, -1.9])), torch.ones(2).fill_(torch.tensor(7)))
try:
    torch.zeros(2).copy_(torch.ones(3))
except RuntimeError as e:
    print(e)

# %% arithmetic-in-place
x = torch.tensor([1., 2., 3.])
x.add_(1); x.sub_(torch.tensor([0., 1., 2.])); x.mul_(3); x.div_(2); x.pow_(2)
print(x)
x += 1; x -= 0.5; x *= 2; x /= 4; x //= 1; x **= 2; x %= 5
print(x, x.neg_(), x.abs_(), x.sqrt_(), x.clamp_(min=1, max=1.5), x.exp_().log_().round_())
y = torch.tensor([1., 2.])
y.add_(torch.tensor([1., 1.]), alpha=10).addcmul_(torch.tensor([1., 2.]), torch.tensor([3., 4.]), value=0.5).addcdiv_(torch.tensor([1., 1.]), torch.tensor([2., 4.]))
print(y, y.lerp_(torch.tensor([0., 0.]), 0.5))

# %% in-place-keeps-its-dtype
x = torch.tensor([1, 2, 3])
x += 2
x *= torch.tensor([2])
print(x)
for act in (lambda: x.add_(0.5), lambda: x.div_(2), lambda: x.mul_(torch.tensor([1.5])), lambda: torch.ones(2, dtype=torch.bool).add_(1), lambda: torch.zeros(2).add_(torch.ones(3)), lambda: torch.zeros(1).add_(torch.ones(3))):
    try:
        print(act())
    except RuntimeError as e:
        print(e)

# %% scatter-forms
z = torch.zeros(2, 4)
i = torch.tensor([[0, 2], [3, 1]])
print(z.scatter(1, i, torch.tensor([[1., 2.], [3., 4.]])), z.scatter(1, i, 9.0), z)
z.scatter_(dim=1, index=i, value=1)
print(z, torch.zeros(3, 2).scatter_(0, torch.tensor([[0, 2]]), torch.tensor([[5., 6.]])))
print(torch.zeros(2, 3).scatter_add_(1, torch.tensor([[0, 0, 2], [1, 1, 1]]), torch.ones(2, 3)), torch.zeros(4, dtype=torch.long).scatter_add(0, torch.tensor([1, 1, 3]), torch.tensor([5, 6, 7])))

# %% one-hot-by-scatter
y = torch.tensor([2, 0, 1])
print(torch.zeros(3, 3).scatter_(1, y.unsqueeze(1), 1.0), F.one_hot(y), torch.zeros(3, 3).scatter_(1, y[:, None], 1).argmax(1))
try:
    torch.zeros(2, 2).scatter_(1, torch.tensor([[2]]), 1.0)
except Exception as e:
    print(type(e).__name__, e)

# %% index-add-copy-fill
x = torch.zeros(3, 2)
x.index_add_(0, torch.tensor([0, 2, 0]), torch.tensor([[1., 1.], [2., 2.], [3., 3.]]))
print(x, x.index_fill(0, torch.tensor([1]), -1), x.index_fill_(1, torch.tensor([0]), 5), x.index_copy(0, torch.tensor([2]), torch.tensor([[8., 9.]])))

# %% masked-scatter-and-where-inplace
x = torch.zeros(2, 3)
m = torch.tensor([[True, False, True], [False, True, False]])
print(x.masked_scatter(m, torch.tensor([1., 2., 3., 4.])), x.masked_scatter_(m, torch.arange(10.)), torch.where(m, x, torch.tensor(-1.)))

# %% accumulate-in-a-loop
inputs = torch.tensor([[1., 0.], [0., 1.], [1., 1.]])
query = inputs[1]
scores = torch.empty(inputs.shape[0])
for i, row in enumerate(inputs):
    scores[i] = torch.dot(row, query)
out = torch.zeros(query.shape)
weights = torch.softmax(scores, dim=0)
for i, row in enumerate(inputs):
    out += weights[i] * row
print(scores, weights, out, weights @ inputs)

# %% swap-rows
x = torch.arange(6).view(3, 2)
x[[0, 2]] = x[[2, 0]]
print(x)
y = torch.tensor([1, 2, 3])
y[0], y[2] = y[2], y[0]
print(y)
z = torch.tensor([1, 2, 3])
z[0], z[2] = z[2].clone(), z[0].clone()
print(z, z.flip(0))

# %% overlapping-writes
x = torch.arange(6.)
x[1:] = x[:-1].clone()
print(x)
x.view(2, 3)[0].copy_(x.view(2, 3)[1])
print(x, x.view(3, 2).T)

# %% assign-between-overlapping-views
def attempt(write, size=9):
    x = torch.arange(float(size))
    try:
        print(write(x, x.view(3, 3)).tolist())
    except RuntimeError as error:
        print(str(error)[:90])
def assigned(x, index, value):
    x[index] = value
    return x
attempt(lambda x, m: x[1:].copy_(x[:-1]))
attempt(lambda x, m: assigned(x, slice(1, None), x[:-1]))
attempt(lambda x, m: assigned(x, slice(0, 4), x[4:8]))
attempt(lambda x, m: assigned(m, slice(None), m[0]))
attempt(lambda x, m: assigned(x, torch.tensor([0, 1]), x[1:3]))
attempt(lambda x, m: x[1:].add_(x[:-1]))
attempt(lambda x, m: x[::2].add_(x[4:]))
attempt(lambda x, m: m.copy_(m.T))
attempt(lambda x, m: m.add_(m[0]))
attempt(lambda x, m: m.div_(m[2, 2]))
attempt(lambda x, m: m.mul_(m).add_(x.view(3, 3)))
attempt(lambda x, m: m.masked_fill_(m > 3, m[0, 1]))
attempt(lambda x, m: x.index_copy_(0, torch.tensor([0, 1]), x[3:5]))
attempt(lambda x, m: m.index_add_(0, torch.tensor([0, 0, 1]), m))
attempt(lambda x, m: m.fill_(m[1, 1]))

# %% scatter-reduce
torch.manual_seed(0)
idx = torch.tensor([0,1,0,2,2,2])
src = torch.randn(6, requires_grad=True)
for r in ("sum","mean","amax","amin"):
    for inc in (True, False):
        base = torch.full((4,), 0.25, requires_grad=True)
        out = base.scatter_reduce(0, idx, src, reduce=r, include_self=inc)
        print(r, inc, out)
        (out * torch.arange(1., 5.)).sum().backward()
        print(base.grad, src.grad); src.grad = None
x = torch.zeros(2,3); x.scatter_reduce_(1, torch.tensor([[0,0,2],[1,1,1]]), torch.tensor([[1.,2,3],[4,5,6]]), "amax", include_self=False); print(x)
print(torch.zeros(3).scatter_reduce(0, torch.tensor([0,0,1]), torch.tensor([2.,4,6]), "mean", include_self=False))
print(torch.full((3,), -torch.inf).scatter_reduce(0, idx[:3], src[:3], "amax"))
t = torch.tensor([1.,1.,3.], requires_grad=True)
o = torch.zeros(2).scatter_reduce(0, torch.tensor([0,0,1]), t, "amax"); o.sum().backward(); print(o, t.grad)
print(torch.zeros(3, dtype=torch.long).scatter_reduce(0, torch.tensor([0,0,1]), torch.tensor([2,5,6]), "mean", include_self=False))
try: torch.zeros(3).scatter_reduce(0, idx[:3], torch.ones(3), "max")
except RuntimeError as e: print(e)
