"""Making tensors: constructors, ranges, *_like, inferred dtypes."""

# %% tensor-infers-dtype
for data in (1, 1.0, True, [1, 2], [1, 2.0], [True, False], [True, 2], [True, 2.5], [], [[]], [[1], [2]], (3, 4), 1e3, -0.0):
    t = torch.tensor(data)
    print(repr(data), t.dtype, tuple(t.shape), t)

# %% tensor-dtype-argument
print(torch.tensor([1, 2], dtype=torch.float32), torch.tensor([1.9, -1.9], dtype=torch.int64))
print(torch.tensor([0, 1, 2], dtype=torch.bool), torch.tensor([0.0, 0.5], dtype=torch.bool))
print(torch.tensor([1, 2], dtype=torch.float64), torch.tensor(3, dtype=torch.float16))
print(torch.tensor([[1.5]], dtype=torch.double).dtype, torch.tensor([1], dtype=torch.long).dtype, torch.tensor([1], dtype=torch.int).dtype)

# %% tensor-copies-its-list
data = [[1.0, 2.0], [3.0, 4.0]]
t = torch.tensor(data)
data[0][0] = 99.0
t[1, 1] = -1
print(t, data)

# %% tensor-from-tensor-values
a = torch.tensor(2.5)
b = torch.tensor([a, a * 2, torch.tensor(1.0)])
print(b, b.dtype)
rows = [torch.tensor([1, 2]), torch.tensor([3, 4])]
print(torch.stack(rows), torch.tensor([r.tolist() for r in rows]))

# %% zeros-ones-full-shapes
print(torch.zeros(2, 3), torch.zeros((2, 3)).shape, torch.zeros([2, 3]).shape, torch.zeros(torch.Size([1, 2])), torch.zeros(()))
print(torch.ones(2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.bool), torch.ones(size=(1, 3)))
print(torch.full((2, 2), 3), torch.full((2,), 3.5), torch.full((2,), True), torch.full([3], 7, dtype=torch.float64), torch.full(size=(1,), fill_value=-2))

# %% eye-forms
print(torch.eye(3), torch.eye(2, 4), torch.eye(4, 2, dtype=torch.int64))
print(torch.eye(0), torch.eye(2, dtype=torch.bool), torch.eye(n=2, m=3))

# %% arange-forms
print(torch.arange(5), torch.arange(2, 7), torch.arange(7, 2, -2), torch.arange(0, 1, 0.25))
print(torch.arange(5.0), torch.arange(3, dtype=torch.float32), torch.arange(start=1, end=10, step=4))
print(torch.arange(0), torch.arange(3, 3), torch.arange(-3, 3), torch.arange(1, 2, 0.3), torch.arange(0.5, 3))
print(torch.arange(10, 0, -3).dtype, torch.arange(0, 2, 0.5).dtype)

# %% arange-wrong-direction
for args in ((5, 0), (0, 5, -1), (0, 5, 0)):
    try:
        print(torch.arange(*args))
    except Exception as e:
        print(args, type(e).__name__, e)

# %% linspace-forms
print(torch.linspace(0, 1, 5), torch.linspace(-1, 1, steps=3), torch.linspace(3, 3, 2), torch.linspace(0, 10, 1))
print(torch.linspace(0, 1, 0), torch.linspace(1, 0, 4), torch.linspace(0, 10, 5, dtype=torch.int64), torch.linspace(start=0, end=1, steps=2, dtype=torch.float64))

# %% like-functions
x = torch.arange(6).reshape(2, 3)
print(torch.zeros_like(x), torch.ones_like(x, dtype=torch.float32), torch.full_like(x, 9), torch.full_like(x.float(), 0.5))
print(torch.zeros_like(x.T).stride(), torch.empty_like(x).shape, torch.empty_like(x, dtype=torch.bool).dtype)
print(torch.zeros_like(x[:, ::2]).stride(), torch.ones_like(torch.zeros(2, 0)))

# %% new-methods
x = torch.ones(2, dtype=torch.float64)
print(x.new_zeros(2, 2), x.new_ones((3,)), x.new_full((2,), 7), x.new_tensor([1, 2]), x.new_empty(2, 0))
print(torch.ones(2, dtype=torch.int64).new_zeros(3), torch.ones(2).new_tensor([[True]]).dtype)

# %% as-tensor-and-from
a = torch.ones(2)
b = torch.as_tensor(a)
b[0] = 5
print(a, b is a, torch.as_tensor(a, dtype=torch.int64), torch.as_tensor([1, 2.5]), torch.as_tensor(3))

# %% scalar-constructors
print(torch.FloatTensor([1, 2]), torch.LongTensor([1, 2]), torch.FloatTensor([1]).dtype, torch.LongTensor([[1], [2]]).shape)
print(torch.Tensor([1, 2]), torch.Tensor(2, 3).shape, torch.BoolTensor([True, False]), torch.DoubleTensor([1]).dtype)

# %% default-dtype-switch
print(torch.get_default_dtype(), torch.tensor(1.0).dtype)
torch.set_default_dtype(torch.float64)
print(torch.tensor([1.0]), torch.zeros(2), torch.tensor([1.0], dtype=torch.float32), torch.arange(3.0), torch.tensor(1) / 2)
torch.set_default_dtype(torch.float32)
print(torch.tensor([1.0]), torch.zeros(1, dtype=torch.float64))

# %% tril-triu-of-ones
for d in (-2, -1, 0, 1, 2, 5):
    print(d, torch.tril(torch.ones(3, 4), diagonal=d).tolist(), torch.ones(3, 4).triu(d).tolist())

# %% triu-batched-and-bool
x = torch.arange(1, 19).view(2, 3, 3)
print(torch.triu(x, 1))
print(torch.tril(x, -1)[1], torch.triu(torch.ones(3, 3, dtype=torch.bool), diagonal=1))
m = torch.ones(3, 3)
m.tril_()
print(m, m.triu_(1))

# %% tril-indices-and-combinations
print(torch.tril_indices(3, 3), torch.triu_indices(3, 3, offset=1))
i, j = torch.triu_indices(3, 3, 1)
m = torch.zeros(3, 3)
m[i, j] = 1
print(m)

# %% diag-family
print(torch.diag(torch.tensor([1, 2, 3])), torch.diag(torch.tensor([1, 2]), 1), torch.diag(torch.arange(9).view(3, 3)), torch.diag(torch.arange(9).view(3, 3), -1))
x = torch.arange(12).view(3, 4)
print(x.diagonal(), x.diagonal(1), x.diagonal(offset=-1), torch.arange(8).view(2, 2, 2).diagonal(dim1=1, dim2=2))
x.diagonal().fill_(0)
print(x, torch.diag_embed(torch.tensor([[1., 2.], [3., 4.]])))

# %% meshgrid-cartesian
a, b = torch.meshgrid(torch.arange(3), torch.arange(2), indexing="ij")
print(a, b)
c, d = torch.meshgrid(torch.arange(3), torch.arange(2), indexing="xy")
print(c.shape, d)

# %% empty-tensors
for t in (torch.empty(0), torch.empty(0, 3), torch.zeros(2, 0, 3), torch.empty(0, dtype=torch.int64), torch.empty(0, 2, dtype=torch.bool), torch.tensor([[], []])):
    print(t, t.numel(), t.shape)
print(torch.empty(0).sum(), torch.zeros(0, 3).sum(0), torch.zeros(0, 3).sum(1), torch.cat([torch.empty(0), torch.ones(2)]))
