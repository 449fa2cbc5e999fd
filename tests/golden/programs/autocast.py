"""torch.autocast on the CPU: the dtype of each result, parameters and their gradients, a model, GradScaler."""

# %% autocast-dtypes
# For operands of float32, bfloat16 and float64, and with the first one alone in bfloat16.
x = torch.tensor([[0.3, 0.6, 0.9], [0.2, 0.5, 0.8]])
y = torch.tensor([[0.7, 0.4, 0.1], [0.9, 0.3, 0.6]])
s = torch.tensor([[2.0, 0.5, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 4.0]])
w = torch.tensor([1.5, 0.5, 2.0])
c = torch.stack([x, y])
L = torch.tensor([0, 2])
# Operands of different dtypes raise in PyTorch, and elsewhere too or are promoted.
MIXED_RAISES = "dot mv inner tensordot det index_add scatter_add lerp matmul-in-place".split()
def short(v):
    if isinstance(v, (tuple, list)): return "(" + " ".join(short(p) for p in v) + ")"
    return {torch.float32: "f32", torch.bfloat16: "bf16", torch.float16: "f16", torch.float64: "f64"}.get(v.dtype, str(v.dtype)[6:]) if isinstance(v, torch.Tensor) else str(v)
def show(name, call, *operands):
    found = []
    for make in (lambda t: t, lambda t: t.bfloat16(), lambda t: t.double()):
        given = [make(t) if t.is_floating_point() else t for t in operands]
        try:
            with torch.autocast("cpu", dtype=torch.bfloat16):
                found.append(short(call(*given)))
        except RuntimeError:
            found.append("error")
    if operands[0].is_floating_point() and name not in MIXED_RAISES:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            found.append(short(call(operands[0].bfloat16(), *operands[1:])))
    print(name, *found)
show("matmul", torch.matmul, x, s)
show("mm", torch.mm, x, s)
show("matmul-vec", torch.matmul, x, w)
show("dot", torch.dot, w, w)
show("mv", torch.mv, x, w)
show("bmm", torch.bmm, c, c.mT)
show("addmm", torch.addmm, w, x, s)
show("baddbmm", torch.baddbmm, c[:, :, :2], c, c.mT)
show("outer", torch.outer, w, w)
show("linear", F.linear, x, s, w)
show("einsum", lambda a, b: torch.einsum("ij,kj->ik", a, b), x, y)
show("einsum-mul", lambda a, b: torch.einsum("ij,ij->ij", a, b), x, y)
show("tensordot", lambda a, b: torch.tensordot(a, b, dims=([1], [1])), x, y)
show("conv1d", F.conv1d, c, torch.ones(1, 2, 2), torch.ones(1))
show("conv2d", F.conv2d, c[None], torch.ones(1, 2, 2, 2), torch.ones(1))
show("attention", F.scaled_dot_product_attention, c[None], c[None], c[None])
show("glu", lambda a: F.glu(a, 0), x)
for n in "relu gelu silu softplus elu leaky_relu logsigmoid".split(): show(n, getattr(F, n), x)
for n in "exp log sqrt rsqrt tanh sigmoid sin abs neg square reciprocal expm1 log1p log2 pow_ cumsum_ sum mean prod var std norm amax max logsumexp_ softmax_ log_softmax_ cumprod_ erf trace_".split():
    if n.endswith("_"): continue
    show(n, getattr(torch, n), x)
