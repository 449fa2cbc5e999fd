"""Sums and their kin, along dimensions."""

# %% sum-forms
x = torch.arange(12.).view(3, 4)
print(x.sum(), x.sum(0), x.sum(dim=1), x.sum(-1, keepdim=True), x.sum((0, 1)), x.sum(dim=(0,), keepdim=True), torch.sum(x, dim=1), torch.sum(x), x.sum(axis=0), x.sum([0, 1]))
print(torch.tensor([True, True]).sum(), torch.tensor([1, 2]).sum(dtype=torch.float32), torch.tensor([1, 2], dtype=torch.int32).sum().dtype, torch.ones(2, dtype=torch.float64).sum(), torch.tensor(3.).sum(), x.view(3, 2, 2).sum((0, 2)))

# %% mean-forms
x = torch.tensor([[1., 2.], [3., 6.]])
print(x.mean(), x.mean(0), x.mean(dim=-1), x.mean(dim=1, keepdim=True), x.mean((0, 1)), torch.tensor([1, 2]).float().mean(), torch.tensor([1, 2]).mean(dtype=torch.float32), torch.mean(x, 0, True), torch.empty(0).mean(), torch.tensor([True, False]).float().mean())

# %% variance-and-deviation
x = torch.tensor([[1., 2., 4.], [2., 2., 2.]])
print(x.var(), x.var(dim=1), x.var(dim=1, unbiased=False), x.var(1, correction=0), x.std(), x.std(dim=0), x.std(-1, keepdim=True), torch.var(x, dim=-1, keepdim=True, unbiased=False), x.std(unbiased=False), torch.tensor([1.]).var(), x.var((0, 1)), torch.std(x, dim=1, correction=0))

# %% normalise-by-hand
x = torch.tensor([[1., 2., 3., 4.], [10., 10., 20., 20.]])
mean, var = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, unbiased=False)
y = (x - mean) / torch.sqrt(var + 1e-5)
print(mean, var, y, torch.allclose(y, F.layer_norm(x, (4,)), atol=1e-6))

# %% product-and-norm
x = torch.tensor([[3., -4.], [0., 2.]])
print(x.prod(), x.prod(1), x.prod(dim=0, keepdim=True), x.norm(), x.norm(dim=1), torch.norm(x, p=1), torch.norm(x, p=float("inf")), x.norm(p=2, dim=-1, keepdim=True), torch.norm(x, dim=0), x.norm(p=0), torch.tensor([2, 3]).prod(), torch.linalg.norm(x))

# %% max-min-forms
x = torch.tensor([[3, 1, 2], [0, 5, 5]])
print(x.max(), x.min(), x.max(1), x.min(dim=0), torch.max(x, -1, keepdim=True), x.amax(1), x.amin((0, 1)), x.amax(), torch.amax(x, dim=0, keepdim=True), x.max(dim=1).indices, torch.max(x, dim=1)[0], x.max(-1)[1])

# %% arg-forms
x = torch.tensor([[3., 9., 9.], [7., 1., 7.]])
print(x.argmax(), x.argmin(), x.argmax(0), x.argmax(dim=1), x.argmax(-1, keepdim=True), torch.argmin(x, dim=1), x.argmax().item(), torch.argmax(torch.tensor([2, 2, 1])), torch.tensor(4.).argmax(), torch.argsort(x[0]), x.argsort(dim=1, descending=True, stable=True))

# %% any-all-count
m = torch.tensor([[True, False], [True, True]])
print(m.any(), m.all(), m.any(0), m.all(dim=1), m.all(1, keepdim=True), torch.any(m, -1), torch.all(torch.tensor([1, 0])), m.sum(), m.sum(1), m.float().mean(), torch.tensor([0., 2.]).any(), torch.empty(0).all(), torch.empty(0).any(), m.count_nonzero(), m.all(dim=(0, 1)))

# %% cumulative
x = torch.tensor([[1, 2, 3], [4, 5, 6]])
print(x.cumsum(0), torch.cumsum(x, dim=-1), x.cumprod(1), x.float().cumsum(1), torch.tensor([True, True]).cumsum(0), x.cumsum(1, dtype=torch.float32), torch.tensor(5).cumsum(0), torch.cumprod(torch.tensor([1., 0.5, 0.5]), 0))

