"""From tensors to Python and back; dtypes, devices, facts about a tensor."""

# %% item-and-tolist
print(torch.tensor(1.5).item(), torch.tensor([[2]]).item(), torch.tensor(True).item(), torch.tensor(0.1).item(), type(torch.tensor(1).item()), torch.arange(4).view(2, 2).tolist(), torch.tensor(3.).tolist(), torch.ones(2, 0).tolist(), torch.tensor([True]).tolist(), torch.tensor([0.1, 1 / 3]).tolist())
for t in (torch.ones(2), torch.empty(0)):
    try:
        t.item()
    except RuntimeError as e:
        print(e)

# %% int-float-bool-index
x = torch.tensor(2.7)
print(int(x), float(x), bool(x), round(float(x), 1), int(torch.tensor([3])), float(torch.tensor([[True]])), [10, 20, 30][torch.tensor(1)], "ab" * torch.tensor(2), list(range(torch.tensor(3))), float(torch.tensor(-1)))
for f in (lambda: int(torch.ones(2)), lambda: float(torch.ones(2, 1)), lambda: [1, 2][torch.tensor(1.0)], lambda: range(torch.tensor([1, 2]))):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# %% casting
x = torch.tensor([-1.7, 0.0, 2.5])
print(x.int(), x.long(), x.bool(), x.double(), x.half(), x.to(torch.int32), x.type(torch.int64), x.to(dtype=torch.bool), x.short(), x.to(torch.uint8)[1:], x.bfloat16(), x.char(), x.type(), x.long().type(), x.bool().type())
print(x.to(torch.float64).dtype, x.type_as(torch.ones(1, dtype=torch.int64)), x.float() is x, torch.tensor([True, False]).float(), torch.tensor([2, 0]).bool())

# %% dtype-facts
print(torch.float32 == torch.float, torch.long is torch.int64, torch.float32.itemsize, torch.ones(2).element_size(), torch.ones(2, 3).nbytes, torch.ones(2).dtype == torch.float64, torch.promote_types(torch.int32, torch.float32), str(torch.int8), f"{torch.bool}")
print({torch.float32: "single"}[torch.ones(1).dtype], torch.ones(1).dtype in (torch.float32, torch.float64))

# %% shape-facts
x = torch.zeros(2, 3, 4)
print(x.shape, x.size(), x.size(1), x.size(-1), x.dim(), x.ndim, x.ndimension(), x.numel(), x.nelement(), len(x), x.shape[1:], tuple(x.shape), x.size()[0], torch.numel(x), x.stride(), x.is_contiguous(), x.shape.numel())
b, n, d = x.shape
*lead, last = x.shape
print(b, n, d, lead, last, torch.zeros(x.shape[-1]).shape, x.shape == (2, 3, 4), torch.tensor(1).shape, torch.tensor(1).dim())
for f in (lambda: x.size(3), lambda: x.shape[5], lambda: len(torch.tensor(1)), lambda: x.stride(4)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# %% devices
x = torch.ones(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
print(device, device.type, device.index, x.to(device).device, x.device == torch.device("cpu"), torch.cuda.is_available(), torch.backends.mps.is_available(), torch.zeros(1, device=device).device, torch.ones(1, device="cpu"), x.is_cuda, x.cpu().device.type, torch.device("cuda:1"), torch.device("cuda", 0).index, x.to(device, torch.float64))

# %% kinds-of-things
x = torch.ones(1)
print(torch.is_tensor(x), torch.is_tensor([1]), isinstance(x, torch.Tensor), type(x), type(x).__name__, torch.is_floating_point(x), x.is_floating_point(), issubclass(nn.Parameter, torch.Tensor), isinstance(nn.Parameter(x), nn.Parameter), isinstance(x.shape, tuple), type(x.shape), type(x.dtype), callable(x.sum), x.layout, x.is_sparse, nn.Linear, torch.Tensor)

# %% hash-and-identity
a, b = torch.ones(2), torch.ones(2)
d = {a: "a", b: "b"}
print(d[a], d[b], len({a, b}), a in {a}, a is a, (a == b).all().item(), id(a) == id(a), a in [a], hash(a) == hash(b), len({a.shape, b.shape}), a.view(2) is a)

# %% membership-and-length
x = torch.tensor([[1., 2.], [3., 4.]])
print(2 in x, 5 in x, torch.tensor(3.) in x, len(x), x.shape[0] == len(x), list(map(float, x[0])), sorted(x.flatten(), reverse=True)[0], max(x.flatten()), min(x[:, 0]), sum(x[0]), sum(x), [*x[1]], x.flip(0)[0], list(reversed(x))[0])

# %% numbers-keep-their-precision
x = torch.tensor(0.1)
print(x.item(), float(x), 0.1, x.double().item(), torch.tensor(0.1, dtype=torch.float64).item(), x.item() == 0.1, torch.tensor(16777217.0).item(), torch.tensor(2**53 + 1, dtype=torch.float64).item(), torch.tensor(1e-45).item(), torch.tensor(3.4e38).item() * 10 > 1e39, torch.tensor(1e39), round(x.item(), 4), f"{x.item():.10f}", torch.tensor([0.1, 0.2]).sum().item())

# %% string-forms
x = torch.tensor([1.5, 2.0])
print(str(x), repr(x), "{0} {0!s}".format(x), "%s %r" % (x, x), x.__repr__() == repr(x), len(str(torch.zeros(100))), str(x.dtype).split(".")[1], str(tuple(x.shape)), "x".join(map(str, torch.zeros(2, 3).shape)), f"{list(x.shape)}", f"{x.tolist()}", f"{x[0].item():>8.3f}|")

# %% save-and-load-in-memory
import io
buffer = io.BytesIO()
torch.save({"w": torch.arange(3.), "n": 2}, buffer)
buffer.seek(0)
d = torch.load(buffer, weights_only=True)
print(d["w"], d["n"], sorted(d))

# %% copy-module-on-tensors
import copy
x = torch.ones(2)
a, b = copy.copy(x), copy.deepcopy([x, x])
a[0] = 9
b[0][1] = 7
print(x, b, b[0] is b[1], copy.deepcopy(nn.Parameter(x)).requires_grad, copy.deepcopy({"x": x})["x"].equal(x))

# %% version-and-settings
import torch
torch.set_num_threads(1)
print(torch.get_num_threads(), isinstance(torch.__version__, str), torch.__version__.split(".")[0], torch.get_default_dtype(), torch.is_grad_enabled(), torch.pi, torch.inf, torch.e, torch.nan != torch.nan, torch.backends.cuda.is_built() in (True, False))

# %% infinite-numbers-as-integers
import torch
x = torch.tensor([1.9, float("nan"), float("inf"), -float("inf"), -2.5, 1e20])
print(x.long(), x.double().long(), x.half()[:5].long(), x[:5].bool())
import numpy as np
print(np.array([1.5, np.nan, np.inf]).astype(int), np.array([-1.5, -np.inf], dtype=np.float32).astype("int64"))
