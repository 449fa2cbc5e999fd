"""backward() and torch.autograd.grad: leaves, accumulation, rules of the operations, and what PyTorch refuses."""

# %% gradient-of-a-weighted-sum
w = torch.ones(2, requires_grad=True)
y = (w * torch.tensor([2., 3.])).sum()
y.backward()
print(w.grad, y.grad_fn.name(), w.is_leaf)
(w * 2).sum().backward()
print(w.grad)
w.grad.zero_()
print(w.grad)
w.grad = None
print(w.grad)

# %% gradients-of-arithmetic
def g(f, *shapes):
    torch.manual_seed(1)
    xs = [torch.randn(s).requires_grad_() for s in shapes]
    f(*xs).pow(2).sum().backward()
    print(*[x.grad for x in xs])
g(lambda a, b: a + b, (2, 3), (3,))
g(lambda a, b: a - b, (2, 1), (2, 3))
g(lambda a, b: a * b, (2, 3), ())
g(lambda a, b: a / b, (3,), (2, 3))
g(lambda a, b: torch.add(a, b, alpha=3), (2,), (2,))
g(lambda a, b: torch.sub(a, b, alpha=2), (2,), (2,))
g(lambda a: 1 - a, (2, 2))
g(lambda a: 2 / a, (2, 2))
g(lambda a: a ** 2, (2, 2))
g(lambda a: a ** 3 + a ** 0 + a ** 1, (3,))
g(lambda a: 2 ** a, (3,))
g(lambda a, b: (a * a + 1) ** b, (3,), (3,))
g(lambda a: -a, (3,))
g(lambda a: a % 1.5, (3,))
g(lambda a: a + a * a, (2,))

# %% gradients-of-functions-of-one-number
torch.manual_seed(2)
x = torch.rand(4) * 0.8 + 0.1
for name in "exp log log2 log10 log1p expm1 exp2 sqrt rsqrt reciprocal sin cos tan asin acos atan sinh cosh tanh sigmoid abs neg square erf erfc sign floor ceil round trunc relu deg2rad".split():
    a = x.clone().requires_grad_()
    getattr(torch, name)(a).sum().backward()
    print(name, a.grad)

# %% gradients-of-activations
torch.manual_seed(3)
x = torch.randn(5)
for f in (F.relu, F.gelu, lambda t: F.gelu(t, approximate="tanh"), F.silu, F.leaky_relu, lambda t: F.leaky_relu(t, 0.2), F.elu, F.softplus, F.logsigmoid, F.tanh, F.sigmoid):
    a = x.clone().requires_grad_()
    f(a).sum().backward()
    print(a.grad)

# %% gradients-of-products
def g(f, *shapes):
    torch.manual_seed(4)
    xs = [torch.randint(-4, 5, s).float().div(4).requires_grad_() for s in shapes]
    out = f(*xs)
    (out * torch.arange(1., out.numel() + 1).view(out.shape)).sum().backward()
    for x in xs:
        print(x.grad)
g(lambda a, b: a @ b, (2, 3), (3, 4))
g(lambda a, b: a @ b, (3,), (3,))
g(lambda a, b: a @ b, (2, 3), (3,))
g(lambda a, b: a @ b, (3,), (3, 2))
g(lambda a, b: a @ b, (2, 2, 3), (3, 2))
g(lambda a, b: a @ b, (2, 2, 3), (2, 3, 2))
g(lambda a, b: a @ b, (2, 1, 2, 3), (2, 3, 2))
g(lambda a, b: torch.mm(a, b.T), (2, 3), (2, 3))
g(lambda a, b: torch.bmm(a, b), (2, 2, 3), (2, 3, 1))
g(lambda a, b: torch.mv(a, b), (2, 3), (3,))
g(lambda a, b: torch.dot(a, b), (3,), (3,))
g(lambda a, b: torch.outer(a, b), (2,), (3,))
g(lambda a, b: torch.matmul(a, b), (3,), (2, 3, 2))
g(lambda a, b, c: torch.addmm(c, a, b, beta=2, alpha=0.5), (2, 3), (3, 2), (2,))
g(lambda a, b, c: F.linear(a, b, c), (2, 2, 3), (4, 3), (4,))
g(lambda a, b: F.linear(a, b), (3,), (4, 3))
g(lambda a, b: torch.einsum("ij,kj->ik", a, b), (2, 3), (4, 3))
g(lambda a, b: torch.einsum("bhid,bhjd->bhij", a, b), (1, 2, 2, 3), (1, 2, 3, 3))
g(lambda a: torch.einsum("ii->i", a), (3, 3))
g(lambda a: torch.einsum("ij->j", a), (2, 3))
g(lambda a, b: torch.einsum("...i,i->...", a, b), (2, 2, 3), (3,))
g(lambda a, b: torch.tensordot(a, b, 1), (2, 3), (3, 2))