# %% empty-reductions
e = torch.empty(0, 3)
print(e.sum(), e.sum(0), e.sum(1), e.prod(0), e.mean(0), e.any(0), e.all(0), torch.empty(2, 0).sum(1), torch.empty(2, 0).amax(0))
for f in (lambda: e.max(), lambda: e.max(0), lambda: e.argmax(0), lambda: torch.empty(0).min(), lambda: e.amax(0)):
    try:
        print(f())
    except Exception as err:
        print(type(err).__name__, err)

# %% wrong-dimensions
x = torch.ones(2, 3)
for f in (lambda: x.sum(2), lambda: x.sum(-3), lambda: x.mean((0, 0)), lambda: x.max(5), lambda: torch.tensor(1.).sum(1), lambda: torch.tensor(1.).sum(0), lambda: x.argmax(2), lambda: x.softmax(-3), lambda: x.cumsum(2), lambda: x.sum((0, 1, 2))):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# %% keepdim-broadcasts-back
x = torch.tensor([[1., 3.], [2., 2.]])
print(x / x.sum(dim=1, keepdim=True), x / x.sum(dim=1), x - x.amax(0, keepdim=True), x.exp() / x.exp().sum(-1, keepdim=True), (x / x.norm(dim=1, keepdim=True)).norm(dim=1))

# %% rows-sum-to-one
torch.manual_seed(0)
w = torch.softmax(torch.rand(4, 5), dim=-1)
print(w.sum(dim=-1), w.sum(-1).shape, torch.allclose(w.sum(-1), torch.ones(4)), (w >= 0).all(), w.sum().round())

# %% topk-forms
x = torch.tensor([[1., 4., 3.], [6., 5., 2.]])
print(torch.topk(x, 2), x.topk(1, dim=0), x.topk(2, largest=False), torch.topk(x[0], k=3).indices, x.topk(2, dim=1, sorted=True).values)
v, i = torch.topk(torch.tensor([3, 1, 2]), 2)
print(v, i, torch.topk(x, 0).values.shape)
try:
    x.topk(4)
except RuntimeError as e:
    print(e)

# %% topk-filtering
logits = torch.tensor([3.2, 0.4, -1.1, 5.9, 2.6, -0.7, 5.1, -2.4])
top, pos = torch.topk(logits, 3)
print(top, pos)
cut = torch.where(logits < top[-1], torch.tensor(float("-inf")), logits)
print(cut, torch.softmax(cut, dim=0), torch.where(condition=logits < top[-1], input=torch.tensor(float("-inf")), other=logits).isinf().sum())

# %% sorting
x = torch.tensor([[3, 1, 2], [9, 8, 7]])
print(x.sort(), torch.sort(x, dim=0, descending=True), x.argsort(-1), x.sort(1)[0], torch.sort(torch.tensor([2., float("nan"), 1.])), torch.sort(torch.tensor([1, 0, 1, 0]), stable=True).indices, torch.tensor(3).sort())

# %% median-and-mode-of-rows
x = torch.tensor([[1., 9., 2., 4.], [5., 5., 1., 0.]])
print(x.median(), x.median(1))

# %% unique-and-bincount
x = torch.tensor([3, 1, 3, 2, 1])
print(x.unique(), torch.unique(x, return_counts=True), torch.unique(x, return_inverse=True), torch.bincount(x), torch.bincount(x, minlength=6), torch.bincount(torch.tensor([0, 1, 1]), weights=torch.tensor([0.5, 1., 2.])), torch.unique(torch.tensor([[2., 1.], [1., 2.]])))

# %% perplexity-of-a-bigram-table
counts = torch.tensor([[4., 1., 0.], [0., 2., 2.], [1., 1., 1.]])
p = (counts + 1) / (counts + 1).sum(1, keepdim=True)
pairs = torch.tensor([[0, 0], [0, 1], [1, 2], [2, 2]])
nll = -p[pairs[:, 0], pairs[:, 1]].log()
print(p, nll, nll.mean(), nll.mean().exp(), f"{nll.mean().exp().item():.4f}")
