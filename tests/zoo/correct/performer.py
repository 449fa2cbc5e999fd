"""Positive random features (Performer) approximate softmax attention; nothing is masked or normalised by softmax."""
import math
import torch


def random_matrix(m, d):
    blocks = [torch.linalg.qr(torch.randn(d, d))[0].T for _ in range(math.ceil(m / d))]
    q = torch.cat(blocks)[:m]
    return q * torch.randn(m, d).norm(dim=1, keepdim=True)


def phi(x, w, is_query):
    x = x * x.shape[-1] ** -0.25
    u = x @ w.T
    half = (x ** 2).sum(-1, keepdim=True) / 2
    top = u.amax(dim=-1, keepdim=True) if is_query else u.amax(dim=(-1, -2), keepdim=True)
    return torch.exp(u - half - top) / math.sqrt(w.shape[0]) + 1e-6


torch.manual_seed(0)
q, k, v = (torch.randn(2, 5, 4) * 0.5 for _ in range(3))
w = random_matrix(256, 4)
fq, fk = phi(q, w, True), phi(k, w, False)
approx = fq @ (fk.transpose(-1, -2) @ v) / (fq @ fk.sum(dim=1, keepdim=True).transpose(-1, -2))
exact = torch.softmax(q @ k.transpose(-1, -2) / 2, dim=-1) @ v
print(approx.shape, (approx - exact).abs().max().item() < 0.2)