# %% gradients-of-views
def g(f, shape=(2, 3)):
    x = torch.arange(1., 1 + torch.Size(shape).numel()).view(shape).requires_grad_()
    out = f(x)
    (out * torch.arange(1., out.numel() + 1).view(out.shape)).sum().backward()
    print(x.grad)
for f in (lambda x: x.view(3, 2), lambda x: x.reshape(-1), lambda x: x.T, lambda x: x.t(), lambda x: x.mT, lambda x: x.transpose(0, -1), lambda x: x.permute(1, 0), lambda x: x.flatten(), lambda x: x.unsqueeze(1), lambda x: x[None].squeeze(0), lambda x: x.expand(2, 2, 3), lambda x: x.repeat(2, 1), lambda x: x.clone(), lambda x: x.T.contiguous(), lambda x: x.double(), lambda x: x.movedim(0, 1), lambda x: x.unflatten(1, (3, 1)), lambda x: x.narrow(1, 1, 2), lambda x: x.select(1, 2), lambda x: x.diagonal(), lambda x: x.tile(2), lambda x: x.flip(1), lambda x: x.roll(1, 0), lambda x: x.unfold(1, 2, 1), lambda x: x.swapaxes(0, 1), lambda x: torch.broadcast_to(x, (2, 2, 3)), lambda x: x.repeat_interleave(2, 1), lambda x: x.diag(), lambda x: torch.diag_embed(x), lambda x: x.tril(), lambda x: x.triu(1), lambda x: F.pad(x, (1, 0, 0, 1)), lambda x: x.squeeze()):
    g(f)

# %% gradients-of-indexing
def g(f, shape=(3, 4)):
    x = torch.arange(1., 13.).view(shape).requires_grad_()
    out = f(x)
    (out * torch.arange(1., out.numel() + 1).view(out.shape)).sum().backward()
    print(x.grad)
for f in (lambda x: x[0], lambda x: x[:, 1], lambda x: x[1, 2], lambda x: x[..., -1], lambda x: x[::2, 1:3], lambda x: x[None, :, 0], lambda x: x[[0, 0, 2]], lambda x: x[:, [1, 1]], lambda x: x[torch.tensor([[0, 1], [1, 0]])], lambda x: x[x > 5], lambda x: x[torch.tensor([True, False, True])], lambda x: x.gather(1, torch.tensor([[0, 0], [1, 2], [3, 3]])), lambda x: x.index_select(0, torch.tensor([2, 0, 2])), lambda x: x.masked_select(x > 3), lambda x: torch.stack(x.unbind(0)[1:]), lambda x: torch.cat(x.split(2, 1), 0), lambda x: x.chunk(2, 1)[1], lambda x: torch.cat([x, x * 2], 1), lambda x: torch.stack([x, x]), lambda x: torch.hstack([x, x]), lambda x: torch.vstack([x, x])):
    g(f)

# %% gradients-of-reductions
def g(f):
    x = torch.tensor([[3., 1., 2.], [2., 5., 5.]], requires_grad=True)
    out = f(x)
    (out * torch.arange(1., out.numel() + 1).view(out.shape)).sum().backward()
    print(x.grad)
