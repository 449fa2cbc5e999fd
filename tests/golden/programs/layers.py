"""What layers compute and how they start."""

# %% linear-is-addmm
torch.manual_seed(0)
lin = nn.Linear(3, 2)
x = torch.tensor([[1., 2., 3.]])
print(lin.weight, lin.bias, lin(x), torch.allclose(lin(x), x @ lin.weight.T + lin.bias), F.linear(x, lin.weight, lin.bias), lin(x[0]).shape, lin(x[None, None]).shape, lin.in_features, lin.out_features)

# %% linear-seeds-match
torch.manual_seed(42)
a = nn.Linear(2, 2, bias=False)
b = nn.Linear(2, 2, bias=False)
torch.manual_seed(42)
c = nn.Linear(2, 2, bias=False)
print(torch.equal(a.weight, c.weight), torch.equal(a.weight, b.weight), a.weight, b.weight)

# %% linear-three-in-a-row
torch.manual_seed(789)
q, k, v = nn.Linear(3, 2, bias=False), nn.Linear(3, 2, bias=False), nn.Linear(3, 2, bias=False)
x = torch.tensor([[0.31, 0.62, 0.05], [0.77, 0.14, 0.58]])
print(q(x), k(x), v(x), torch.softmax(q(x) @ k(x).T / 2 ** 0.5, dim=-1) @ v(x), sep="\n")

# %% linear-wrong-input
lin = nn.Linear(3, 2)
for x in (torch.ones(2), torch.ones(6, 4), torch.ones(3, dtype=torch.int64), torch.ones(3, dtype=torch.float64), torch.ones(2, 5, 4)):
    try:
        print(lin(x).shape)
    except RuntimeError as e:
        print(e)

# %% embedding-lookup
torch.manual_seed(123)
emb = nn.Embedding(6, 3)
print(emb.weight, emb(torch.tensor([3])), emb(torch.tensor([[2, 3], [5, 1]])).shape, emb.num_embeddings, emb.embedding_dim, torch.equal(emb(torch.tensor([2, 2]))[0], emb.weight[2]))
for i in (torch.tensor([6]), torch.tensor([-1]), torch.tensor([0.5])):
    try:
        print(emb(i).shape)
    except Exception as e:
        print(type(e).__name__, str(e).split("(")[0])

# %% embedding-padding-and-pretrained
torch.manual_seed(1)
e = nn.Embedding(3, 2, padding_idx=0)
print(e(torch.tensor([0, 1])), nn.Embedding.from_pretrained(torch.eye(3))(torch.tensor([2])), nn.Embedding.from_pretrained(torch.eye(2)).weight.requires_grad)

# %% embedding-is-one-hot-matmul
torch.manual_seed(9)
e = nn.Embedding(4, 2)
ids = torch.tensor([3, 0, 0])
print(torch.equal(e(ids), F.one_hot(ids, 4).float() @ e.weight), F.embedding(ids, e.weight), torch.nn.Linear(4, 2, bias=False).weight.shape)

# %% token-plus-position
torch.manual_seed(5)
tok, pos = nn.Embedding(7, 4), nn.Embedding(3, 4)
ids = torch.tensor([[1, 2, 3], [6, 0, 1]])
x = tok(ids) + pos(torch.arange(ids.shape[1]))
print(x.shape, x[0, 0], x[1, 2] - tok.weight[1], torch.equal(x[:, 0], tok(ids[:, 0]) + pos.weight[0]))

# %% layernorm-values
x = torch.tensor([[1., 2., 3., 4.], [2., 2., 2., 2.]])
ln = nn.LayerNorm(4)
print(ln(x), ln.weight, ln.bias, ln(x).mean(-1).abs() < 1e-6, ln(x)[0].var(unbiased=False), ln.normalized_shape, ln.eps)
with torch.no_grad():
    ln.weight.mul_(2); ln.bias.add_(1)
print(ln(x), F.layer_norm(x, (4,), ln.weight, ln.bias), F.layer_norm(x, [2, 4]), nn.LayerNorm([2, 4], elementwise_affine=False)(x), nn.LayerNorm(4, bias=False).bias)
try:
    nn.LayerNorm(3)(x)
except RuntimeError as e:
    print(e)

# %% layernorm-of-ones-own
class LayerNorm(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gain, self.offset = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))
    def forward(self, x):
        centred = x - x.mean(-1, True)
        return centred * (centred.square().mean(-1, True) + 1e-5).rsqrt() * self.gain + self.offset
torch.manual_seed(0)
x = torch.randn(2, 5)
ours, theirs = LayerNorm(5), nn.LayerNorm(5)
print(ours(x), torch.allclose(ours(x), theirs(x), atol=1e-6), ours(x).mean(-1, keepdim=True).abs().max() < 1e-6, ours)

# %% feed-forward
torch.manual_seed(0)
ff = nn.Sequential(nn.Linear(4, 16), nn.GELU(), nn.Linear(16, 4))
x = torch.rand(2, 3, 4)
print(ff(x).shape, ff(x)[0, 0], sum(p.numel() for p in ff.parameters()))

# %% dropout-in-eval
d = nn.Dropout(0.5)
d.eval()
x = torch.ones(2, 2)
print(d(x), d(x) is x, F.dropout(x, 0.5, training=False), F.dropout(x, p=0.0), nn.Dropout(0.0)(x), F.dropout(x, 1.0), torch.dropout(x, 0.3, False))
for p in (-0.1, 1.5):
    try:
        nn.Dropout(p)
    except ValueError as e:
        print(e)

# %% softmax-module-and-flatten
x = torch.arange(8.).view(2, 2, 2)
print(nn.Softmax(dim=-1)(x), nn.Flatten()(x), nn.Flatten(0, 1)(x).shape, nn.Identity(5, unused=True)(x).shape)

