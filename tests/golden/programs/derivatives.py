"""First and second derivatives of what has a gradient."""

# %% first-and-second
import torch, torch.nn as nn, torch.nn.functional as F
torch.manual_seed(0)
D = torch.float64
x0 = torch.linspace(0.1513, 0.9071, 12, dtype=D).view(3, 4); y0 = torch.linspace(0.3017, 1.4037, 12, dtype=D).flip(0).view(3, 4)
w = torch.linspace(-1, 1, 20, dtype=D).view(5, 4); b5 = torch.linspace(0, 1, 5, dtype=D); idx = torch.tensor([[0, 2], [1, 1], [3, 0]]); tgt = torch.tensor([1, 0, 3])
S = lambda t: (t * torch.linspace(0.5, 2, t.numel(), dtype=D).view(t.shape)).sum() if t.dtype == D else t
fs = {}
for n in "exp log log2 log10 log1p expm1 sqrt rsqrt sin cos tan tanh sigmoid asin acos atan sinh cosh erf erfc reciprocal square abs neg relu sign floor softplus silu gelu elu leaky_relu logsigmoid".split():
    f = getattr(torch, n, None) if hasattr(torch, n) else getattr(F, n, None)
    if f: fs[n] = lambda x, y, f=f: S(f(x))
fs |= {
 'gelu-tanh': lambda x, y: S(F.gelu(x, approximate='tanh')), 'pow': lambda x, y: S(x ** y), 'pow2': lambda x, y: S(x ** 2.5), 'powb': lambda x, y: S(2.0 ** x), 'mul': lambda x, y: S(x * y), 'div': lambda x, y: S(x / y), 'atan2': lambda x, y: S(torch.atan2(x, y)), 'max2': lambda x, y: S(torch.maximum(x, y) ** 2), 'hypot': lambda x, y: S(torch.hypot(x, y)), 'logaddexp': lambda x, y: S(torch.logaddexp(x, y)),
 'softmax': lambda x, y: S(x.softmax(-1)), 'log_softmax': lambda x, y: S(x.log_softmax(-1)), 'logsumexp': lambda x, y: S(x.logsumexp(-1)), 'logsumexp2': lambda x, y: S(x.logsumexp((0, 1), keepdim=True)), 'cross_entropy': lambda x, y: F.cross_entropy(x, tgt), 'ce-smooth': lambda x, y: F.cross_entropy(x, tgt, label_smoothing=0.1), 'ce-sum-w': lambda x, y: F.cross_entropy(x, tgt, weight=b5[:4] + .5, reduction='sum'), 'ce-prob': lambda x, y: F.cross_entropy(x, y / y.sum(-1, keepdim=True)), 'ce-ignore': lambda x, y: F.cross_entropy(x, tgt, ignore_index=0), 'nll': lambda x, y: F.nll_loss(x.log_softmax(-1), tgt), 'mse': lambda x, y: F.mse_loss(x, y), 'l1': lambda x, y: F.l1_loss(x ** 2, y), 'smooth_l1': lambda x, y: F.smooth_l1_loss(x ** 2, y), 'bce': lambda x, y: F.binary_cross_entropy(x, (y > .8).to(D)), 'bcel': lambda x, y: F.binary_cross_entropy_with_logits(x, (y > .8).to(D)), 'kl': lambda x, y: F.kl_div(x.log_softmax(-1), y.softmax(-1), reduction='batchmean'), 'cos': lambda x, y: S(F.cosine_similarity(x, y, dim=-1)), 'pairwise': lambda x, y: S(F.pairwise_distance(x, y)), 'cdist': lambda x, y: S(torch.cdist(x, y)), 'matmul': lambda x, y: S(x @ y.T), 'mv': lambda x, y: S(x @ y[0]), 'dot': lambda x, y: torch.dot(x[0], y[0]) ** 2, 'outer': lambda x, y: S(torch.outer(x[0], y[0])), 'bmm': lambda x, y: S(torch.bmm(x.expand(2, 3, 4), y.T.expand(2, 4, 3))), 'linear': lambda x, y: S(F.linear(x, w * y[0], b5)), 'einsum': lambda x, y: S(torch.einsum('ij,kj->ik', x, y)), 'addmm': lambda x, y: S(torch.addmm(y[:, :3], x, y.T)), 'baddbmm': lambda x, y: S(torch.baddbmm(y[None, :, :3], x[None], y.T[None])), 'tensordot': lambda x, y: S(torch.tensordot(x, y, dims=([0], [0]))),
 'sum': lambda x, y: x.sum(0).pow(2).sum(), 'mean': lambda x, y: x.mean(-1).pow(3).sum(), 'prod': lambda x, y: S(x.prod(-1)), 'var': lambda x, y: S(x.var(-1)), 'std': lambda x, y: S(x.std(-1)), 'norm': lambda x, y: x.norm(), 'norm1': lambda x, y: (x ** 2).norm(1), 'norm3': lambda x, y: S(x.norm(3, dim=-1)), 'vnorm': lambda x, y: S(torch.linalg.vector_norm(x, dim=-1)), 'mnorm': lambda x, y: torch.linalg.matrix_norm(x), 'amax': lambda x, y: S(x.amax(-1) ** 2), 'max': lambda x, y: S(x.max(-1).values ** 2), 'min': lambda x, y: x.min() ** 2, 'median': lambda x, y: S(x.median(-1).values ** 2), 'cumsum': lambda x, y: S(x.cumsum(-1) ** 2), 'cumprod': lambda x, y: S(x.cumprod(-1)), 'topk': lambda x, y: S(x.topk(2).values ** 2), 'sort': lambda x, y: S(x.sort(descending=True).values ** 2), 'gather': lambda x, y: S(x.gather(1, idx) ** 2), 'scatter': lambda x, y: S(x.scatter(1, idx, y[:, :2] ** 2) ** 2), 'scatter_add': lambda x, y: S(x.scatter_add(1, idx, y[:, :2]) ** 2), 'index': lambda x, y: S(x[[0, 2]] ** 2), 'index_add': lambda x, y: S(x.index_add(0, torch.tensor([0, 0, 1]), y) ** 2), 'masked_fill': lambda x, y: S(x.masked_fill(y > .8, 0) ** 2), 'where': lambda x, y: S(torch.where(y > .8, x, y) ** 2), 'clamp': lambda x, y: S(x.clamp(.2, .7) ** 2), 'tril': lambda x, y: S(x.tril() ** 2), 'cat': lambda x, y: S(torch.cat([x, y]) ** 2), 'stack': lambda x, y: S(torch.stack([x, y]) ** 2), 'pad': lambda x, y: S(F.pad(x, (1, 1)) ** 2), 'roll': lambda x, y: S(x.roll(1, 0) ** 2), 'flip': lambda x, y: S(x.flip(0) ** 2), 'repeat': lambda x, y: S(x.repeat(2, 1) ** 2), 'rint': lambda x, y: S(x.repeat_interleave(2, 0) ** 2), 'unfold': lambda x, y: S(x.unfold(1, 2, 1) ** 2), 'lerp': lambda x, y: S(torch.lerp(x, y, x * y)), 'addcmul': lambda x, y: S(torch.addcmul(x, x, y)), 'addcdiv': lambda x, y: S(torch.addcdiv(x, x, y)), 'trace': lambda x, y: (x[:, :3] @ y[:, :3]).trace(), 'diag': lambda x, y: S(torch.diag(x[:, :3]) ** 2), 'diagonal': lambda x, y: S(x.diagonal() ** 2), 'embedding': lambda x, y: S(F.embedding(tgt[:2], x.T.contiguous()) ** 2),
 'layer_norm': lambda x, y: S(F.layer_norm(x, (4,), y[0], y[1])), 'rms_norm': lambda x, y: S(F.rms_norm(x, (4,), y[0])), 'batch_norm': lambda x, y: S(F.batch_norm(x, None, None, y[0], y[1], True)), 'batch_norm-eval': lambda x, y: S(F.batch_norm(x, torch.zeros(4, dtype=D), torch.ones(4, dtype=D), y[0], y[1]) ** 2), 'group_norm': lambda x, y: S(F.group_norm(x, 2, y[0], y[1])), 'normalize': lambda x, y: S(F.normalize(x, dim=-1)), 'conv1d': lambda x, y: S(F.conv1d(x[None], y.view(2, 3, 2)[:, :, :])), 'conv2d': lambda x, y: S(F.conv2d(x[None, None], y[None, None, :2, :2]) ** 2), 'avgpool': lambda x, y: S(F.avg_pool1d(x[None], 2) ** 2), 'maxpool': lambda x, y: S(F.max_pool1d(x[None], 2) ** 2), 'adaptive': lambda x, y: S(F.adaptive_avg_pool1d(x[None], 2) ** 2), 'sdpa': lambda x, y: S(F.scaled_dot_product_attention(x[None, None], y[None, None], (x * y)[None, None])), 'sdpa-causal': lambda x, y: S(F.scaled_dot_product_attention(x[None, None], y[None, None], y[None, None], is_causal=True)), 'glu': lambda x, y: S(F.glu(x)), 'interp': lambda x, y: S(F.interpolate(x[None], scale_factor=2, mode='linear') ** 2),
 'inv': lambda x, y: S(torch.linalg.inv(x[:, :3] + 2 * torch.eye(3, dtype=D))), 'det': lambda x, y: torch.linalg.det(x[:, :3] + 2 * torch.eye(3, dtype=D)), 'solve': lambda x, y: S(torch.linalg.solve(x[:, :3] + 2 * torch.eye(3, dtype=D), y)), 'svdvals': lambda x, y: S(torch.linalg.svdvals(x)), 'inplace': lambda x, y: S((x * 1).mul_(y).add_(x).exp_()), 'setitem': lambda x, y: S((lambda z: (z.__setitem__((0,), y[0] ** 2), z)[1])(x * 1) ** 2), 'mha': lambda x, y: S(mha(x[None], y[None], y[None])[0]), 'lstm': lambda x, y: S(lstm(x[None])[0]), 'gru': lambda x, y: S(gru(x[None])[0]), 'rot': lambda x, y: S(torch.view_as_real(torch.view_as_complex(x.view(3, 2, 2)) * torch.polar(torch.ones(3, 2, dtype=D), y[:, :2]))),
}
mha = nn.MultiheadAttention(4, 2, batch_first=True).to(D); lstm = nn.LSTM(4, 3, batch_first=True).to(D); gru = nn.GRU(4, 3, batch_first=True).to(D)
for n, f in fs.items():
    if n in ['cdist', 'sdpa', 'sdpa-causal', 'lgamma', 'digamma', 'relu', 'leaky_relu', 'svdvals', 'abs']:
        continue
    try:
        x, y = x0.clone().requires_grad_(), y0.clone().requires_grad_()
        g = torch.autograd.grad(f(x, y), (x, y), create_graph=True, allow_unused=True)
        print(n, [None if t is None else [round(v, 3) + 0.0 for v in t.flatten().tolist()[:6]] for t in g])
        s = sum(S(t.reshape(3, 4)) for t in g if t is not None)
        if not s.requires_grad: print(n, 'no graph'); continue
        gg = torch.autograd.grad(s, (x, y), allow_unused=True)
        print(n, [None if t is None else [round(v, 3) + 0.0 for v in t.flatten().tolist()[:6]] for t in gg])
    except Exception as e: print(n, type(e).__name__, str(e)[:90])

