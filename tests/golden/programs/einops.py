# %% split-and-join-heads
import torch
from einops import rearrange
torch.manual_seed(0)
x = torch.arange(24.).reshape(1, 4, 6)
heads = rearrange(x, "b t (h d) -> b h t d", h=2)
print(heads, heads.shape, heads.stride())
print(rearrange(heads, "b h t d -> b t (h d)").equal(x))
print(rearrange(x, "b t (k h d) -> k b h t d", k=3, h=1).shape)
q, k, v = rearrange(x, "b t (k d) -> k b t d", k=3)
print(q, v.shape)
print(rearrange(x, "b t d -> (b t) d").shape, rearrange(x, "1 t d -> t d").shape, rearrange(x, "b t d -> b 1 t d").shape)
print(rearrange(x, "... d -> d ...").shape, rearrange(x, "b ... -> b (...)").shape, rearrange([x, x], "n b t d -> b n t d").shape)
print(rearrange(x, "b (t1 t2) d -> b t1 t2 d", t2=2).data_ptr() == x.data_ptr())

# %% reduce-over-named-axes
import torch
from einops import reduce
x = torch.arange(24.).reshape(2, 3, 4)
for name in ("min", "max", "sum", "mean", "prod"):
    print(name, reduce(x, "b t d -> b d", name))
print(reduce(x, "b t d -> ", "sum"), reduce(x, "b t d -> b () d", "mean").shape)
print(reduce(x, "b t (d two) -> b t d", "max", two=2))
print(reduce(x > 5, "b t d -> b", "any"), reduce(x > 5, "b t d -> b", "all"))
print(reduce(x, "b t d -> d b", lambda tensor, axes: tensor.amax(dim=axes)))
print(reduce(x, "b t 4 -> b t", "sum"))

# %% repeat-along-new-axes
import torch
from einops import repeat
x = torch.tensor([[1, 2], [3, 4]])
print(repeat(x, "t d -> b t d", b=2))
print(repeat(x, "t d -> t (d r)", r=3))
print(repeat(x, "t d -> (r t) d", r=2))
print(repeat(x, "h d -> (h 2) d"), repeat(x, "t d -> t 1 d").shape)
kv = torch.arange(8.).reshape(1, 2, 2, 2)
print(repeat(kv, "b h t d -> b (h g) t d", g=2).equal(kv.repeat_interleave(2, dim=1)))

# %% attention-by-einops
import torch
from einops import einsum, rearrange
torch.manual_seed(123)
x = torch.rand(2, 3, 4)
w = torch.rand(4, 12)
q, k, v = rearrange(x @ w, "b t (three h d) -> three b h t d", three=3, h=2)
scores = einsum(q, k, "batch head i d, batch head j d -> batch head i j")
weights = (scores / q.shape[-1] ** 0.5).softmax(-1)
out = rearrange(einsum(weights, v, "b h i j, b h j d -> b h i d"), "b h t d -> b t (h d)")
print(weights)
print(out)
print(einsum(x, "b t d -> t"), einsum(x, w, "... d, d e -> ... e").shape)

# %% layers-and-gradients
import torch
from torch import nn
from einops.layers.torch import Rearrange, Reduce
torch.manual_seed(0)
net = nn.Sequential(Rearrange("b (t d) -> b t d", d=2), nn.Linear(2, 3), Reduce("b t d -> b d", "mean"), nn.Linear(3, 1))
print(net)
x = torch.rand(2, 6, requires_grad=True)
y = net(x)
print(y)
y.sum().backward()
print(x.grad)
print(Rearrange("b h t d -> b t (h d)")(torch.ones(1, 2, 3, 4)).grad_fn, list(net.state_dict()))

# %% pack-and-unpack
import torch
from einops import pack, unpack
cls, patches = torch.zeros(2, 3), torch.ones(2, 2, 2, 3)
packed, shapes = pack([cls, patches], "b * d")
print(packed, shapes)
a, b = unpack(packed, shapes, "b * d")
print(a.shape, b.equal(patches))
print([part.shape for part in unpack(torch.ones(1, 7), [[2], [-1], []], "b *")])

# %% what-does-not-fit
import torch
from einops import EinopsError, einsum, pack, rearrange, reduce, repeat, unpack
x = torch.ones(2, 3, 4)

def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

show(lambda: rearrange(x, "b t (h d) -> b h t d", h=3))
show(lambda: rearrange(x, "b t d -> b t"))
show(lambda: rearrange(x, "b t -> t b"))
show(lambda: rearrange(x, "b t d -> b t d", h=2))
show(lambda: rearrange(x, "b b d -> b d"))
show(lambda: rearrange(x, "b (t d -> b t d"))
show(lambda: rearrange(x, "b ((t) d) -> b t d"))
show(lambda: rearrange(x, "b t) d -> b t d"))
show(lambda: rearrange(x, "b t d -> b t d ..."))
show(lambda: rearrange(x, "b .. d -> b d"))
show(lambda: rearrange(x, "b t-d -> b d"))
show(lambda: rearrange(x, "b t 2d -> b t 2d"))
show(lambda: rearrange(x, "b _t d -> b _t d"))
show(lambda: rearrange(x, "b t d 2 -> b t d 2"))
show(lambda: rearrange(x, "a b c d ... -> a b c d"))
show(lambda: rearrange(x, "1 t d -> t d"))
show(lambda: repeat(x, "b t d -> b t d n"))
show(lambda: repeat(x, "b t d -> b t"))
show(lambda: reduce(x, "b t d -> b q", "sum"))
show(lambda: reduce(x, "b t d -> b", "median"))
show(lambda: reduce(x.long(), "b t d -> b", "mean"))
show(lambda: rearrange([], "b -> b"))
show(lambda: rearrange(3, "b -> b"))
show(lambda: einsum(x, "b t d"))
show(lambda: einsum(x, x))
show(lambda: einsum(x, "b t d -> q"))
show(lambda: einsum(x, "b (t d) -> b"))
show(lambda: einsum(x, "b 3 d -> b"))
show(lambda: pack([x], "b t d"))
show(lambda: pack([x, x[0, 0]], "b * d"))
show(lambda: unpack(x, [[1]], "b *"))
show(lambda: unpack(x, [[1], [3]], "b * d"))
show(lambda: unpack(x, [[-1], [-1]], "b * d"))
print(issubclass(EinopsError, RuntimeError), EinopsError)

# %% einops-and-numpy
import numpy as np
from einops import einsum, pack, rearrange, reduce, repeat
x = np.arange(12).reshape(2, 6)
print(rearrange(x, "t (h d) -> h t d", h=2))
print(reduce(x, "t (h d) -> t h", "max", d=3), reduce(x / 2, "t d -> d", "mean"))
print(repeat(x[0], "d -> t d", t=2))
print(einsum(x, x, "i d, j d -> i j"), pack([x, x[:, 0]], "t *"))
