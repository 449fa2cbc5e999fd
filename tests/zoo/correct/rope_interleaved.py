"""Rotary positions on neighbouring pairs of features (x0, x1), (x2, x3), ..., for queries and keys alike."""
import torch
from torch import Tensor, nn


def angles(head_dim: int, length: int, base: float = 10000.0) -> tuple[Tensor, Tensor]:
    freq = 1.0 / base ** (torch.arange(0, head_dim, 2).float() / head_dim)
    theta = torch.outer(torch.arange(length).float(), freq)
    return theta.cos(), theta.sin()


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), dim=-1).flatten(-2)


class RotaryAttention(nn.Module):
    def __init__(self, dim: int, n_heads: int, max_len: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        cos, sin = angles(dim // n_heads, max_len)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        bsz, seqlen, dim = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, -1).transpose(1, 2)
        xk = self.wk(x).view(bsz, seqlen, self.n_heads, -1).transpose(1, 2)
        xv = self.wv(x).view(bsz, seqlen, self.n_heads, -1).transpose(1, 2)
        cos, sin = self.cos[:seqlen], self.sin[:seqlen]
        xq, xk = rotate(xq, cos, sin), rotate(xk, cos, sin)
        scores = xq @ xk.transpose(-2, -1) / xq.size(-1) ** 0.5
        causal = torch.full((seqlen, seqlen), float("-inf")).triu(1)
        probs = torch.softmax(scores + causal, dim=-1)
        return self.wo((probs @ xv).transpose(1, 2).reshape(bsz, seqlen, dim))


if __name__ == "__main__":
    torch.manual_seed(11)
    layer = RotaryAttention(dim=24, n_heads=3, max_len=32)
    out = layer(torch.randn(2, 10, 24))
    print(out.shape, f"{out.sum().item():.3f}")
    cos, sin = angles(8, 32)
    q, k = torch.randn(8), torch.randn(8)
    near = rotate(q, cos[5], sin[5]) @ rotate(k, cos[2], sin[2])
    far = rotate(q, cos[25], sin[25]) @ rotate(k, cos[22], sin[22])
    print(f"{near.item():.4f} {far.item():.4f}")
