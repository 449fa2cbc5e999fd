"""nn.Module: registration, names, printing, state, hooks."""

# %% repr-of-layers
print(nn.Linear(3, 2), nn.Linear(3, 2, bias=False), nn.Embedding(6, 3), nn.Embedding(6, 3, padding_idx=0), nn.LayerNorm(4), nn.LayerNorm((2, 3), eps=1e-6), nn.LayerNorm(4, elementwise_affine=False), nn.Dropout(0.1), nn.Dropout(p=0.5, inplace=True), sep="\n")
print(nn.ReLU(), nn.ReLU(inplace=True), nn.GELU(), nn.GELU("tanh"), nn.Softmax(dim=-1), nn.Softmax(1), nn.Flatten(), nn.Flatten(0, 1), nn.Identity(), nn.Tanh(), nn.Sigmoid(), nn.CrossEntropyLoss(), nn.MSELoss(), nn.LogSoftmax(dim=1), nn.MultiheadAttention(4, 2), sep="\n")

# %% repr-nested
class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))
        self.drop = nn.Dropout(0.1)
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 4)
        self.blocks = nn.ModuleList([Block(4) for _ in range(2)])
        self.table = nn.ModuleDict({"a": nn.Linear(1, 1), "b": nn.ReLU()})
        self.head = nn.Linear(4, 10, bias=False)
print(Net())

# %% repr-of-empty-containers
print(nn.Sequential(), nn.ModuleList(), nn.ModuleDict(), nn.Module(), nn.ParameterList([]), sep="\n")
class Empty(nn.Module):
    pass
print(Empty(), nn.Sequential(Empty(), Empty()))

# %% repr-repeats-in-a-list
print(nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)]))
print(nn.ModuleList([nn.Sequential(nn.Linear(1, 1), nn.ReLU()) for _ in range(3)]))
print(nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2)))

# %% extra-repr-of-ones-own
class Scale(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
    def forward(self, x):
        return x * self.k
    def extra_repr(self):
        return f"k={self.k}"
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Scale(3)
    def extra_repr(self):
        return "first=1,\nsecond=2"
print(Scale(2), Two(), Two().inner(torch.ones(2)))

# %% parameters-and-names
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(2))
        self.lin = nn.Linear(2, 3)
        self.not_registered = [nn.Linear(1, 1)]
        self.tensor = torch.zeros(2)
net = Net()
print([n for n, _ in net.named_parameters()], len(list(net.parameters())), sum(p.numel() for p in net.parameters()), [n for n, _ in net.named_children()], [n for n, _ in net.named_modules()], net)
for name, p in net.named_parameters():
    print(name, tuple(p.shape), p.requires_grad, type(p).__name__)

# %% count-only-trainable
net = nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2))
for p in net[0].parameters():
    p.requires_grad = False
print(sum(p.numel() for p in net.parameters()), sum(p.numel() for p in net.parameters() if p.requires_grad), net[0].weight.requires_grad, net.requires_grad_(True)[0].weight.requires_grad)
print(f"{sum(p.numel() for p in nn.Embedding(50257, 768).parameters()):,} parameters")

# %% buffers
class Causal(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.register_buffer("mask", torch.triu(torch.ones(n, n), diagonal=1))
        self.register_buffer("scratch", torch.zeros(1), persistent=False)
        self.register_buffer("nothing", None)
m = Causal(3)
print(m.mask, list(m.state_dict()), [n for n, _ in m.named_buffers()], list(m.parameters()), m.nothing, m.mask.requires_grad, m)
m.mask = torch.zeros(2, 2)
print(dict(m.named_buffers())["mask"])
try:
    m.mask = 5
except TypeError as e:
    print(e)

# %% state-dict-round-trip
torch.manual_seed(0)
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
print(torch.equal(a.weight, b.weight), b.load_state_dict(a.state_dict()), torch.equal(a.weight, b.weight), a.weight is b.weight)
s = a.state_dict()
print(list(s.keys()), type(s).__name__, s["bias"].requires_grad, s["weight"].shape)
with torch.no_grad():
    a.weight.zero_()
print(s["weight"], b.weight.abs().sum() > 0)

# %% load-state-dict-complains
net = nn.Linear(2, 1)
for sd, kw in (({"weight": torch.zeros(1, 2)}, {}), ({"weight": torch.zeros(1, 2), "bias": torch.zeros(1), "extra": torch.zeros(1)}, {}), ({"weight": torch.zeros(3, 2), "bias": torch.zeros(1)}, {}), ({"weight": torch.zeros(1, 2)}, {"strict": False})):
    try:
        print(net.load_state_dict(sd, **kw))
    except RuntimeError as e:
        print(e)

# %% copy-weights-between-implementations
torch.manual_seed(3)
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.rand(3, 2))
    def forward(self, x):
        return x @ self.W
