"""What lies where in memory: strides of results, what aliases, twins that change shape in place."""

# %% pointwise-results-lie-as-their-operands
x = torch.arange(6.).view(2, 3)
print((x.t() + 1).stride(), (x.t() * x.t()).is_contiguous(), (x.t() > 1).stride(), x.t().exp().stride(), (x.t() + torch.ones(2)).stride())
print((x + x.t().reshape(2, 3)).stride(), x.t().double().stride(), torch.zeros_like(x.t()).stride(), x.t().clone().stride(), x.t().contiguous().stride())
try:
    (x.t() * 2).view(6)
except RuntimeError as e:
    print(e)

# %% copies-that-are-row-major
x = torch.arange(24.).view(2, 3, 4)
y = x.transpose(0, 2)
print(torch.cat([y, y]).stride(), torch.stack([y, y]).stride(), y.tril().stride(), y.masked_fill(y > 3, 0).stride(), y.flip(0).stride(), y.roll(1, 0).stride(), y.repeat(1, 1, 1).stride())
print(y[[0, 1]].stride(), y[:, [0, 1]].stride(), y[:, :, [0, 1]].stride(), y.index_select(1, torch.tensor([0])).stride(), y.gather(0, torch.zeros(1, 3, 2, dtype=torch.int64)).stride())

# %% expanded-views-share-elements
x = torch.tensor([[1.], [2.]])
y = x.expand(2, 3)
print(y, y.stride(), y.is_contiguous(), x.expand(4, -1, 2).shape, y.data_ptr() == x.data_ptr(), y.contiguous().stride(), y.clone().stride())
x[0] = 5
print(y)
try:
    y.add_(1)
except RuntimeError as e:
    print(e)

# %% shape-in-place
x = torch.arange(6.)
y = x.view(2, 3)
y.t_()
print(y, y.stride(), x)
y.unsqueeze_(0).squeeze_(0).transpose_(0, 1)
print(y.shape, y.data_ptr() == x.data_ptr(), x.numel())

# %% windows-diagonals-and-strides
x = torch.arange(12.).view(3, 4)
d = x.diagonal()
d.zero_()
print(x, d.stride(), x.diagonal(1), x.diagonal(-1).stride(), torch.diag(torch.tensor([1, 2]), 1), x.diag(2), torch.diag_embed(torch.ones(2, 2)))
print(x.unfold(1, 2, 1).shape, x.unfold(0, 2, 1)[0], x.as_strided((2, 2), (1, 4), 1), x.t().flatten().data_ptr() == x.data_ptr(), x.view(-1).data_ptr() == x.data_ptr())

# %% splitting-gives-views
x = torch.arange(10.)
a, b = x.split([3, 7])
a[0] = 100
print(x, b.storage_offset(), [p.tolist() for p in x.chunk(3)], [p.shape[0] for p in x.split(4)], x.view(2, 5).unbind(1)[4])
for call in (lambda: x.split([3, 3]), lambda: x.split(0), lambda: x.chunk(0), lambda: x.narrow(0, 8, 3), lambda: x.select(0, 10)):
    try:
        print(call())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)

# %% grad-fn-of-views-and-copies
x = torch.ones(2, 3, requires_grad=True)
for y in (x.T, x.t(), x.mT, x[0], x[:, 1:], x[..., None], x[[0]], x.view(6), x.reshape(3, 2), x.t().reshape(6), x.flatten(), x.squeeze(), x.squeeze(0), x.permute(1, 0), x.chunk(2)[0], x.split([1, 1])[0], x.tril(), x.repeat(1, 2), x.repeat_interleave(2), x.roll(1), x.flip(0), x.diagonal(), x.expand(2, 2, 3), x.masked_fill(x > 0, 0), x.topk(2).values, x.sort().values, x.gather(1, torch.zeros(2, 1, dtype=torch.int64)), torch.cat([x, x]), torch.stack([x, x]), torch.vstack([x, x])):
    print(y.grad_fn.name())

# %% assignment-through-index-tensors
x = torch.zeros(3, 3)
x[[0, 2], [1, 1]] = torch.tensor([5., 6.])
x[torch.tensor([True, False, False])] += 1
x[:, [0, 2]] = torch.tensor([[7.], [8.], [9.]])
print(x)
for change in (lambda: x.__setitem__(0, [1, 2, 3]), lambda: x.__setitem__([0], torch.tensor(5)), lambda: x.__setitem__(x > 8, torch.ones(5)), lambda: x.__setitem__((0, 5), 1), lambda: x.__setitem__(0, 1e50), lambda: x.__setitem__(0, torch.ones(2))):
    try:
        change()
    except (RuntimeError, IndexError, TypeError) as e:
        print(type(e).__name__, e)