# %% derivatives-broadcast
x = (torch.arange(12.).reshape(3, 4) - 5.5) / 4
x.requires_grad_()
y = torch.tensor([0.5, float('nan'), -0.25, 1.], requires_grad=True)
c = torch.tensor([[2.], [-1.], [0.5]], requires_grad=True)
w = torch.arange(12.).reshape(3, 4) * 0.3 - 1
def grads(*losses):
    for loss in losses:
        for g in torch.autograd.grad(loss, [x, y, c], allow_unused=True):
            print(g)
f = torch.logaddexp
print(f.__name__)
grads((f(x, c) * w).sum(), (f(x, y) * w).nan_to_num().sum())
a, b, d = torch.broadcast_tensors(x, y, c)
print(a.grad_fn, b.grad_fn.name(), d.grad_fn.name())
grads((a * w).sum() + (d * d * w).sum(), (b * w).sum())
p, q = torch.tensor([1., 2., 3.], requires_grad=True), torch.tensor([4., 5.], requires_grad=True)
for indexing in 'ij', 'xy':
    u, v = torch.meshgrid(p, q, indexing=indexing)
    print(torch.autograd.grad((u * v * u).sum(), [p, q]), torch.autograd.grad(u.sum(), [p, q], allow_unused=True))
s = torch.tensor(2., requires_grad=True)
n = torch.tensor([[1., 0., 2.], [0., 3., 1.]])