for f in (lambda x: x.sum(), lambda x: x.sum(0), lambda x: x.sum(-1, keepdim=True), lambda x: x.sum((0, 1)), lambda x: x.mean(), lambda x: x.mean(1), lambda x: x.mean(0, keepdim=True), lambda x: x.max(), lambda x: x.min(), lambda x: x.max(1).values, lambda x: x.min(0).values, lambda x: x.amax(1), lambda x: x.amin((0, 1)), lambda x: x.var(), lambda x: x.var(1), lambda x: x.var(0, unbiased=False), lambda x: x.std(), lambda x: x.std(1, keepdim=True), lambda x: x.prod(), lambda x: x.prod(1), lambda x: x.norm(), lambda x: x.norm(dim=1), lambda x: x.norm(1), lambda x: torch.linalg.norm(x, dim=0), lambda x: x.logsumexp(1), lambda x: x.cumsum(1), lambda x: x.cumprod(1), lambda x: x.sort(1).values, lambda x: x.sort(0, descending=True).values, lambda x: x.topk(2).values, lambda x: x.median(), lambda x: x.median(1).values, lambda x: x[:, :2].trace(), lambda x: x.maximum(torch.full((2, 3), 2.)), lambda x: x.clamp(2, 3), lambda x: x.clamp(min=2.5), lambda x: torch.where(x > 2, x * x, x), lambda x: x.masked_fill(x > 2, 0), lambda x: x.diff(), lambda x: x.lerp(x * 2, 0.25)):
    g(f)

# %% gradients-of-softmax-and-norms
torch.manual_seed(5)
x = torch.randn(2, 4)
c = torch.randn(2, 4)
for f in (lambda t: t.softmax(-1), lambda t: t.softmax(0), lambda t: t.log_softmax(1), lambda t: F.layer_norm(t, (4,)), lambda t: F.layer_norm(t, (4,), torch.arange(1., 5.), torch.ones(4)), lambda t: F.layer_norm(t, (2, 4)), lambda t: F.rms_norm(t, (4,)), lambda t: F.normalize(t, dim=1), lambda t: F.normalize(t, p=1, dim=0), lambda t: F.cosine_similarity(t, c, dim=1), lambda t: F.batch_norm(torch.cat([t, t * 3 + 1]), None, None, training=True)[:2], lambda t: F.group_norm(torch.cat([t, t ** 2, t ** 3], 1), 4)[:, 3:7], lambda t: t.masked_fill(torch.ones(2, 4).triu(1).bool(), -torch.inf).softmax(-1)):
    a = x.clone().requires_grad_()
    out = f(a)
    (out * c[:, :out.shape[-1]] if out.ndim == 2 else out).sum().backward()
    print(a.grad)

# %% gradients-of-losses
torch.manual_seed(6)
x = torch.randn(3, 4)
t = torch.tensor([1, 0, 3])
y = torch.rand(3, 4)
for f in (lambda a: F.cross_entropy(a, t), lambda a: F.cross_entropy(a, t, reduction="sum"), lambda a: F.cross_entropy(a, t, label_smoothing=0.1), lambda a: F.cross_entropy(a, t, weight=torch.tensor([1., 2., 3., 4.])), lambda a: F.cross_entropy(a, torch.tensor([1, -100, 2])), lambda a: F.cross_entropy(a, y.softmax(1)), lambda a: F.nll_loss(a.log_softmax(1), t), lambda a: F.mse_loss(a, y), lambda a: F.mse_loss(a, y, reduction="none").mean(), lambda a: F.l1_loss(a, y), lambda a: F.smooth_l1_loss(a, y), lambda a: F.binary_cross_entropy(a.sigmoid(), y), lambda a: F.binary_cross_entropy_with_logits(a, y), lambda a: F.binary_cross_entropy_with_logits(a, y, pos_weight=torch.tensor(2.)), lambda a: F.kl_div(a.log_softmax(1), y.softmax(1), reduction="batchmean"), lambda a: F.cross_entropy(a.view(1, 3, 4).flatten(0, 1), t), lambda a: F.cross_entropy(a[:, :, None], t[:, None])):
    a = x.clone().requires_grad_()
    loss = f(a)
    loss.backward()
    print(loss, a.grad)

