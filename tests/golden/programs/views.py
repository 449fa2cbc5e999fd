"""What shares memory with what, strides, reshaping."""

# %% view-shares
x = torch.arange(6)
v = x.view(2, 3)
v[0, 0] = 100
x[5] = -1
print(x, v, v.data_ptr() == x.data_ptr(), v.view(-1).shape, v.view(3, -1), v.view(-1, 6).shape)

# %% view-fails-where-reshape-copies
x = torch.arange(6).view(2, 3)
t = x.t()
try:
    t.view(6)
except RuntimeError as e:
    print(e)
r = t.reshape(6)
r[0] = 50
print(x, r, t.is_contiguous(), t.contiguous().view(6), r.data_ptr() == x.data_ptr(), x.reshape(3, 2).data_ptr() == x.data_ptr())

# %% transposes
x = torch.arange(24).view(2, 3, 4)
for t in (x.transpose(0, 1), x.transpose(-1, -2), x.permute(2, 0, 1), x.permute((1, 0, 2)), x.mT, x.swapaxes(0, 2), x.movedim(0, -1), torch.permute(x, dims=(0, 2, 1))):
    print(tuple(t.shape), t.stride(), t.is_contiguous(), t.storage_offset())
print(x.transpose(1, 2)[1])

# %% capital-t
print(torch.arange(6).view(2, 3).T, torch.arange(3).T, torch.tensor(1).T, torch.ones(1, 3).T.shape, torch.arange(6).view(2, 3).mT)

# %% writing-through-a-transpose
w = torch.zeros(2, 3)
w.T[0] = torch.tensor([1., 2.])
w.t()[2, 1] = 9
w.transpose(0, 1)[1] += 5
print(w)

# %% rows-and-slices-alias
x = torch.zeros(3, 4)
row, block, col = x[1], x[:2, 1:3], x[:, 3]
row += 1
block.mul_(10)
col.fill_(7)
print(x, row, block, col.stride(), block.storage_offset(), x[::2].stride(), x[1:, 2:].is_contiguous())

# %% expand-has-no-memory
x = torch.tensor([[1.], [2.]])
e = x.expand(2, 3)
print(e, e.stride(), e.is_contiguous(), x.expand(-1, 2), x.expand(4, 2, 3).shape, e.contiguous().stride())
x[0] = 8
print(e)
for sizes in ((3, 3), (2,), (-1, 2, 3)):
    try:
        print(x.expand(*sizes).shape)
    except RuntimeError as err:
        print(err)

# %% write-to-an-expanded-tensor
e = torch.zeros(1).expand(3)
try:
    e[0] = 1
    e.add_(1)
except RuntimeError as err:
    print(str(err).split(".")[0])
print(torch.zeros(2, 1).expand_as(torch.ones(2, 3)).shape, torch.broadcast_to(torch.arange(3), (2, 3)))

# %% squeeze-unsqueeze
x = torch.zeros(1, 3, 1, 2)
print(x.squeeze().shape, x.squeeze(0).shape, x.squeeze(1).shape, x.squeeze(-2).shape, x.squeeze((0, 2)).shape, torch.squeeze(x, dim=2).shape)
y = torch.arange(3)
print(y.unsqueeze(0), y.unsqueeze(1), y.unsqueeze(-1).shape, y[None, :, None].shape, torch.unsqueeze(y, dim=-2).shape, torch.tensor(5).unsqueeze(0))
z = torch.zeros(2)
z.unsqueeze_(0)
print(z.shape, z.squeeze_().shape, z.unsqueeze(0).squeeze(0).data_ptr() == z.data_ptr())

# %% flatten-unflatten
x = torch.arange(24).view(2, 3, 4)
print(x.flatten().shape, x.flatten(1).shape, x.flatten(0, 1).shape, x.flatten(start_dim=-2).shape, torch.flatten(x, 1, 2)[0], torch.tensor(3).flatten())
print(x.unflatten(2, (2, 2)).shape, x.unflatten(-1, (-1, 1)).shape, torch.unflatten(x, 0, (1, 2)).shape, x.ravel().shape, x.unflatten(dim=1, sizes=(3, 1)).shape)
try:
    x.unflatten(1, (2, 2))
