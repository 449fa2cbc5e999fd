"""What is said when something does not fit."""

# %% linear-meets-the-wrong-width
class Head(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out)
    def forward(self, x):
        return self.W_query(x)
try:
    Head(3, 2)(torch.ones(6, 2))
except RuntimeError as e:
    print(e)
try:
    Head(3, 2)(torch.ones(2, 6, 4))
except RuntimeError as e:
    print(e)
try:
    Head(3)
except TypeError as e:
    print(e)
try:
    Head(3, 2)(torch.ones(3), torch.ones(3))
except TypeError as e:
    print(e)

# %% dimensions-out-of-range
x = torch.zeros(2, 3)
for f in (lambda: x.transpose(0, 2), lambda: x.softmax(2), lambda: x.unsqueeze(4), lambda: x.squeeze(2), lambda: x.flatten(0, 5), lambda: torch.stack([x, x], 4), lambda: torch.cat([x, x], 2), lambda: x.select(3, 0), lambda: x.size(-3), lambda: x.unbind(2), lambda: x.cumsum(-4), lambda: x.argsort(9), lambda: x.diagonal(0, 0, 0)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)

# %% shapes-that-cannot-be-made
x = torch.zeros(2, 3)
for f in (lambda: x.view(5), lambda: x.reshape(4, -1), lambda: x.view(-1, -1), lambda: x.T.view(-1), lambda: x.expand(4, 3), lambda: torch.zeros(-1), lambda: torch.ones(2, -3), lambda: x.unflatten(1, (2, 2)), lambda: x.repeat(1), lambda: x.narrow(0, 1, 5), lambda: x.split(-1), lambda: x.chunk(0)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)

# %% broadcasting-in-place
x = torch.zeros(2, 3)
for f in (lambda: x.add_(torch.zeros(2)), lambda: x.copy_(torch.zeros(4)), lambda: torch.zeros(3).add_(x), lambda: x.masked_fill_(torch.ones(4).bool(), 0), lambda: x.mul_(torch.ones(1, 1, 2, 3))):
    try:
        f()
    except RuntimeError as e:
        print(e)

# %% ragged-and-odd-data
for data in ([[1, 2], [3]], [[1], 2], [1, "a"], "abc", None, [None], {"a": 1}, [[1, 2], [3, [4]]], object):
    try:
        print(torch.tensor(data))
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])

# %% dtypes-that-do-not-meet
f, i, b = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.int64), torch.ones(2, 2, dtype=torch.bool)
for g in (lambda: f @ i, lambda: i.mean(), lambda: i.softmax(0), lambda: b - b, lambda: ~f, lambda: f & b, lambda: -b, lambda: i.add_(0.5), lambda: f[f], lambda: f.masked_fill(i, 0), lambda: torch.where(f, f, f), lambda: F.embedding(f, f), lambda: i.std(), lambda: F.cross_entropy(i, i[0]), lambda: nn.LayerNorm(2)(i), lambda: torch.dot(f[0], i[0]), lambda: i.norm(), lambda: f.gather(0, f)):
    try:
        g()
        print("fine")
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])

# %% products-that-do-not-meet
q, k = torch.ones(6, 2), torch.ones(6, 2)
for g in (lambda: q @ k, lambda: q @ torch.ones(3), lambda: torch.ones(3) @ q, lambda: torch.dot(q, k), lambda: torch.dot(torch.ones(2), torch.ones(3)), lambda: torch.mm(q, k), lambda: torch.bmm(q[None], k[None]), lambda: torch.ones(2, 3, 4) @ torch.ones(2, 3, 4), lambda: torch.ones(2, 3, 4) @ torch.ones(5, 4, 3), lambda: torch.mv(q, torch.ones(6)), lambda: torch.addmm(torch.ones(3, 3), q, k.T), lambda: q @ 2, lambda: torch.einsum("ij,jk->ik", q, k)):
    try:
        g()
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])

# %% the-line-of-an-error
def inner(x):
    return x.view(7)
def outer(x):
    return inner(x + 1)
try:
    outer(torch.zeros(2, 3))
except RuntimeError as e:
    print("caught:", e)
finally:
    print("always")
