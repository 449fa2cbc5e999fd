"""Order and counting: sort, topk with ties, unique, searchsorted, bincount, histc."""

# %% sort-is-stable-and-nan-is-largest
x = torch.tensor([3., float("nan"), 1., 3., -0., 0.])
print(x.sort(), torch.sort(x, descending=True), x.argsort(), torch.argsort(x, descending=True, stable=True))
print(torch.tensor([True, False, True]).sort(), torch.tensor([2, 1, 2, 1]).sort(descending=True))

# %% sort-along-a-dimension-keeps-the-order-in-memory
x = torch.tensor([[3, 1, 2], [1, 3, 2]])
values, indices = x.sort(dim=0)
print(values, indices, values.stride(), x.t().sort().values.stride(), x.t().sort(0).indices)
print(torch.tensor(5.).sort(), torch.empty(0, 3).sort(0).values.shape)

# %% topk-with-ties
x = torch.tensor([1., 3., 3., 2., 3., 1.])
for k in range(7):
    print(x.topk(k), x.topk(k, largest=False).indices, x.topk(k, sorted=False).indices)
y = torch.tensor([5, 5, 5, 5, 1, 1, 7, 7, 5, 5, 7, 0, 5, 5, 5, 5, 5, 9, 5, 5])
print(y.topk(4), y.topk(12).indices, y.topk(18).indices, y.topk(3, largest=False))
print(y.topk(12, sorted=True), y.topk(12, sorted=False).values)

# %% topk-of-a-long-row
x = torch.arange(200) * 37 % 11
print(x.topk(3), x.topk(5).indices, x.topk(30).indices, x.topk(100, largest=False).indices)

# %% topk-refuses
x = torch.arange(6.).view(2, 3)
for call in (lambda: x.topk(4), lambda: x.topk(-1), lambda: x.topk(1, dim=2), lambda: (x > 1).topk(1)):
    try:
        print(call())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)
print(torch.topk(x, 2, dim=0), torch.topk(x, k=1, dim=-1, largest=False, sorted=True))

# %% unique
x = torch.tensor([[3, 1, 3], [2, 1, 3]])
print(x.unique(), torch.unique(x, return_inverse=True), torch.unique(x, return_counts=True), x.unique(return_inverse=True, return_counts=True))
print(torch.unique(torch.tensor([2., float("nan"), 2.])))
edges = torch.tensor([[3, 1, 3, 0, 1], [2, 2, 2, 5, 0]])
print(edges.unique(dim=1), torch.unique(edges.T, dim=0, return_inverse=True, return_counts=True), torch.unique(x.new_tensor([[[1, 0], [1, 0]], [[0, 2], [1, 0]]]), dim=-2))
print(torch.zeros(0, 3).unique(dim=0, return_counts=True), torch.tensor([True, False, True]).unique(dim=0))
for call in (lambda: torch.tensor(3).unique(dim=0), lambda: torch.zeros(3, 0).unique(dim=0)):
    try:
        print(call())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)

# %% searchsorted-and-bucketize
edges = torch.tensor([1., 3., 5., 7.])
x = torch.tensor([[3., 6.], [0., 9.]])
print(torch.searchsorted(edges, x), torch.searchsorted(edges, x, right=True), torch.searchsorted(edges, 3.0), torch.bucketize(x, edges, right=True))
rows = torch.tensor([[1., 3., 5.], [2., 4., 6.]])
print(torch.searchsorted(rows, torch.tensor([[3., 9.], [4., 1.]]), side="right"), torch.bucketize(torch.tensor([2, 8]), torch.tensor([2, 4]), out_int32=True))

# %% counting
x = torch.tensor([1, 3, 1, 0])
print(torch.bincount(x), torch.bincount(x, minlength=6), torch.bincount(x, weights=torch.tensor([0.5, 1., 0.5, 2.])))
print(torch.isin(x, torch.tensor([1, 7])), torch.isin(x, 0, invert=True), torch.isin(torch.tensor([[1., 2.]]), torch.tensor([2, 3])))

# %% order-of-equal-elements
def digest(indices):
    return (indices.flatten() * torch.arange(indices.numel()) % 1009).sum().item()


x = torch.arange(40) * 7919 % 5
print(x[:16].sort().indices, x[:17].sort().indices, x.sort(descending=True).indices, x.float().argsort(), sep="\n")
print(x.sort(stable=True).indices, torch.argsort(x, stable=True, descending=True), sep="\n")
for n in (100, 1000, 40_000):
    for top in (2, 7, 300):
        x = torch.arange(n) * 7919 % 10007 % top
        y = x.double() - 1
        print(n, top, digest(x.sort().indices), digest(y.sort(descending=True).indices), digest(y.float().argsort()))
        print(digest(torch.stack([x, -x]).sort(1).indices), y.median(0).indices)
rows = (torch.arange(600) * 31 % 3).reshape(20, 30).float()
print(digest(rows.sort(0).indices), digest(rows.sort(1).indices), digest(rows.t().sort(1, True).indices), sep="\n")
print((rows[0] > 1).sort().indices, torch.tensor([0., -0.] * 10).sort(), torch.tensor([float("nan"), 1.] * 10).sort(descending=True), sep="\n")
probs = torch.tensor([0.3] + [0.05] * 14 + [0.0] * 10)
values, indices = torch.sort(probs, descending=True)
print(indices[values.cumsum(0) < 0.9], indices[-3:])

# %% middle-and-most-frequent-exactly
x = torch.tensor([2**60 + 1, 2**60 + 1, 2**60, 2**60 + 3])
print(x.median(), x.median(0), x.view(2, 2).median(1, keepdim=True))
y = torch.tensor([[3., float("nan"), 1.], [float("nan"), 2., float("nan")]])
print(y.median(), y.median(1), torch.tensor(5.).median(0))