# %% gradients-of-attention
torch.set_printoptions(precision=3, sci_mode=False)
def attend(q, k, v, **words):
    for x in (q, k, v):
        x.grad = None
    F.scaled_dot_product_attention(q, k, v, **words).mul(torch.arange(1., 4.)).sum().backward()
    print(q.grad, k.grad, v.grad)
torch.manual_seed(7)
q, k, v = (torch.randn(1, 2, 3, 3, requires_grad=True) for _ in range(3))
attend(q, k, v)
attend(q, k, v, is_causal=True)
attend(q, k, v, attn_mask=torch.tensor([[True, False, True]] * 3))
attend(q, k, v, attn_mask=torch.arange(9.).view(3, 3) / 8)
attend(q, k, v, scale=0.5)

# %% gradients-of-embedding
emb = nn.Embedding(4, 2, padding_idx=0)
with torch.no_grad():
    emb.weight.copy_(torch.arange(8.).view(4, 2))
out = emb(torch.tensor([[1, 1], [3, 0]]))
(out * torch.arange(1., 9.).view(2, 2, 2)).sum().backward()
print(emb.weight.grad)
print(out.grad_fn.name())

# %% the-chapters-class-learns
class CausalAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=False)
        self.W_key = nn.Linear(d_in, d_out, bias=False)
        self.W_value = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer("mask", torch.triu(torch.ones(context_length, context_length), diagonal=1))
    def forward(self, x):
        keys, queries, values = self.W_key(x), self.W_query(x), self.W_value(x)
        attn_scores = queries @ keys.transpose(1, 2)
        attn_scores.masked_fill_(self.mask.bool()[:x.shape[1], :x.shape[1]], -torch.inf)
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values
torch.manual_seed(123)
model = CausalAttention(3, 2, 6)
x, target = torch.rand(2, 6, 3), torch.rand(2, 6, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for step in range(5):
    optimizer.zero_grad()
    loss = F.mse_loss(model(x), target)
    loss.backward()
    optimizer.step()
    print(f"{step} {loss.item():.4f}")
print(model.W_query.weight.grad)
print(model.W_value.weight)

# %% optimizers-follow
for make in (lambda p: torch.optim.SGD(p, lr=0.1), lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9), lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1), lambda p: torch.optim.Adam(p, lr=0.1), lambda p: torch.optim.AdamW(p, lr=0.1, weight_decay=0.1), lambda p: torch.optim.Adam(p, lr=0.1, amsgrad=True), lambda p: torch.optim.RMSprop(p, lr=0.1)):
    w = torch.tensor([1., -2., 3.], requires_grad=True)
    optimizer = make([w])
    for _ in range(4):
        optimizer.zero_grad()
        (w ** 2).sum().backward()
        optimizer.step()
    print(w.detach())

# %% descent-by-hand
torch.manual_seed(0)
w = torch.randn(3, requires_grad=True)
x = torch.tensor([[1., 2., 3.], [4., 5., 6.]])
y = torch.tensor([1., 2.])
for _ in range(3):
    loss = ((x @ w - y) ** 2).mean()
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
        w.grad.zero_()
    print(loss, w)

# %% second-derivatives
x = torch.tensor(2., requires_grad=True)
y = x ** 3
g1, = torch.autograd.grad(y, x, create_graph=True)
g2, = torch.autograd.grad(g1, x, create_graph=True)
g3, = torch.autograd.grad(g2, x)
print(g1, g2, g3)
x = torch.tensor([1., 2.], requires_grad=True)
(torch.autograd.grad(x.exp().sum(), x, create_graph=True)[0] ** 2).sum().backward()
print(x.grad)

# %% autograd-grad
a = torch.tensor([1., 2.], requires_grad=True)
b = torch.tensor([3., 4.], requires_grad=True)
print(torch.autograd.grad((a * b).sum(), [a, b]))
print(torch.autograd.grad(a * b, a, grad_outputs=torch.tensor([1., 10.])))
print(torch.autograd.grad(a.sum(), [a, b], allow_unused=True))
try:
    torch.autograd.grad(a.sum(), [a, b])
