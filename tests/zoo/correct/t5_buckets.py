"""T5: a learned bias for each bucket of distances, and no scale."""
import math
import torch
from torch import nn


def bucket(distance, bidirectional, buckets=8, furthest=20):
    result = torch.zeros_like(distance)
    if bidirectional:
        buckets //= 2
        result = result + (distance > 0).long() * buckets
        distance = distance.abs()
    else:
        distance = -torch.minimum(distance, torch.zeros_like(distance))
    exact = buckets // 2
    far = exact + (torch.log(distance.float().clamp(min=1) / exact) / math.log(furthest / exact) * (buckets - exact)).long()
    return result + torch.where(distance < exact, distance, far.clamp(max=buckets - 1))


class T5Attention(nn.Module):
    def __init__(self, dim, heads, is_decoder):
        super().__init__()
        self.heads, self.is_decoder = heads, is_decoder
        inner = heads * 6
        self.q, self.k, self.v = (nn.Linear(dim, inner, bias=False) for _ in range(3))
        self.o = nn.Linear(inner, dim, bias=False)
        self.relative_attention_bias = nn.Embedding(8, heads)

    def compute_bias(self, t, s):
        distance = torch.arange(s)[None, :] - torch.arange(t)[:, None]
        return self.relative_attention_bias(bucket(distance, not self.is_decoder)).permute(2, 0, 1)[None]

    def forward(self, x, memory=None):
        source = x if memory is None else memory
        b, t, _ = x.shape
        s = source.shape[1]
        q = self.q(x).view(b, t, self.heads, -1).transpose(1, 2)
        k = self.k(source).view(b, s, self.heads, -1).transpose(1, 2)
        v = self.v(source).view(b, s, self.heads, -1).transpose(1, 2)
        scores = q @ k.transpose(3, 2)
        if memory is None:
            scores = scores + self.compute_bias(t, s)
            if self.is_decoder:
                hidden = torch.ones(t, s).triu(1).bool()
                scores = scores.masked_fill(hidden, float("-inf"))
        return self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, -1))


torch.manual_seed(11)
encoder, decoder, cross = T5Attention(14, 4, False), T5Attention(14, 4, True), T5Attention(14, 4, True)
source, target = torch.randn(2, 9, 14), torch.randn(2, 5, 14)
memory = encoder(source)
out = cross(decoder(target), memory)
print(out.shape, f"{out.abs().sum().item():.3f}")