# %% a-gradient-with-a-graph-is-a-copy
import torch
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x ** 3).sum().backward(create_graph=True)
print(x.grad)
print(torch.autograd.grad(x.grad.sum(), x)[0])
(x ** 2).sum().backward(create_graph=True)
print(x.grad)
first, = torch.autograd.grad((x ** 3).sum(), x, create_graph=True)
print(first)

# %% gradients-are-checked-by-differences
import torch
from torch.autograd import gradcheck
class Sq(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w); return x * x * w
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        return 2 * x * w * g, (x * x * g)
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x); return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x * g
torch.manual_seed(0)
x = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
w = torch.randn(3, 2, dtype=torch.float64, requires_grad=True)
print(gradcheck(Sq.apply, (x, w), eps=1e-6, atol=1e-4))
print(torch.autograd.gradcheck(lambda a: torch.softmax(a @ a.T, -1), x), gradcheck(torch.nn.functional.scaled_dot_product_attention, tuple(torch.randn(1, 3, 2, dtype=torch.float64, requires_grad=True) for _ in range(3))))
print(gradcheck(Bad.apply, (x[:1, :1].detach().requires_grad_(),), raise_exception=False))
try:
    gradcheck(Bad.apply, (torch.tensor([1.5], dtype=torch.float64, requires_grad=True),))
except RuntimeError as e:
    print(type(e).__name__, e)
try: gradcheck(Sq.apply, (x.detach(), w.detach()))
except ValueError as e: print(e)
print(gradcheck(lambda a: (a.sum(), a * 2, a.detach()), x))
