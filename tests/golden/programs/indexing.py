"""Reading elements: every form of subscript."""

# %% integers-and-negatives
x = torch.arange(12).view(3, 4)
print(x[0], x[-1], x[1, 2], x[-1, -1], x[1][2], x[(2, 0)], x[torch.tensor(1)], x[1, 2].item(), x[0].shape, x[2, 3].shape)

# %% slices-with-steps
x = torch.arange(10)
print(x[2:5], x[:3], x[7:], x[::3], x[-4:-1], x[5:2], x[100:], x[:-100], x[1:8:2], x[:])
m = x.view(2, 5)
print(m[:, 1:3], m[1:, ::2], m[:1], m[:, -1:], m[:, -1], m[0:0].shape)
try:
    x[::-1]
except ValueError as e:
    print(type(e).__name__, e)

# %% ellipsis-and-none
x = torch.arange(24).view(2, 3, 4)
print(x[..., 0], x[0, ...].shape, x[..., 1:3].shape, x[..., None].shape, x[None].shape, x[:, None, :, None].shape, x[..., -1, :].shape, x[...] .shape, x[1, ..., 2])

# %% lists-of-positions
x = torch.arange(12).view(3, 4)
print(x[[0, 2]], x[:, [1, 3]], x[[0, 1], [2, 3]], x[[2]], x[[-1, 0, 0]], x[[]].shape, x[[0, 2], :][:, [0, 1]])
print(x[torch.tensor([[0, 1], [1, 2]])].shape)

# %% tensor-positions
x = torch.arange(12).view(3, 4) * 10
i = torch.tensor([0, 2, 1])
j = torch.tensor([[0], [1]])
print(x[i], x[i, i], x[j, i].shape, x[j, i], x[:, i].shape, x[i, 1:3], x[i[:2], :, None].shape)

# %% indices-with-a-gap
x = torch.arange(24).view(2, 3, 4)
i = torch.tensor([0, 1])
print(x[i, :, i].shape, x[i, :, i], x[:, i, i].shape, x[0, :, i].shape, x[..., i].shape, x[i, None, i].shape, x[:, [0, 2], 1:3].shape)

# %% boolean-masks
x = torch.tensor([[1., -2.], [3., -4.]])
print(x[x > 0], x[x < 0].sum(), x[x > 100], x[torch.tensor([True, False])], x[:, torch.tensor([False, True])], x[[True, False]], x[(x > 0) & (x < 2)])
y = torch.arange(5)
print(y[y % 2 == 0], y[~(y > 2)], y[(y == 0) | (y == 4)], y[torch.tensor(True)].shape, y[True].shape, y[False].shape)

# %% mask-with-integer
x = torch.arange(12).view(3, 4)
m = torch.tensor([True, False, True])
print(x[m, 1], x[m][:, 0], x[m, -1:], x[m, torch.tensor([1, 2])], x[m].shape)

# %% mask-of-wrong-size
x = torch.arange(6).view(2, 3)
for index in (torch.tensor([True, False, True]), torch.ones(3, 3, dtype=torch.bool)):
    try:
        print(x[index])
    except IndexError as e:
        print(e)

# %% out-of-range
x = torch.zeros(2, 3)
for read in (lambda: x[2], lambda: x[-3], lambda: x[0, 3], lambda: x[0, 0, 0], lambda: x[[0, 5]], lambda: x[:, torch.tensor([3])], lambda: torch.tensor(1)[0], lambda: x["a"], lambda: x[1.0], lambda: x[None, 2]):
    try:
        print(read())
    except Exception as e:
        print(type(e).__name__, e)

# %% embedding-lookup-by-hand
table = torch.tensor([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
ids = torch.tensor([[2, 0, 1], [1, 1, 1]])
print(table[ids].shape, table[ids][0], torch.equal(table[ids], F.embedding(ids, table)), table[ids[0, 0]], table[ids, 1])

# %% words-to-rows
words = "the cat saw the dog".split()
vocab = {w: i for i, w in enumerate(sorted(set(words)))}
ids = torch.tensor([vocab[w] for w in words])
print(vocab, ids, torch.eye(len(vocab))[ids], torch.eye(len(vocab), dtype=torch.long)[ids].sum(0))

# %% take-and-flat-index
x = torch.arange(6).view(2, 3) * 2
print(x.flatten()[4], x.view(-1)[[0, 3]])

# %% iterate-and-unpack
x = torch.arange(6).view(3, 2)
for row in x:
    print(row, row.sum().item(), [int(v) for v in row])
(a, b), (c, d), _ = x
print(a, d, [r.tolist() for r in x], list(enumerate(x[0])), dict(zip("ab", x[0])), sum(x), max(x[:, 0]), 3 in x, 9 in x, len(x))

# %% nonzero-and-where
x = torch.tensor([[0, 3], [4, 0]])
print(torch.nonzero(x), x.nonzero().shape, torch.nonzero(x, as_tuple=True), torch.where(x > 0), x[torch.where(x > 0)], torch.nonzero(torch.zeros(3)), torch.tensor(1).nonzero())
print(torch.where(x > 0, x, -1), torch.where(x > 3, 1.0, 0.0), torch.argwhere(x == 0), torch.count_nonzero(x), torch.count_nonzero(x, dim=0))

# %% gather-forms
x = torch.arange(6).view(2, 3)
print(torch.gather(x, 1, torch.tensor([[0, 0], [2, 1]])), x.gather(0, torch.tensor([[1, 0, 1]])), x.gather(dim=-1, index=torch.tensor([[2], [0]])))
logp = torch.log_softmax(torch.tensor([[1., 2., 3.], [1., 1., 1.]]), -1)
y = torch.tensor([2, 0])
print(logp.gather(1, y.unsqueeze(1)).squeeze(1), logp[torch.arange(2), y], -logp[range(2), y].mean())
try:
    x.gather(1, torch.tensor([[3]]))
except Exception as e:
    print(type(e).__name__, e)

# %% index-select-and-masked-select
x = torch.arange(12).view(3, 4)
print(torch.index_select(x, 0, torch.tensor([2, 0])), x.index_select(1, torch.tensor([3, 3])), torch.masked_select(x, x > 8), x.masked_select(torch.tensor([True, False, False, True])))
for bad in (lambda: x.index_select(0, torch.tensor([3])), lambda: x.index_select(2, torch.tensor([0])), lambda: torch.index_select(x, 0, torch.tensor([[0]]))):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__, e)