try:
    raise ValueError("mine") from KeyError("other")
except ValueError as e:
    print(repr(e), repr(e.__cause__))

# %% errors-as-values
try:
    torch.ones(2)[7]
except IndexError as e:
    err = e
print(type(err), err.args, isinstance(err, Exception), str(err))
try:
    torch.ones(2, 3).view(7)
except (ValueError, RuntimeError) as e:
    print(repr(e))

# %% asserts-and-own-checks
d_out, num_heads = 5, 2
try:
    assert d_out % num_heads == 0, "d_out must be divisible by num_heads"
except AssertionError as e:
    print("AssertionError:", e)
x = torch.ones(2)
assert x.shape == (2,)
assert torch.equal(x, torch.ones(2)), "never"
try:
    assert x.shape == torch.Size([3])
except AssertionError as e:
    print(repr(e))
torch.testing.assert_close(torch.ones(2), torch.ones(2) + 1e-7)
print("close")

# %% python-errors
for src in ("1 / 0", "undefined_name", "[1][5]", "{}['a']", "int('x')", "'a' + 1", "None.foo", "(1, 2)[0] = 1", "len(5)", "for", "next(iter([]))", "a, b = 1, 2, 3", "torch.tensr([1])", "torch.nn.Linaer", "nn.Linear(2, 2).forward()"):
    try:
        exec(src)
    except Exception as e:
        print(type(e).__name__)

# %% huge-shapes
for f in (lambda: torch.empty(10**7, 10**7), lambda: torch.zeros(2**62), lambda: torch.ones(10**6, 10**6, 10**6)):
    try:
        f()
        print("fine")
    except (RuntimeError, MemoryError) as e:
        print("refused")

# %% strings-where-numbers-belong
x = torch.ones(2, 2)
for g in (lambda: x.view("a"), lambda: torch.zeros("a"), lambda: x + "a", lambda: x.transpose(0, "b"), lambda: torch.ones(2.5), lambda: nn.Linear("a", 2), lambda: x.to("nonsense"), lambda: torch.manual_seed(None), lambda: torch.softmax(x, dim=0.5), lambda: x.reshape(2.0, 2), lambda: torch.stack(5), lambda: torch.cat(x, x), lambda: torch.matmul(x, [1, 2])):
    try:
        g()
        print("fine")
    except Exception as e:
        print(type(e).__name__)

# %% arguments-of-layers
for layer in (nn.Conv2d, nn.LSTMCell, nn.BatchNorm1d, nn.GRU, nn.Linear):
    try:
        layer()
    except TypeError as e:
        print(e)
for layer in (nn.Softmax, nn.ReLU, nn.ELU, nn.GELU, nn.L1Loss):
    try:
        layer(*[1] * 9)
    except TypeError as e:
        print(e)
class Own(nn.Conv1d): pass
try:
    Own(1, 2)
except TypeError as e:
    print(e)
print(nn.Conv1d(3, 4, kernel_size=2, bias=False), nn.ReLU())

# %% targets-and-arrays-that-do-not-fit
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
def tried(function):
    try:
        print(function())
    except Exception as e:
        print(type(e).__name__, e, sep=": ")
tried(lambda: F.cross_entropy(torch.ones(1, 3), torch.tensor(1)))
tried(lambda: F.cross_entropy(torch.ones(1, 3), torch.tensor([0, 1])))
tried(lambda: F.cross_entropy(torch.ones(3), torch.tensor([0])))
tried(lambda: F.nll_loss(torch.ones(3), torch.tensor([0, 1])))
tried(lambda: F.nll_loss(torch.ones(1), torch.tensor([0])))
tried(lambda: torch.LongTensor(torch.ones(2)))
tried(lambda: torch.FloatTensor(torch.ones(2, dtype=torch.bfloat16)))
tried(lambda: torch.FloatTensor(torch.ones(2)))
tried(lambda: torch.matmul(torch.ones(2), np.ones(2)))
tried(lambda: nn.Linear(2, 2)(np.ones(2)))
tried(lambda: torch.cat([torch.ones(2), np.ones(2)]))
tried(lambda: F.relu(np.ones(2)))