class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Linear(3, 2, bias=False)
    def forward(self, x):
        return self.W(x)
a, b, x = A(), B(), torch.ones(1, 3)
print(torch.allclose(a(x), b(x)))
a.W = nn.Parameter(b.W.weight.T)
print(torch.allclose(a(x), b(x)), a.W.shape)
b.W.weight.data = torch.ones(2, 3)
print(b(x), a(x).shape)
with torch.no_grad():
    b.W.weight.copy_(a.W.T * 2)
print(torch.allclose(b(x), a(x) * 2))

# %% train-and-eval
net = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.9), nn.Sequential(nn.Dropout(1.0)))
print(net.training, net.eval() is net, net.training, [m.training for m in net.modules()], net.train()[2][0].training, net.train(False).training)
net.eval()
x = torch.ones(1, 2)
print(torch.equal(net(x), net[0](x)), net[1].p, net[1])

# %% forward-and-call
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
    def forward(self, x, scale=1, *, shift=0):
        self.calls += 1
        return x * scale + shift
net = Net()
print(net(torch.ones(2)), net(torch.ones(2), 3), net(torch.ones(2), scale=2, shift=1), net.forward(torch.zeros(1)), net.calls, callable(net))
try:
    nn.Module()(torch.ones(1))
except NotImplementedError as e:
    print(e)

# %% forgotten-super-init
class Bad(nn.Module):
    def __init__(self):
        self.lin = nn.Linear(1, 1)
class Worse(nn.Module):
    def __init__(self):
        self.w = nn.Parameter(torch.ones(1))
for c in (Bad, Worse):
    try:
        c()
    except AttributeError as e:
        print(e)

# %% missing-attribute
net = nn.Linear(2, 2)
for f in (lambda: net.wieght, lambda: nn.Sequential(net).foo, lambda: torch.ones(1).foo, lambda: net.register_parameter("a.b", None), lambda: net.register_buffer("weight", torch.ones(1)), lambda: net.add_module("x", 3)):
    try:
        f()
    except Exception as e:
        print(type(e).__name__, e)

# %% sequential-forms
from collections import OrderedDict
net = nn.Sequential(OrderedDict([("fc", nn.Linear(2, 3)), ("act", nn.ReLU())]))
print(net, net.fc, net[0] is net.fc, len(net), net[-1], net[:1], [type(m).__name__ for m in net])
net.append(nn.Linear(3, 1))
net.add_module("last", nn.Sigmoid())
print(net, list(net._modules), net(torch.zeros(1, 2)).shape)
net[1] = nn.Tanh()
print(net[1])

# %% module-list-forms
l = nn.ModuleList([nn.Linear(1, 1)])
l.append(nn.ReLU())
l.extend([nn.Tanh()])
l.insert(0, nn.Identity())
print(l, len(l), l[-1], l[1:3], [type(m).__name__ for m in l], nn.Linear in [type(m) for m in l])
del l[0]
print(len(l), l[0])
try:
    l(torch.ones(1))
except NotImplementedError as e:
    print(e)

# %% module-dict-and-parameter-list
d = nn.ModuleDict({"relu": nn.ReLU(), "tanh": nn.Tanh()})
d["id"] = nn.Identity()
print(d, list(d.keys()), "relu" in d, d["tanh"](torch.zeros(1)), len(d), [k for k, v in d.items()], d.pop("relu"))
p = nn.ParameterList([nn.Parameter(torch.ones(i + 1)) for i in range(2)])
p.append(nn.Parameter(torch.zeros(1)))
print(p, len(p), p[0], [tuple(q.shape) for q in p])

# %% shared-modules-count-once
class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(4, 2)
        self.head = nn.Linear(2, 4, bias=False)
        self.head.weight = self.emb.weight
t = Tied()
print(len(list(t.parameters())), [n for n, _ in t.named_parameters()], list(t.state_dict()), t.head.weight is t.emb.weight, sum(p.numel() for p in t.parameters()))

# %% apply-and-init
def init(m):
    if isinstance(m, nn.Linear):
        nn.init.constant_(m.weight, 0.5)
        nn.init.zeros_(m.bias)
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1)).apply(init)
print(net(torch.tensor([[1., 2.]])), [p.sum().item() for p in net.parameters()], net[2].weight)

# %% hooks
log = []
lin = nn.Linear(2, 2, bias=False)
lin.weight.data.copy_(torch.eye(2))
h = lin.register_forward_hook(lambda m, i, o: log.append((type(m).__name__, tuple(i[0].shape), tuple(o.shape))))
p = lin.register_forward_pre_hook(lambda m, i: (i[0] * 10,))
print(lin(torch.ones(1, 2)), log)
h.remove(); p.remove()
q = lin.register_forward_hook(lambda m, i, o: o + 1)
print(lin(torch.ones(1, 2)), len(log))