except RuntimeError as e:
    print(e)
print(a.grad, b.grad)

# %% retained-gradients
x = torch.tensor([1., 2.], requires_grad=True)
y = x * 3
y.retain_grad()
z = y ** 2
z.sum().backward()
print(x.grad, y.grad, y.retains_grad, x.retains_grad)

# %% what-backward-refuses
x = torch.ones(3, requires_grad=True)
def refused(f):
    try:
        f()
    except RuntimeError as e:
        print(e)
refused(lambda: (x * 2).backward())
refused(lambda: torch.ones(1).backward())
y = (x * x).sum()
y.backward()
refused(y.backward)
z = (x * x).sum()
z.backward(retain_graph=True)
z.backward()
print(x.grad)
b = x * 2
c = b * b
b.add_(1)
refused(lambda: c.sum().backward())
refused(lambda: (x * 2).backward(torch.ones(2)))
(x * 2).backward(torch.tensor([1., 2., 3.]))
print(x.grad)

# %% gradients-through-writes
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
y[0] = 5.
y[1, 1] = x[0, 0] * 7
y.sum().backward()
print(x.grad)
x.grad = None
z = x * 3
z.mul_(2).add_(1)
z[:, 1].mul_(10)
z.sum().backward()
print(x.grad)
x.grad = None
w = x.clone()
w.masked_fill_(torch.tensor([True, False, False]), 0)
w[:, 2:].zero_()
w.sum().backward()
print(x.grad)

# %% gradients-stop
x = torch.ones(2, requires_grad=True)
y = x * 2
((y.detach() + x) * y).sum().backward()
print(x.grad)
with torch.no_grad():
    z = x * 2
print(z.requires_grad)
x.grad = None
((x * 2).data * x).sum().backward()
print(x.grad)

# %% hooks-on-gradients
x = torch.tensor([1., 2.], requires_grad=True)
handle = x.register_hook(lambda grad: grad * 10)
y = x * 2
y.register_hook(lambda grad: print("y", grad))
y.sum().backward()
print(x.grad)
handle.remove()
x.grad = None
(x * 2).sum().backward()
print(x.grad)

# %% functions-of-ones-own
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, grad):
        x, = ctx.saved_tensors
        return 2 * x * grad
x = torch.tensor([1., 2.], requires_grad=True)
y = Square.apply(x)
print(y)
y.sum().backward()
print(x.grad)

# %% clipped-gradients
w = torch.tensor([3., 4.], requires_grad=True)
(w ** 2).sum().backward()
print(torch.nn.utils.clip_grad_norm_([w], 1.0), w.grad)
torch.nn.utils.clip_grad_value_([w], 0.5)
print(w.grad)

# %% frozen-layers
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for p in model[0].parameters():
    p.requires_grad_(False)
model(torch.ones(1, 2)).sum().backward()
for name, p in model.named_parameters():
    print(name, p.requires_grad, p.grad)
model.zero_grad()
print(model[2].weight.grad)

# %% multihead-attention-learns
torch.manual_seed(1)
mha = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(2, 3, 4)
out, weights = mha(x, x, x)
out.pow(2).sum().backward()
print(mha.in_proj_weight.grad)
print(mha.out_proj.bias.grad)
out, _ = mha(x, x, x, need_weights=False)
mha.zero_grad()
out.sum().backward()
print(mha.in_proj_bias.grad[:4], mha.in_proj_bias.grad[8:])

# %% transformer-layer-learns
torch.manual_seed(2)
layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, batch_first=True)
x = torch.randn(2, 3, 4, requires_grad=True)
layer(x)[..., :2].pow(3).sum().backward()
print(x.grad)
print(layer.linear1.weight.grad)

# %% graph-neighbours
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
print(y.grad_fn.next_functions[0][0].name(), type(y.grad_fn.next_functions[0][0].next_functions[0][0]).__name__)
print(y.grad_fn.name())

# %% backward-hooks-of-modules
torch.manual_seed(0)
def show(module, grad_input, grad_output):
    print(type(module).__name__, grad_input, grad_output)