show("pow", lambda a: a ** 2, x)
show("pow-half", lambda a: a ** 0.5, x)
show("cumsum", lambda a: a.cumsum(0), x)
show("cumprod", lambda a: a.cumprod(0), x)
show("prod-dim", lambda a: a.prod(0), x)
show("softmax", lambda a: a.softmax(-1), x)
show("log_softmax", lambda a: a.log_softmax(-1), x)
show("logsumexp", lambda a: a.logsumexp(-1), x)
show("trace", torch.trace, s)
show("quantile", lambda a: a.quantile(0.5), x)
show("vector_norm", torch.linalg.vector_norm, x)
show("matrix_norm", torch.linalg.matrix_norm, x)
show("norm-dim", lambda a: a.norm(dim=1), x)
show("layer_norm", lambda a, b: F.layer_norm(a, (3,), b, b), x, w)
show("layer_norm-plain", lambda a: F.layer_norm(a, (3,)), x)
show("rms_norm", lambda a, b: F.rms_norm(a, (3,), b), x, w)
show("group_norm", lambda a, b: F.group_norm(a, 2, b, b), c, w[:2])
show("batch_norm", lambda a, b: F.batch_norm(a, None, None, b, b, training=True), x, w)
show("dropout", F.dropout, x)
show("normalize", F.normalize, x)
show("cosine_similarity", F.cosine_similarity, x, y)
show("pairwise_distance", F.pairwise_distance, x, y)
show("cdist", torch.cdist, x, y)
show("mse_loss", F.mse_loss, x, y)
show("l1_loss", F.l1_loss, x, y)
show("smooth_l1_loss", F.smooth_l1_loss, x, y)
show("kl_div", lambda a, b: F.kl_div(a, b, reduction="sum"), x, y)
show("binary_cross_entropy", F.binary_cross_entropy, x, y)
show("bce-logits", F.binary_cross_entropy_with_logits, x, y)
show("cross_entropy", lambda a: F.cross_entropy(a, L), x)
show("cross_entropy-weight", lambda a, b: F.cross_entropy(a, L, b), x, w)
show("cross_entropy-probabilities", F.cross_entropy, x, y)
show("nll_loss", lambda a: F.nll_loss(a, L), x)
show("inv", torch.linalg.inv, s)
show("inverse", torch.inverse, s)
show("det", torch.linalg.det, s)
show("solve", torch.linalg.solve, s, w)
show("svdvals", torch.linalg.svdvals, s)
show("svd", torch.linalg.svd, s)
show("qr", torch.linalg.qr, s)
show("eigh", torch.linalg.eigh, s)
show("eigvalsh", torch.linalg.eigvalsh, s)
show("cat", lambda a, b: torch.cat([a, b]), x, y)
show("stack", lambda a, b: torch.stack([a, b]), x, y)
show("hstack", lambda a, b: torch.hstack([a, b]), x, y)
show("index_copy", lambda a, b: a.index_copy(0, L // 2, b), x, y)
show("index_add", lambda a, b: a.index_add(0, L // 2, b), x, y)
show("scatter_add", lambda a, b: a.scatter_add(0, torch.zeros(2, 3, dtype=torch.long), b), x, y)
show("where", lambda a, b: torch.where(a > 0.5, a, b), x, y)
show("add", torch.add, x, y)
show("mul", torch.mul, x, y)
show("div", torch.div, x, y)
show("addcmul", torch.addcmul, x, y, y)
show("addcdiv", torch.addcdiv, x, y, y)
show("lerp", torch.lerp, x, y, y)
show("embedding", lambda a: F.embedding(L, a), s)
show("avg_pool1d", lambda a: F.avg_pool1d(a, 2), c)
show("avg_pool2d", lambda a: F.avg_pool2d(a, 2), c)
show("max_pool2d", lambda a: F.max_pool2d(a, 2), c)
show("adaptive_avg_pool1d", lambda a: F.adaptive_avg_pool1d(a, 1), c)
show("interpolate", lambda a: F.interpolate(a, scale_factor=2), c)
show("pad", lambda a: F.pad(a, (1, 1)), x)
show("sort", lambda a: a.sort().values, x)
show("topk", lambda a: a.topk(2).values, x)
show("masked_fill", lambda a: a.masked_fill(a > 0.5, 0), x)
show("matmul-in-place", lambda a, b: a.clone().addmm_(b, b), s, s)
show("mha", lambda a: torch.nn.functional.multi_head_attention_forward(a, a, a, 3, 1, torch.ones(9, 3), torch.ones(9), None, None, False, 0.0, torch.ones(3, 3), torch.ones(3), need_weights=True), x[:, None])

# %% autocast-settings
print(torch.is_autocast_enabled(), torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"), torch.get_autocast_dtype("cuda"))
def now():
    return torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu")
a = torch.ones(2, 2)
with torch.autocast("cpu"):
    print(now(), (a @ a).dtype)
    with torch.autocast("cpu", dtype=torch.float16):
        print(now(), (a @ a).dtype)
        with torch.autocast("cpu", enabled=False):
            print(now(), (a @ a).dtype)
        print((a @ a).dtype)
    print(now(), (a @ a).dtype)
print(now(), (a @ a).dtype)
with torch.amp.autocast("cpu", dtype=torch.float16):
    print((a @ a).dtype, (a @ a + a).dtype, torch.softmax(a @ a, -1).dtype, ((a @ a) ** 2).sum().dtype)
@torch.autocast("cpu", dtype=torch.bfloat16)
def product(x):
    """A product."""
    return x @ x
print(product(a).dtype, product.__name__, product.__doc__, (a @ a).dtype)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    @torch.autocast(device_type="cpu")
    def forward(self, x):
        return self.layer(x)
print(Net()(a).dtype)
try:
    with torch.autocast("cpu"):
        raise KeyError("left")
except KeyError:
    print(now())
for wrong in (lambda: torch.autocast(), lambda: torch.autocast(torch.device("cpu"))):
    try:
        wrong()
    except (TypeError, RuntimeError, ValueError) as error:
        print(type(error).__name__, error)
import warnings
for arguments in (dict(device_type="cuda"), dict(device_type="cpu", dtype=torch.float32), dict(device_type="cpu", dtype=torch.float32, enabled=False)):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with torch.autocast(**arguments):
            print((a @ a).dtype, now()[:2], [str(w.message) for w in caught])
with torch.cuda.amp.autocast(enabled=False):
    print((a @ a).dtype)
print((a @ a).dtype, torch.amp.is_autocast_available("cpu"))

# %% autocast-gradients
torch.manual_seed(0)
x, w = torch.randn(4, 3), torch.randn(3, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
with torch.autocast("cpu", dtype=torch.bfloat16):
    y = F.linear(x, w, b)
    print(y.grad_fn.name(), (x @ w).grad_fn.next_functions[1][0].name())
    loss = F.mse_loss(y, torch.zeros(4, 3))
    print(y.dtype, loss.dtype, loss)
loss.backward()
print(w.grad.dtype, w.grad, b.grad.dtype, b.grad)
# Used twice, a parameter is converted once: its gradients add up in the lower precision.
w.grad = None
with torch.autocast("cpu", dtype=torch.bfloat16):
    y, z = x @ w, (x * 0.01) @ w
(y.sum() + z.sum()).float().backward()
print(w.grad)
# What was converted before a step is not used after it.
optimizer = torch.optim.SGD([w], lr=0.5)
for step in range(3):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        loss = F.mse_loss(x @ w, torch.ones(4, 3))
    loss.backward()
    optimizer.step()
    print(loss)
norm = nn.LayerNorm(3)
h = x.bfloat16().requires_grad_()
with torch.autocast("cpu"):
    out = norm(h)
    print(out.dtype, out)
out.float().pow(2).sum().backward()
# PyTorch adds these up in a lower precision.
print((norm.weight.grad / 4).round(), norm.bias.grad.dtype, h.grad.dtype)

# %% autocast-block
torch.manual_seed(0)
class Block(nn.Module):
    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
    def forward(self, x):
        B, T, D = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(B, T, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
        scores = scores.masked_fill(torch.ones(T, T).triu(1) > 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        mixed = (weights @ v).transpose(1, 2).reshape(B, T, D)
        dtypes.append((q.dtype, scores.dtype, weights.dtype, mixed.dtype))
        x = x + self.out(mixed)
        return x + self.down(F.gelu(self.up(self.norm2(x))))
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(11, 16), nn.Embedding(8, 16)
        self.blocks, self.norm = nn.ModuleList([Block(), Block()]), nn.LayerNorm(16)
        self.head = nn.Linear(16, 11, bias=False)
        self.head.weight = self.tokens.weight
    def forward(self, ids):
        x = self.tokens(ids) + self.places(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        dtypes.append(x.dtype)
        return self.head(self.norm(x))
dtypes = []
model, ids = Model(), torch.tensor([[1, 5, 2, 8, 0, 3, 9], [4, 4, 10, 1, 7, 6, 2]])
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for step in range(3):
    with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.view(-1, 11), ids[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    if step == 0:
        print(*dtypes, logits.dtype, loss.dtype)
        for name, parameter in model.named_parameters():
            print(name, parameter.dtype, parameter.grad.dtype, f"{parameter.grad.norm():.1e}")
    optimizer.step()
    print(f"{loss:.2f}")
with torch.no_grad(), torch.autocast("cpu"):
    print(F.cross_entropy(model(ids[:, :-1]).view(-1, 11), ids[:, 1:].reshape(-1)).dtype)

# %% grad-scaler
w = torch.tensor([1.0, 2.0], requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for scaler in (torch.amp.GradScaler("cpu", enabled=False), torch.cuda.amp.GradScaler()):
    scaler.scale((w * w).sum()).backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    print(w, scaler.is_enabled(), scaler.get_scale(), scaler.state_dict(), scaler.scale(w) is w)