except RuntimeError as e:
    print(e)

# %% view-as-and-minus-one
x = torch.arange(12)
print(x.view_as(torch.zeros(3, 4)), x.reshape_as(torch.zeros(2, 6)).shape, x.view(2, -1, 3).shape, x.reshape(-1).shape, x.view((4, 3)).shape, x.view(torch.Size([6, 2])).shape)
for shape in ((5, -1), (-1, -1), (7,), (-1, 0), (-2, 6)):
    try:
        print(x.view(*shape).shape)
    except RuntimeError as e:
        print(e)

# %% contiguous-and-strides
x = torch.arange(12).view(3, 4)
s = x[:, 1::2]
print(s.stride(), s.storage_offset(), s.is_contiguous(), s.contiguous().stride(), x.contiguous() is x, x.T.contiguous().is_contiguous(), x.stride(0), x.stride(-1))
c = s.clone()
c[0, 0] = 99
print(x[0], c.stride(), x.T.clone().stride(), s.numel(), torch.zeros(2, 0, 3).stride(), torch.zeros(1, 5).T.is_contiguous())

# %% detach-data-clone
x = torch.ones(2, requires_grad=True)
d, c, data = x.detach(), x.clone(), x.data
d[0] = 5
print(x, d, c, data, d.requires_grad, c.requires_grad, data.requires_grad, c.is_leaf)

# %% inplace-returns-self
x = torch.ones(3)
y = x.add_(1).mul_(2)
print(y is x, x, x.add(1) is x, x.zero_() is x, x.view(3) is x, x.t() is x)

# %% augmented-assignment-on-names
def shift(t):
    t += 1
    t = t * 10
    return t
a = torch.zeros(2)
b = shift(a)
print(a, b)
c = a
c = c + 1
d = a
d -= 5
print(a, c, d is a)

# %% shared-row-in-a-list
x = torch.zeros(2, 2)
rows = [r for r in x]
rows[0].fill_(3)
first, second = x
second[:] = torch.tensor([7., 8.])
print(x, list(x.unbind(0)), len(rows))

# %% split-and-chunk-are-views
x = torch.arange(10.)
a, b, c = x.split([2, 3, 5])
b.zero_()
p, q = x.chunk(2)
q[-1] = 100
print(x, a, c, p.storage_offset(), q.storage_offset())

# %% narrow-select-unfold
x = torch.arange(10)
print(x.narrow(0, 2, 3), x.view(2, 5).select(1, 2), x.unfold(0, 4, 3), x.view(2, 5).narrow(-1, 1, 2), torch.narrow(x, 0, 0, 2))
w = x.unfold(0, 4, 2)
print(w.shape, w.stride(), torch.select(x.view(2, 5), 0, -1))

# %% as-strided
x = torch.arange(9)
print(x.as_strided((3, 3), (1, 2)), x.as_strided((2, 2), (3, 1), 4))

# %% head-splitting-round-trip
b, t, h, d = 1, 3, 2, 2
x = torch.arange(12.).view(b, t, h * d)
heads = x.view(b, t, h, d).transpose(1, 2)
print(heads, heads.stride(), heads.is_contiguous())
back = heads.transpose(1, 2).contiguous().view(b, t, h * d)
print(torch.equal(back, x), heads.transpose(1, 2).reshape(b, t, -1).data_ptr() == x.data_ptr())
wrong = x.view(b, h, t, d)
print(torch.equal(wrong, heads), wrong)
try:
    heads.view(b, t, h * d)
except RuntimeError as e:
    print(e)

# %% dtype-conversion-copies-or-not
x = torch.ones(2)
same, other = x.to(torch.float32), x.to(torch.float64)
same[0] = 3
print(x, other, same is x, x.float() is x, x.double() is x, x.to(x) is x, x.to("cpu") is x, x.cpu() is x, x.to(torch.float32, copy=True) is x)
