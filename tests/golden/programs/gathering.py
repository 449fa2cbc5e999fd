"""Reading and writing along a dimension: gather, scatter, index_select, index_add, take, masks."""

# %% gather-picks-along-a-dimension
x = torch.arange(12.).view(3, 4)
i = torch.tensor([[0, 2], [1, 1], [3, 0]])
print(x.gather(1, i), torch.gather(x, 0, torch.tensor([[2, 0, 1, 0]])), x.gather(-1, x.argmax(-1, keepdim=True)))
print(x.t().gather(0, i.t()))

# %% gather-refuses
x = torch.arange(6.).view(2, 3)
for index, dim in ((torch.tensor([0]), 0), (torch.tensor([[5]]), 0), (torch.tensor([[-1]]), 1), (torch.tensor([[0, 1], [0, 1], [0, 1]]), 1), (torch.tensor([[0.]]), 0), (torch.tensor([[0]]), 2)):
    try:
        print(x.gather(dim, index))
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)

# %% scatter-a-value-or-a-source
x = torch.zeros(3, 4)
i = torch.tensor([[0, 2], [1, 1], [3, 0]])
print(x.scatter(1, i, 1.0), x.scatter(1, i, torch.arange(6.).view(3, 2)), x)
print(x.scatter_(0, torch.tensor([[2, 0, 1, 0]]), -1.0), torch.zeros(2, 3, dtype=torch.int64).scatter_(1, torch.tensor([[2], [0]]), 1))

# %% scatter-with-a-sum
x = torch.ones(2, 3)
i = torch.tensor([[0, 0, 2], [1, 1, 1]])
s = torch.tensor([[1., 2., 3.], [4., 5., 6.]])
print(x.scatter_add(1, i, s))

# %% scatter-refuses
x = torch.zeros(2, 3)
i = torch.tensor([[0, 1]])
for call in (lambda: x.scatter(0, i, torch.ones(2, 3).long()), lambda: x.scatter(0, torch.tensor([[0, 0, 0, 0]]), 1.0), lambda: x.scatter(0, torch.tensor([[5]]), 1.0), lambda: x.scatter(0, i, torch.ones(1, 1))):
    try:
        print(call())
    except RuntimeError as e:
        print(e)

# %% index-select-fill-add-copy
x = torch.arange(6.).view(3, 2)
i = torch.tensor([2, 0])
print(x.index_select(0, i), torch.index_select(x, 1, torch.tensor([1])), x.index_fill(0, i, -1), x.index_fill(1, torch.tensor([0]), 9.5))
print(x.index_add(0, i, torch.ones(2, 2)), x.index_add(0, torch.tensor([1, 1]), torch.ones(2, 2), alpha=2), x.index_copy(0, i, torch.zeros(2, 2)))
y = x.clone()
y.index_fill_(0, torch.tensor([1]), 7).index_add_(1, torch.tensor([0]), torch.ones(3, 1))
print(y, x)

# %% index-errors
x = torch.arange(6.).view(3, 2)
for call in (lambda: x.index_select(0, torch.tensor([3])), lambda: x.index_select(0, torch.tensor([[0]])), lambda: x.index_select(0, torch.tensor([0.])), lambda: x.index_fill(0, torch.tensor([3]), 1)):
    try:
        print(call())
    except (RuntimeError, IndexError) as e:
        print(type(e).__name__, e)

# %% masks
x = torch.arange(6.).view(2, 3)
m = torch.tensor([[True, False, True], [False, True, False]])
print(x.masked_fill(m, float("-inf")), x.masked_select(m), x.masked_select(m[0]), x.masked_scatter(m, torch.tensor([10., 20., 30.])))
print(x.masked_fill(m[:, :1], 0), x.long().masked_fill(m, 1.7), x.masked_fill_(m, 9), x)
for call in (lambda: x.masked_fill(m.long(), 0), lambda: x.masked_fill(m.t(), 0), lambda: x.masked_fill(m, torch.tensor([1., 2.])), lambda: x.half().masked_fill(m, -1e9), lambda: x.long().masked_fill(m, float("-inf"))):
    try:
        print(call())
    except RuntimeError as e:
        print(e)

# %% nonzero
m = torch.tensor([[0, 2, 0], [3, 0, 4]])
print(m.nonzero(), m.nonzero(as_tuple=True), torch.where(m > 0), torch.argwhere(m > 2), torch.nonzero(torch.zeros(2)), torch.tensor(3).nonzero())
