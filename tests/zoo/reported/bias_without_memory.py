# Expected: cache-differs
# Report: https://github.com/lucidrains/x-transformers/pull/103
# Mistake: with a memory before the keys the relative bias counts queries from 0 and not from the length of the memory.
import torch
import torch.nn as nn


class RelativeBias(nn.Module):
    def __init__(self, heads, max_distance):
        super().__init__()
        self.max_distance = max_distance
        self.table = nn.Embedding(max_distance, heads)

    def forward(self, i, j):
        q_pos = torch.arange(i)
        k_pos = torch.arange(j)
        distance = q_pos[:, None] - k_pos[None, :]
        distance = distance.clamp(min=0, max=self.max_distance - 1)
        return self.table(distance).permute(2, 0, 1)


class XLAttention(nn.Module):
    """Attention over the current segment and the memory of the last one."""

    def __init__(self, dim, heads, max_distance=16):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.bias = RelativeBias(heads, max_distance)
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x, mem=None):
        b, i, d = x.shape
        context = x if mem is None else torch.cat((mem, x), dim=1)
        j = context.size(1)
        q = self.to_q(x).view(b, i, self.heads, -1).transpose(1, 2)
        k, v = self.to_kv(context).chunk(2, dim=-1)
        k = k.view(b, j, self.heads, -1).transpose(1, 2)
        v = v.view(b, j, self.heads, -1).transpose(1, 2)
        dots = q @ k.transpose(-1, -2) * self.scale
        dots = dots + self.bias(i, j)
        causal = torch.ones(i, j, dtype=torch.bool).triu(j - i + 1)
        dots = dots.masked_fill(causal, -torch.finfo(dots.dtype).max)
        out = dots.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).reshape(b, i, d))


if __name__ == "__main__":
    torch.manual_seed(23)
    attn = XLAttention(dim=20, heads=4).eval()
    x = torch.randn(3, 10, 20)
    with torch.no_grad():
        whole = attn(x)
        head, tail = x[:, :6], x[:, 6:]
        pieces = torch.cat((attn(head), attn(tail, mem=head)), dim=1)
    print(pieces.shape)
    print("whole", f"{whole.sum().item():.4f}", "segments", f"{pieces.sum().item():.4f}")
