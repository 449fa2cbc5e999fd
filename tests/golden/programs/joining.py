"""Putting tensors together and taking them apart."""

# %% cat-forms
a, b = torch.arange(4).view(2, 2), torch.arange(10, 14).view(2, 2)
print(torch.cat([a, b]), torch.cat((a, b), dim=1), torch.cat([a, b], -1), torch.cat([a], 0), torch.concat([a, b], dim=0).shape, torch.cat([a, a[:0]]), torch.cat([torch.tensor([1]), torch.tensor([2.5])]), torch.cat([a, b], axis=1).shape, torch.concatenate([a, b]).shape)

# %% cat-fails
for ts, d in (([torch.ones(2, 2), torch.ones(3, 3)], 0), ([torch.ones(2, 2), torch.ones(2, 3)], 0), ([torch.ones(2), torch.ones(2, 2)], 0), ([torch.ones(2), torch.ones(2)], 1), ([], 0), ([torch.tensor(1.), torch.tensor(2.)], 0), ([torch.ones(2, 2), torch.ones(3, 2)], 1)):
    try:
        print(torch.cat(ts, dim=d).shape)
    except Exception as e:
        print(type(e).__name__, e)

# %% stack-forms
a, b = torch.tensor([1, 2]), torch.tensor([3, 4])
print(torch.stack([a, b]), torch.stack((a, b), dim=1), torch.stack([a, b], -1), torch.stack([torch.tensor(1.), torch.tensor(2.)]), torch.stack([a, b], dim=-2).shape, torch.stack([a, b.float()]))
for ts, d in (([a, torch.tensor([1])], 0), ([a, b], 2), ([], 0)):
    try:
        print(torch.stack(ts, dim=d))
    except Exception as e:
        print(type(e).__name__, e)

# %% stack-makes-a-batch
inputs = torch.tensor([[0.5, 0.1], [0.2, 0.9], [0.7, 0.7]])
batch = torch.stack((inputs, inputs), dim=0)
batch[0, 0, 0] = 9
print(batch.shape, inputs[0, 0], batch[1, 0, 0], (batch @ batch.transpose(1, 2)).shape)

# %% split-forms
x = torch.arange(10)
print(x.split(3), torch.split(x, [2, 5, 3]), x.view(2, 5).split(2, dim=1), torch.split(x.view(5, 2), 2)[2], [t.shape for t in x.view(2, 5).split([1, 4], -1)], type(x.split(4)))
try:
    x.split([3, 3])
except RuntimeError as e:
    print(e)

# %% chunk-forms
x = torch.arange(7)
print(x.chunk(3), torch.chunk(x, 7)[6], x.view(1, 7).chunk(2, dim=-1), x.chunk(10), [c.numel() for c in torch.arange(10).chunk(4)])
q, k, v = torch.arange(18).view(3, 6).chunk(3, dim=-1)
print(q, v, k.is_contiguous(), k.stride())

# %% unbind-forms
x = torch.arange(6).view(2, 3)
print(x.unbind(), torch.unbind(x, dim=1), [t.item() for t in x[0].unbind()])
a, b = x.unbind(0)
a[0] = 77
print(x, type(x.unbind()))
try:
    torch.tensor(1).unbind()
except Exception as e:
    print(type(e).__name__, e)

# %% qkv-from-one-projection
b, t, h, d = 1, 2, 2, 2
qkv = torch.arange(b * t * 3 * h * d).view(b, t, 3, h, d)
q, k, v = qkv.permute(2, 0, 3, 1, 4)
print(q.shape, k[0, 1], v.stride(), torch.equal(q, qkv.permute(2, 0, 3, 1, 4).unbind(0)[0]))
q2, k2, v2 = qkv.view(b, t, -1).split(h * d, dim=2)
print(torch.equal(q2.view(b, t, h, d).transpose(1, 2), q), q2.shape)