# %% walk-the-tree
net = nn.Sequential(nn.Linear(1, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 1)))
for name, m in net.named_modules():
    print(repr(name), type(m).__name__)
print([type(m).__name__ for m in net.children()], net.get_submodule("1.1"), net.get_parameter("1.1.bias").shape, [n for n, _ in net.named_parameters(prefix="net")], [n for n, _ in net.named_parameters(recurse=False)])

# %% to-dtype-and-device
net = nn.Linear(2, 2)
print(net.double().weight.dtype, net.to(torch.float32).bias.dtype, net.half().weight.dtype, net.float().to("cpu").weight.device, next(net.parameters()).dtype, net.cpu() is net)

# %% zero-grad-and-grad-start
net = nn.Linear(2, 1)
net.zero_grad()
print(net.weight.grad, net.bias.grad, net.weight.is_leaf, net.weight.grad_fn, net(torch.ones(2)).grad_fn is not None)

# %% setattr-and-delattr
m = nn.Module()
m.a = nn.Parameter(torch.ones(1))
m.b = nn.ReLU()
m.a = None
print(list(m.parameters()), m.a)
del m.b
print(list(m.children()), hasattr(m, "b"), "a" in m._parameters)
try:
    m.a = torch.ones(1)
except TypeError as e:
    print(e)
m.register_parameter("c", nn.Parameter(torch.zeros(2)))
print([n for n, _ in m.named_parameters()], vars(m)["training"])

# %% deepcopy-of-modules
import copy
torch.manual_seed(0)
a = nn.Linear(2, 2)
b = copy.deepcopy(a)
with torch.no_grad():
    a.bias.fill_(9)
print(torch.equal(a.weight, b.weight), torch.equal(a.bias, b.bias), b, [copy.deepcopy(a) is a], len(nn.ModuleList([copy.deepcopy(a) for _ in range(2)])))

# %% compiled-modules-and-functions
class Two(nn.Module):
    """Doubles."""
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
    def forward(self, x):
        return self.inner(x) * 2
    def other(self):
        return 5
m = Two()
c = torch.compile(m, backend="eager")
print(c, type(c).__name__, c.__module__, isinstance(c, nn.Module), c is m, c._orig_mod is m, c.other())
print(list(c.state_dict()), [name for name, _ in c.named_parameters()], [name for name, _ in c.named_modules()])
c.eval()
print(c.training, m.training, c.train() is c, m.training, c.inner is m.inner)
c.extra = 3
print(m.extra, hasattr(c, "nothing"), torch.compile(m, disable=True) is m)
x = torch.ones(1, 2)
print(torch.equal(c(x), m(x)), len(list(c.parameters())))
try:
    del c.extra
except AttributeError as e:
    print(e, m.extra)
c.load_state_dict({"_orig_mod." + k: torch.zeros_like(v) for k, v in m.state_dict().items()})
print(m.inner.bias, m(x))
@torch.compile(backend="eager")
def f(x, y=1):
    """Adds."""
    return x + y
print(f.__name__, f.__doc__, f.__module__, f.__wrapped__ is f._torchdynamo_orig_callable, f(x, y=2), torch.compile(f, backend="eager") is f)
print(torch.compile.__module__, torch.compile(backend="eager").__module__)
for call in [lambda: torch.compile(3)]:
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, e)

# %% modules-padding-left-out-in-eval
torch.manual_seed(0)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
x = torch.randn(2, 4, 8)
padding = torch.tensor([[False, False, True, True], [False, False, False, True]])
inside = torch.tensor([[False, True, False, True], [False, False, False, True]])
causal = nn.Transformer.generate_square_subsequent_mask(4) == float("-inf")
with torch.no_grad():
    print(encoder(x, src_key_padding_mask=padding)[:, :, :3])
    print(encoder(x, src_key_padding_mask=inside)[:, :, :3])
    print(encoder(x, mask=causal, src_key_padding_mask=padding)[:, :, :3])
print(encoder(x, src_key_padding_mask=padding)[0, :, :3])
for parameter in encoder.parameters():
    parameter.requires_grad_(False)
print(encoder(x, src_key_padding_mask=padding)[0, :, :3], encoder.use_nested_tensor)
odd = nn.TransformerEncoder(nn.TransformerEncoderLayer(9, 3, 16, batch_first=True), 1).eval()
with torch.no_grad():
    print((odd(torch.randn(2, 4, 9), src_key_padding_mask=padding) == 0).sum(), odd.use_nested_tensor)

# %% modules-with-a-device
with torch.device("cpu"):
    layer = nn.Linear(2, 2)
print(layer.weight.device)
