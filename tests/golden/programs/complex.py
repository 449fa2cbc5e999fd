# %% polar-and-parts
import torch
abs = torch.tensor([1, 2], dtype=torch.float64)
angle = torch.tensor([torch.pi / 2, 5 * torch.pi / 4], dtype=torch.float64)
z = torch.polar(abs, angle)
print(z, z.dtype, z.shape, z.is_complex(), torch.is_complex(z))
print(z.abs(), z.angle(), torch.abs(z), torch.angle(z))
print(z.real, z.imag, torch.real(z), torch.imag(z))
w = torch.complex(torch.tensor([1.0, -2.0]), torch.tensor([0.5, 0.25]))
print(w, w.conj(), -w)
print(torch.view_as_real(w), torch.view_as_real(w).shape, type(w), isinstance(w, torch.Tensor))
print(w[0], w[1].item(), w.tolist(), torch.complex64, torch.cfloat, repr(torch.complex128))

# %% views-share-memory
import torch
x = torch.arange(8.).reshape(2, 2, 2)
z = torch.view_as_complex(x)
print(z, z.numel(), z.dim())
x[0, 0, 1] = 9
print(z, torch.view_as_real(z) is not x, torch.view_as_real(z).equal(x))
z.real[1] = 0
print(x, z.view(4), z.reshape(4, 1).shape, z.unsqueeze(0).shape, z.flatten().shape, z.transpose(0, 1).shape)
z[0] = 1 - 2j
print(x, z[..., 0], z[:, None].shape, z[1, 1])
print(z.expand(3, 2, 2).shape, z.permute(1, 0), z.contiguous().is_contiguous())
print(torch.cat([z, z]).shape, [row.shape for row in z], len(z), z.size(), z.size(-1))

# %% complex-arithmetic
import torch
a = torch.tensor([1 + 2j, -0.5 + 1j])
b = torch.tensor([3 - 1j, 2 + 0.5j])
print(a + b, a - b, a * b)
print(a * 2, 2 * a, a * 1j, 1 - a, a + torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.0]) * a)
print((a * torch.tensor([1.0, 2.0], dtype=torch.float64)).dtype, (a * torch.tensor(2.0, dtype=torch.float64)).dtype)
print(torch.mul(a, b), torch.add(a, b))
x = torch.tensor([0.0, 1.0])
print(torch.exp(1j * x), 1j * x, x + 1j, (1j * x).dtype)
print(torch.exp(a), a.abs().sum())

# %% complex-printing
import torch
torch.manual_seed(0)
print(torch.view_as_complex(torch.rand(3, 4, 2)))
print(torch.view_as_complex(torch.rand(1200, 2) * 100))
print(torch.complex(torch.tensor([1e-6, 1000.0]), torch.tensor([0.5, -2.0])))
print(torch.complex(torch.tensor([1.0, 2.0]), torch.tensor([-0.0, float("inf")])))
print(torch.tensor(1.5 - 2.25j), torch.tensor([[1j]]), torch.tensor([1, 2], dtype=torch.complex64))
torch.set_printoptions(precision=2, linewidth=40)
print(torch.view_as_complex(torch.rand(2, 6, 2)))

# %% rotary-by-complex-numbers
import torch

def precompute_freqs_cis(dim, end, theta=10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end, device=freqs.device, dtype=torch.float32)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)

def reshape_for_broadcast(freqs_cis, x):
    ndim = x.ndim
    assert 0 <= 1 < ndim
    assert freqs_cis.shape == (x.shape[1], x.shape[-1])
    shape = [d if i == 1 or i == ndim - 1 else 1 for i, d in enumerate(x.shape)]
    return freqs_cis.view(*shape)

def apply_rotary_emb(xq, xk, freqs_cis):
    xq_ = torch.view_as_complex(xq.float().reshape(*xq.shape[:-1], -1, 2))
    xk_ = torch.view_as_complex(xk.float().reshape(*xk.shape[:-1], -1, 2))
    freqs_cis = reshape_for_broadcast(freqs_cis, xq_)
    xq_out = torch.view_as_real(xq_ * freqs_cis).flatten(3)
    xk_out = torch.view_as_real(xk_ * freqs_cis).flatten(3)
    return xq_out.type_as(xq), xk_out.type_as(xk)

torch.manual_seed(0)
freqs_cis = precompute_freqs_cis(4, 8)
print(freqs_cis)
print(freqs_cis[:3].shape, freqs_cis.dtype, freqs_cis.abs().mean())
xq, xk = torch.randn(1, 3, 2, 4, requires_grad=True), torch.randn(1, 3, 2, 4)
q, k = apply_rotary_emb(xq, xk, freqs_cis[:3])
print(q.detach())
print(k, k.dtype)
(q * k).sum().backward()
print(xq.grad)
print(torch.allclose(q.norm(dim=-1), xq.norm(dim=-1)))
print(torch.view_as_complex(xq.reshape(1, 3, 2, 2, 2))[0, 0] * freqs_cis[0])

# %% complex-in-a-module
import torch
from torch import nn

class Rotary(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        angles = torch.outer(torch.arange(length).float(), 1.0 / 10000 ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer("freqs", torch.polar(torch.ones_like(angles), angles), persistent=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        z = torch.view_as_complex(self.proj(x).unflatten(-1, (-1, 2)))
        return torch.view_as_real(z * self.freqs[: x.shape[1]]).flatten(2)

torch.manual_seed(0)
net = Rotary(4, 8)
out = net(torch.rand(2, 3, 4))
print(out.detach())
out.pow(2).sum().backward()
print(net.proj.bias.grad, net.freqs.dtype, list(net.state_dict()), [name for name, _ in net.named_buffers()])
print(net.to("cpu").freqs.shape, net.eval().freqs.requires_grad)

# %% what-is-not-complex
import torch

def show(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])

show(lambda: torch.view_as_complex(torch.ones(3)))
show(lambda: torch.view_as_complex(torch.ones(2, 3)))
show(lambda: torch.view_as_complex(torch.ones(2, 2, dtype=torch.int64)))
show(lambda: torch.view_as_complex(torch.tensor(1.0)))
show(lambda: torch.view_as_complex(torch.ones(2, 3).T))
show(lambda: torch.view_as_real(torch.ones(2)))
show(lambda: torch.polar(torch.ones(2), torch.ones(2, dtype=torch.float64)))
show(lambda: torch.polar(torch.ones(2).long(), torch.ones(2)))
show(lambda: torch.complex(torch.ones(2), torch.ones(2, dtype=torch.float64)))
z = torch.view_as_complex(torch.zeros(2, 2, 2))
show(lambda: z[0, 0, 0])
show(lambda: z.view(3))
show(lambda: z[0].item())
show(lambda: len(torch.tensor(1j)))