# %% repeat-forms
x = torch.tensor([[1, 2]])
print(x.repeat(2, 2), x.repeat(3, 1, 1).shape, torch.tensor([1, 2]).repeat(2), x.repeat((1, 3)), x.tile(2), torch.tile(x, (2, 1)), x.repeat(0, 2).shape, torch.tensor(5).repeat(3))
try:
    x.repeat(2)
except RuntimeError as e:
    print(e)

# %% repeat-interleave-forms
x = torch.tensor([[1, 2], [3, 4]])
print(x.repeat_interleave(2), x.repeat_interleave(2, dim=0), torch.repeat_interleave(x, 3, dim=1), torch.repeat_interleave(x, torch.tensor([1, 2]), dim=0), torch.repeat_interleave(torch.tensor([2, 0, 1])), torch.tensor([5, 6]).repeat_interleave(torch.tensor([3, 1])))

# %% grouped-keys
k = torch.arange(8.).view(1, 2, 2, 2)
print(k.repeat_interleave(2, dim=1), torch.equal(k.repeat_interleave(2, dim=1), k[:, :, None].expand(1, 2, 2, 2, 2).reshape(1, 4, 2, 2)), k.repeat(1, 2, 1, 1)[0, :, 0, 0])

# %% flip-and-roll
x = torch.arange(6).view(2, 3)
print(x.flip(0), torch.flip(x, dims=(0, 1)), x.flip(-1), x.roll(1), torch.roll(x, 1, dims=1), x.roll(shifts=(1, -1), dims=(0, 1)), x.flip([1]).stride(), torch.roll(torch.arange(5), -2))

# %% movedim-and-swap
x = torch.zeros(2, 3, 4)
print(torch.movedim(x, 0, 2).shape, x.movedim((0, 1), (1, 2)).shape, torch.swapaxes(x, 0, 1).shape, x.transpose(-3, -1).shape, x.permute(-1, 0, 1).shape, torch.moveaxis(x, -1, 0).shape)
for f in (lambda: x.permute(0, 1), lambda: x.permute(0, 0, 1), lambda: x.transpose(0, 3), lambda: x.permute(0, 1, 3), lambda: x.t()):
    try:
        print(f().shape)
    except Exception as e:
        print(type(e).__name__, e)

# %% pad-forms
x = torch.arange(4.).view(2, 2)
print(F.pad(x, (1, 1)), F.pad(x, (0, 1, 1, 0), value=9), F.pad(x, (-1, 0)), F.pad(torch.arange(3), (2, 0), "constant", 7), F.pad(input=x, pad=(1, 0), mode="constant", value=-1.5), F.pad(x, (0, 0, 2, 0)).shape)

# %% windows-over-tokens
ids = torch.arange(10)
length, stride = 4, 2
x = torch.stack([ids[i:i + length] for i in range(0, len(ids) - length, stride)])
y = torch.stack([ids[i + 1:i + length + 1] for i in range(0, len(ids) - length, stride)])
print(x, y, x.shape, (x[:, 1:] == y[:, :-1]).all())

# %% padding-ragged-lists
rows = [[5, 6, 7], [1], [2, 3]]
n = max(map(len, rows))
x = torch.tensor([r + [0] * (n - len(r)) for r in rows])
mask = x != 0
lengths = torch.tensor([len(r) for r in rows])
print(x, mask, torch.arange(n) < lengths[:, None], torch.equal(mask, torch.arange(n)[None] < lengths.unsqueeze(1)), mask.sum(1))

# %% block-diagonal
print(torch.block_diag(torch.ones(1, 2), torch.tensor([[5.], [6.]])), torch.block_diag(torch.eye(2), torch.tensor(3.)))

# %% concatenated-heads
heads = [torch.full((2, 3, 2), float(i)) for i in range(3)]
out = torch.cat([h for h in heads], dim=-1)
print(out.shape, out[0, 0], torch.stack(heads).shape, torch.stack(heads, dim=2).flatten(2).equal(out), sum(heads)[0, 0])
