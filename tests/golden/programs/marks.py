"""requires_grad, grad_fn names and the modes, without running backward."""

# %% grad-fn-names-of-arithmetic
x = torch.ones(2, 2, requires_grad=True)
for y in (x + 1, x - 1, 1 - x, x * 2, x / 2, 2 / x, x ** 2, 2 ** x, -x, x @ x, x.T, x.exp(), x.log(), x.sqrt(), x.abs(), x.sin(), x.tanh(), x.sigmoid(), x.relu(), x % 2):
    print(y.grad_fn.__class__.__name__, y.requires_grad, y.is_leaf)

# %% grad-fn-names-of-shapes
x = torch.ones(2, 3, requires_grad=True)
for y in (x[0], x[:, 1], x[0, 1], x[:, :2], x[[0]], x[x > 0], x.view(6), x.reshape(3, 2), x.T.reshape(6), x.transpose(0, 1), x.permute(1, 0), x.t(), x.unsqueeze(0), x[None], x.squeeze(), x.flatten(), x.expand(2, 2, 3), x.repeat(2, 1), x.clone(), x.contiguous(), x.T.contiguous(), x[...], x.mT):
    print(type(y.grad_fn).__name__, tuple(y.shape))

# %% grad-fn-names-of-reductions
x = torch.ones(2, 3, requires_grad=True)
for y in (x.sum(), x.sum(0), x.mean(), x.mean(1), x.max(), x.max(1).values, x.var(), x.std(), x.prod(), x.norm(), x.softmax(0), x.log_softmax(-1), x.logsumexp(0), x.cumsum(0), x.amax(0), x.sort().values, x.topk(1).values, x.median(), x.min(0)[0]):
    print(type(y.grad_fn).__name__)

# %% grad-fn-names-of-joins
x = torch.ones(2, 2, requires_grad=True)
for y in (torch.cat([x, x]), torch.stack([x, x]), x.split(1)[0], x.chunk(2)[1], x.unbind()[0], torch.where(x > 0, x, 0.), x.masked_fill(x > 5, 0), x.gather(0, torch.zeros(1, 2, dtype=torch.long)), x.index_select(0, torch.tensor([0])), x.tril(), x.triu(1), x.diag(), x.flip(0), x.roll(1), F.pad(x, (1, 1)), x.scatter(0, torch.zeros(1, 2, dtype=torch.long), 1.), x.clamp(0, 1), torch.maximum(x, x), x.repeat_interleave(2), x.masked_select(x > 0)):
    print(type(y.grad_fn).__name__)

# %% grad-fn-names-of-products
a, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, 2)
v = torch.ones(3)
for y in (a @ v, v @ a.T, a @ b, torch.bmm(a[None].expand(2, 2, 3), b), torch.mm(a, a.T), torch.mv(a, v), torch.dot(a[0], v), torch.outer(a[0], v), torch.einsum("ij,kj->ik", a, a), torch.addmm(torch.ones(2, 2), a, a.T), F.linear(a, torch.ones(4, 3)), F.linear(a, torch.ones(4, 3), torch.ones(4)), F.linear(b.mT, torch.ones(4, 3), a.new_ones(4, requires_grad=True)), nn.Linear(3, 1)(a), nn.Linear(3, 1)(b.mT), nn.Linear(3, 1, bias=False)(b.mT), nn.Embedding(3, 2)(torch.tensor([1])), nn.LayerNorm(3)(a), F.gelu(a), F.cross_entropy(a, torch.tensor([0, 1])), F.mse_loss(a, torch.zeros(2, 3)), F.softmax(a, dim=-1)):
    print(type(y.grad_fn).__name__, tuple(y.shape))

# %% printed-results-carry-names
torch.manual_seed(0)
lin = nn.Linear(3, 2)
x = torch.ones(2, 3)
print(lin(x), lin.weight @ x.T, lin(x).softmax(-1), lin(x)[0], lin(x).sum(), lin.weight.T, lin(x).view(4), lin(x)[0, 0], lin(x).detach(), lin(x).shape, lin(x).mean().item() < 10)

# %% leaves-and-flags
x = torch.ones(2)
w = torch.ones(2, requires_grad=True)
y = w * x
print(x.is_leaf, w.is_leaf, y.is_leaf, x.requires_grad, y.requires_grad, x.grad_fn, w.grad_fn, w.grad, (x + 1).requires_grad, y.detach().is_leaf, x.requires_grad_() is x, x.requires_grad)
y.requires_grad_()
try:
    y.requires_grad = False
except RuntimeError as e:
    print(str(e)[:60])
try:
    torch.tensor([1, 2], requires_grad=True)
except RuntimeError as e:
    print(e)

# %% no-grad-forms
w = torch.ones(2, requires_grad=True)
with torch.no_grad():
    a = w * 2
    print(a, a.requires_grad, torch.is_grad_enabled())
    with torch.enable_grad():
        print((w * 2).requires_grad)
@torch.no_grad()
def f(x):
    return x * 3
with torch.set_grad_enabled(False):
    c = w + 1
with torch.inference_mode():
    d = w + 1
print(f(w), c.requires_grad, d.requires_grad, torch.is_grad_enabled(), (w * 2).requires_grad, f.__name__)
torch.set_grad_enabled(False)
print((w * 2).requires_grad)
torch.set_grad_enabled(True)

# %% in-place-on-leaves
w = torch.ones(2, requires_grad=True)
for f in (lambda: w.add_(1), lambda: w.__setitem__(0, 5.0), lambda: w.zero_(), lambda: w[:1].mul_(2)):
    try:
        f()
    except RuntimeError as e:
        print(e)
with torch.no_grad():
    w.add_(1)
    w[0] = 7
print(w, w.data.mul_(2) is w.data, w)

# %% in-place-on-results
w = torch.ones(2, 2, requires_grad=True)
y = w * 1
y.add_(1)
print(y)
y[0] = 5
print(y)
y.masked_fill_(torch.eye(2).bool(), 0)
print(y, y.relu_(), y.view(4))
x = torch.zeros(2)
x[0] = w[0, 0]
print(x)
x += w[1]
print(x)

# %% to-numbers-and-lists
w = torch.tensor([1.5, 2.5], requires_grad=True)
print(w.tolist(), w[0].item(), float(w.sum()), w.detach().tolist(), [x.item() for x in w], f"{w.sum():.2f}", int(w[1]))
try:
    w.numpy()
except Exception as e:
    print(type(e).__name__ in ("RuntimeError", "ImportError", "NotImplementedError", "ModuleNotFoundError"))

# %% shape-functions-keep-flags
w = torch.ones(2, 2, requires_grad=True)
print(w.long().requires_grad, w.double().grad_fn.__class__.__name__, (w > 0).requires_grad, w.argmax().requires_grad, w.half().requires_grad, torch.zeros_like(w).requires_grad, w.new_ones(1).requires_grad, torch.tensor(w.tolist()).requires_grad, w.sort().indices.requires_grad, w.shape)

# %% attention-with-parameters-prints
torch.manual_seed(123)
x = torch.rand(3, 3)
w_q, w_k, w_v = (nn.Parameter(torch.rand(3, 2)) for _ in range(3))
q = x[1] @ w_q
keys, values = x @ w_k, x @ w_v
s = q @ keys.T
a = torch.softmax(s / keys.shape[-1] ** 0.5, dim=-1)
print(q, keys, s, a, a @ values, q.dot(keys[0]), s.masked_fill(torch.tensor([False, True, False]), -torch.inf), sep="\n")