model = nn.Linear(2, 2)
handle = model.register_full_backward_hook(show)
y = model(torch.ones(1, 2))
print(y)
y.sum().backward()
x = torch.ones(3, 2, requires_grad=True)
(model(x) ** 2).sum().backward()
print(x.grad, model.weight.grad)
handle.remove()
model.zero_grad()
x.grad = None
model.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10,))
(model(x) ** 2).sum().backward()
print(x.grad, model.weight.grad)
with torch.no_grad():
    print(model(x).grad_fn)
mha = nn.MultiheadAttention(4, 2, batch_first=True)
mha.register_full_backward_hook(
    lambda module, gi, go: print([None if g is None else g.shape for g in gi], [None if g is None else g.shape for g in go])
)
q = torch.randn(1, 3, 4, requires_grad=True)
out, weights = mha(q, q, q)
out.sum().backward()
print(q.grad)
for hook in [lambda module, gi, go: (1, 2), lambda module, gi, go: (go[0],)]:
    wrong = nn.Linear(2, 2)
    wrong.register_full_backward_hook(hook)
    for given in [x, torch.ones(1, 2)]:
        try:
            wrong(given).sum().backward()
        except RuntimeError as error:
            print(error)

# %% marks-of-functions
class Split(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        largest = x.max()
        ctx.mark_non_differentiable(largest)
        return x * 2, x * 3, largest

    @staticmethod
    def backward(ctx, a, b, c):
        print(a is None, b is None, c is None)
        return (0 if a is None else a * 2) + (0 if b is None else b * 3)
x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b, largest = Split.apply(x)
print(a.requires_grad, b.requires_grad, largest.requires_grad, largest)
a.sum().backward()
print(x.grad)

# %% views-without-gradients
w = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
y = w * 2
with torch.no_grad():
    for base in (w, y):
        views = [base.t(), base[0], base[1:], base[0, 0], base.view(-1), base.reshape(2, 3), base.unsqueeze(0),
                 base.expand(2, 3, 2), base.flatten(), base.chunk(3)[0], base.unbind(1)[1], base.diagonal(), next(iter(base))]
        print([(it.requires_grad, it.is_leaf, it.grad_fn) for it in views])
        print(base.t(), base[0, 0], base.unbind(0))
        fresh = [base.detach(), base.data[0], base.clone(), base + 0, base[base > 2], base[[0, 1]], base.softmax(-1)]
        print([(it.requires_grad, it.is_leaf, it.grad_fn) for it in fresh])
    print(w.numpy(), w[0].numpy(), y[:, 0].numpy())
    print(nn.Embedding.from_pretrained(torch.ones(2, 3)).weight[0], nn.Linear(2, 3).bias[:0])
    column, pair = w.t(), y.t()
    print((column + 1).requires_grad, torch.stack([w[0], w[1]]), w.T @ w)
total = (column * 3).sum() + (pair * 3).sum()
total.backward()
print(total.requires_grad, w.grad)
with torch.inference_mode():
    print(w[0])
x = torch.arange(24.0).view(4, 2, 3).transpose(0, 1) / 7
layer = nn.Linear(3, 2)
nn.init.constant_(layer.weight, 0.3)
nn.init.constant_(layer.bias, 0.1)
with torch.no_grad():
    flat = (x.reshape(-1, 3) @ layer.weight.t() + layer.bias).view(2, 4, 2)
    print((layer(x) == flat).all())

# %% gradient-of-a-number-over-a-tensor
torch.manual_seed(0)
x = torch.randn(50) + 3
for number in (1, 2, -0.5):
    a = x.clone().requires_grad_()
    y = number / a
    y.sum().backward()
    reciprocal = x.reciprocal()
    print(y.grad_fn.name(), torch.equal(a.grad, number * -(reciprocal * reciprocal)), a.grad.double().sum())
a = x.clone().requires_grad_()
(first,) = torch.autograd.grad((1 / a).sum(), a, create_graph=True)
print(torch.autograd.grad(first.sum(), a)[0][:4])