# %% losses-as-modules
x, y = torch.tensor([[2., 1., 0.], [0., 3., 1.]]), torch.tensor([0, 2])
print(nn.CrossEntropyLoss()(x, y), nn.CrossEntropyLoss(reduction="none")(x, y), nn.CrossEntropyLoss(label_smoothing=0.1)(x, y), nn.CrossEntropyLoss(ignore_index=2)(x, y), nn.MSELoss()(x[0], x[1]), nn.MSELoss(reduction="sum")(x[0], x[1]), nn.NLLLoss()(x.log_softmax(-1), y), nn.L1Loss()(x[0], x[1]), nn.BCELoss()(torch.tensor([0.5, 0.9]), torch.tensor([0., 1.])), nn.BCEWithLogitsLoss()(torch.tensor([0., 2.]), torch.tensor([0., 1.])))

# %% init-functions
w = torch.empty(3, 2)
print(nn.init.zeros_(w), nn.init.ones_(w), nn.init.constant_(w, 0.25), nn.init.ones_(w) is w, nn.init.calculate_gain("relu"), nn.init.calculate_gain("leaky_relu", 0.2), nn.init._calculate_fan_in_and_fan_out(torch.empty(4, 5)))
torch.manual_seed(0); print(nn.init.uniform_(torch.empty(2, 3)), nn.init.uniform_(torch.empty(2), -1, 1))
torch.manual_seed(0); print(nn.init.normal_(torch.empty(2, 3), mean=1.0, std=0.02))
torch.manual_seed(0); print(nn.init.xavier_uniform_(torch.empty(2, 3)), nn.init.xavier_normal_(torch.empty(2, 3)))
torch.manual_seed(0); print(nn.init.kaiming_uniform_(torch.empty(2, 3), nonlinearity="relu"), nn.init.kaiming_normal_(torch.empty(2, 3), mode="fan_out"))
torch.manual_seed(0); print(nn.init.trunc_normal_(torch.empty(2, 3), std=0.02), nn.init.kaiming_uniform_(nn.Parameter(torch.empty(2, 2)), a=5 ** 0.5))
try:
    nn.init.xavier_uniform_(torch.empty(3))
except ValueError as e:
    print(e)

# %% residual-and-norm-order
torch.manual_seed(2)
x = torch.rand(1, 2, 4)
norm, lin = nn.LayerNorm(4), nn.Linear(4, 4)
pre, post = x + lin(norm(x)), norm(x + lin(x))
print(pre.shape, torch.allclose(pre, post), post.mean(-1).abs().max() < 1e-6, pre.detach())


# %% pooling-and-padding
torch.manual_seed(0)
x = torch.randn(1, 2, 4, 6, requires_grad=True)
s = torch.randn(2, 3, 7)
for m in (nn.MaxPool2d(2), nn.MaxPool2d((2, 3), stride=1, padding=1), nn.AvgPool2d(2), nn.AvgPool2d(3, 1, 1, count_include_pad=False), nn.AdaptiveAvgPool2d(1), nn.AdaptiveAvgPool2d((2, 3))):
    y = m(x)
    print(m, y.shape, y, sep="\n")
    x.grad = None
    y.square().sum().backward()
    print(x.grad)
for m in (nn.MaxPool1d(2), nn.MaxPool1d(3, 2, 1), nn.AvgPool1d(2), nn.AvgPool1d(3, stride=1, padding=1), nn.AdaptiveAvgPool1d(1), nn.AdaptiveAvgPool1d(3)):
    print(m, m(s), sep="\n")
print(F.max_pool2d(x[0], 2), F.avg_pool1d(s[0], 3), F.adaptive_avg_pool2d(x, (None, 2)), sep="\n")
for f in (lambda: F.max_pool2d(x, 9), lambda: F.max_pool2d(x, 2, padding=2)):
    try:
        f()
    except RuntimeError as e:
        print(e)
class SqueezeExcite(nn.Module):
    def __init__(self, c, r=2):
        super().__init__()
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Sequential(nn.Linear(c, c // r), nn.ReLU(), nn.Linear(c // r, c), nn.Sigmoid())
    def forward(self, x):
        w = self.fc(self.pool(x).flatten(1))[:, :, None, None]
        return x * w
se = SqueezeExcite(2)
print(se, se(x))

# %% learning-rate-on-a-plateau
p = torch.zeros(1, requires_grad=True)
o = torch.optim.SGD([p], lr=0.1)
c = torch.optim.lr_scheduler.ReduceLROnPlateau(o, factor=0.5, patience=2, cooldown=1, min_lr=0.01)
for loss in (1.0, 0.9, 0.9, 0.9, 0.89999, 0.9, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8):
    c.step(torch.tensor(loss))
    print(c.get_last_lr(), o.param_groups[0]["lr"], c.num_bad_epochs, round(c.best, 5))
c = torch.optim.lr_scheduler.ReduceLROnPlateau(o, "max", patience=0, threshold_mode="abs", threshold=0.01)
for a in (0.5, 0.505, 0.52, 0.4):
    c.step(a); print(o.param_groups[0]["lr"])
try:
    torch.optim.lr_scheduler.ReduceLROnPlateau(o, factor=1.5)
except ValueError as e:
    print(e)

# %% pooling-of-nothing
for a in (torch.zeros(2, 0), torch.zeros(1, 2, 0), torch.zeros(0, 3), torch.zeros(0, 2, 3), torch.zeros(2, 0, 3)):
    for kw in (dict(kernel_size=2, padding=1), dict(kernel_size=4, padding=2), dict(kernel_size=2)):
        for f in (F.avg_pool1d, F.max_pool1d):
            try:
                print(f(a, **kw).shape)
            except RuntimeError as error:
                print(error)
