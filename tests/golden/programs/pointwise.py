"""Functions applied element by element."""

# %% exponentials-and-logs
x = torch.tensor([0.5, 1.0, 2.0])
print(x.exp(), x.log(), torch.log2(x), torch.log10(x), x.log1p(), x.expm1(), torch.exp2(x), torch.sqrt(x), x.rsqrt(), x.reciprocal(), x.square())

# %% trigonometry
x = torch.tensor([0.0, 0.5, 1.0])
print(x.sin(), x.cos(), x.tan(), torch.atan(x), x.sinh(), x.cosh(), x.tanh(), torch.sin(torch.tensor(torch.pi / 2)), torch.cos(torch.tensor([[0, 1]])))
pos = torch.arange(4).unsqueeze(1)
div = torch.exp(torch.arange(0, 6, 2) * (-torch.log(torch.tensor(10000.0)) / 6))
pe = torch.zeros(4, 6)
pe[:, 0::2] = torch.sin(pos * div)
pe[:, 1::2] = torch.cos(pos * div)
print(pe, div)

# %% integer-inputs-become-floats
x = torch.tensor([0, 1, 4])
print(x.sqrt(), x.exp(), torch.sin(x), x.sigmoid(), torch.log(x), x.tanh(), torch.abs(-x), x.square(), x.sign(), (x.sqrt()).dtype, x.float().mean(), torch.tensor([True, False]).exp())
for f in (lambda: x.softmax(0), lambda: x.mean(), lambda: torch.nn.functional.gelu(x), lambda: x.exp_()):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# %% rounding
x = torch.tensor([-1.5, -0.5, 0.5, 1.5, 2.5, 1.2345])
print(x.round(), x.round(decimals=2), torch.round(x * 10) / 10, x.floor(), x.ceil(), x.trunc(), x.fix(), torch.round(torch.tensor([1234.]), decimals=-2), x.int(), x.long())

# %% activations
x = torch.tensor([-2., -0.5, 0., 0.5, 2.])
print(F.relu(x), F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.softplus(x), F.elu(x), F.leaky_relu(x), F.leaky_relu(x, 0.2), torch.sigmoid(x), F.logsigmoid(x), F.tanh(x), F.sigmoid(x), x.relu(), torch.relu_(x.clone()))

# %% activation-modules-agree
x = torch.tensor([[-1., 0.5]])
for m in (nn.ReLU(), nn.GELU(), nn.GELU(approximate="tanh"), nn.Tanh(), nn.Sigmoid(), nn.SiLU(), nn.Softplus(), nn.LeakyReLU(0.1), nn.ELU(), nn.Identity(), nn.Softmax(dim=-1), nn.LogSoftmax(dim=1)):
    print(m, m(x))

# %% gelu-by-hand
import math
class Gelu(nn.Module):
    def forward(self, x):
        inner = (x + 0.044715 * x.pow(3)) * math.sqrt(2 / math.pi)
        return x * (inner.tanh() + 1) / 2
x = torch.linspace(-3, 3, 7)
print(Gelu()(x), torch.allclose(Gelu()(x), F.gelu(x, approximate="tanh"), atol=1e-6), 0.5 * x * (1 + torch.erf(x / math.sqrt(2))))

# %% normal-distribution-by-erf
x = torch.tensor([-1.96, 0.0, 1.0, 3.0])
cdf = 0.5 * (1 + torch.erf(x / 2 ** 0.5))
print(torch.erf(x), cdf, x.erf().abs(), torch.erfc(x), (cdf[-1] - cdf[0]).item() > 0.97)

# %% nan-inf-tests
x = torch.tensor([1., float("nan"), float("inf"), -float("inf")])
print(x.isnan(), torch.isinf(x), torch.isfinite(x), torch.nan_to_num(x), torch.nan_to_num(x, nan=0.5, posinf=1, neginf=-1), x == x, x.isnan().any())

# %% nan-spreads
x = torch.tensor([1., float("nan"), 3.])
print(x.sum(), x.max(), x.min(), x.mean(), x.argmax(), torch.softmax(x, 0), x.relu(), x.clamp(0, 2), x > 2, x.sort(), x.cumsum(0))

# %% softmax-of-infinities
inf = float("inf")
print(torch.softmax(torch.tensor([1., -inf, 2.]), 0), torch.softmax(torch.tensor([-inf, -inf]), 0), torch.softmax(torch.tensor([inf, 1.]), 0), torch.softmax(torch.tensor([1000., 1001.]), 0), torch.log_softmax(torch.tensor([0., -inf]), 0))
x = torch.tensor([100., 101.])
naive = torch.exp(x) / torch.exp(x).sum()
print(naive, torch.softmax(x, 0))

# %% softmax-dims
x = torch.arange(12.).view(2, 2, 3) / 4
for d in (0, 1, 2, -1, -2):
    s = x.softmax(d)
    print(d, s.sum(d).flatten(), s.flatten()[:3])
print(torch.softmax(x, dim=-1)[0], F.softmax(x[0], dim=0), torch.softmax(torch.tensor(3.), 0), torch.softmax(torch.zeros(0), 0), torch.softmax(torch.tensor([1, 2]), 0, dtype=torch.float32), F.softmax(x, dim=1, dtype=torch.float64).dtype)

# %% log-softmax-and-logsumexp
x = torch.tensor([[1., 2., 3.], [0., 0., 0.]])
print(torch.log_softmax(x, dim=-1), F.log_softmax(x, dim=0), torch.logsumexp(x, dim=1), x.logsumexp(-1, keepdim=True), x - x.logsumexp(1, keepdim=True), torch.logsumexp(x, (0, 1)), torch.logaddexp(x[0], x[1]))

# %% temperature
logits = torch.tensor([3.2, 0.4, -1.1, 5.9, 2.6])
for t in (1, 0.1, 5):
    print(t, torch.softmax(logits / t, dim=0), (logits / t).argmax())

# %% lerp-and-addc
a, b = torch.tensor([0., 10.]), torch.tensor([10., 20.])
print(torch.lerp(a, b, 0.25), torch.addcmul(a, b, b, value=0.1), torch.addcdiv(a, b, torch.tensor([2., 4.])), torch.lerp(a, b, torch.tensor([0.5, 1.0])))

# %% double-precision
x = torch.tensor([1 / 3, 2 / 3], dtype=torch.float64)
torch.set_printoptions(precision=10)
print(x, x.float(), x.exp(), torch.softmax(x, 0), (x.float().double() - x).abs().max() < 1e-7)
torch.set_printoptions(profile="default")

# %% lower-precision-results
x = torch.tensor([0.1, 0.7, 3.3])
print(x.half().exp(), x.bfloat16() * 3, x.half().softmax(0), (x.half() + x).dtype, (x.bfloat16() + x.half()).dtype, x.to(torch.bfloat16).sum())

# %% logarithms-and-waves-to-the-last-digit
import math
import torch
print(torch.log(torch.tensor(math.e)), torch.log(torch.tensor([1.0, 2.0, math.e, 10.0, 0.1, 1e-40])).tolist())
x = torch.exp(torch.tensor([1.0, 2.0, 3.0]))
print(x.log().numpy(), torch.log(torch.tensor([0.0, -1.0, float("inf"), float("nan")])))
position = torch.arange(6.0)[:, None]
div_term = torch.exp(torch.arange(0, 8, 2) * (-math.log(10000.0) / 8))
print(torch.sin(position * div_term).numpy(), torch.cos(position * div_term).numpy(), sep="\n")
far = torch.tensor([-0.0, 0.0, math.pi, -7.5, 100.0, 9999.0, 20000.0, float("inf"), float("nan")])
print(far.sin().tolist(), far.cos().tolist(), sep="\n")
