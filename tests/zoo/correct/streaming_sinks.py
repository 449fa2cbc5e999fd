"""StreamingLLM (Xiao et al., 2023): a cache of a few sink tokens and the latest tokens.

Keys are cached before rotation and turned by their place inside the cache, so positions never
grow beyond the cache's size. The stream is compared with a slow version that goes back to
the layer's inputs for every position.
"""
import math
from collections import deque

import torch
import torch.nn as nn


def rope(x, pos):
    """x (h, t, d)"""
    half = x.shape[-1] // 2
    ang = pos.to(x.dtype)[:, None] / 10000 ** (torch.arange(half, dtype=x.dtype) / half)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos()], dim=-1)


class SinkCache:
    """holds (key, value) pairs of single tokens: the first n_sink for ever, then a ring of n_recent"""

    def __init__(self, n_sink, n_recent):
        self.n_sink = n_sink
        self.sink = []
        self.recent = deque(maxlen=n_recent)

    def push(self, k, v):
        if len(self.sink) < self.n_sink:
            self.sink.append((k, v))
        else:
            self.recent.append((k, v))            # the oldest one drops out by itself

    def stacked(self):
        ks, vs = zip(*self.sink, *self.recent)
        return torch.stack(ks, dim=1), torch.stack(vs, dim=1)     # (h, t, d)

    def __len__(self):
        return len(self.sink) + len(self.recent)


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h, self.d = heads, dim // heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)

    def project(self, x):
        """(..., dim) -> three times (..., h, d)"""
        return self.qkv(x).unflatten(-1, (3, self.h, self.d)).unbind(-3)

    def read(self, q, k, v):
        """q (h, d) is the newest token, which is also the last of k, v (h, t, d)"""
        t = k.shape[1]
        k = rope(k, torch.arange(t))
        q = rope(q[:, None], torch.tensor([t - 1]))
        w = torch.softmax(q @ k.mT / math.sqrt(self.d), dim=-1)
        return self.o((w @ v)[:, 0].flatten())

    def stream(self, x, cache):
        q, k, v = self.project(x)
        cache.push(k, v)
        return self.read(q, *cache.stacked())

    def slow(self, xs, n_sink, n_recent):
        """xs (t, dim): for each position pick the visible inputs again"""
        q, k, v = self.project(xs)
        k, v = k.transpose(0, 1), v.transpose(0, 1)
        outs = []
        for t in range(len(xs)):
            seen = [i for i in range(t + 1) if i < n_sink or i > t - n_recent]
            outs.append(self.read(q[t], k[:, seen], v[:, seen]))
        return torch.stack(outs)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.att = Attention(dim, heads)
        self.ff = nn.Sequential(nn.Linear(dim, 3 * dim), nn.GELU(), nn.Linear(3 * dim, dim))

    def forward(self, x, attend):
        x = x + attend(self.n1(x))
        return x + self.ff(self.n2(x))


@torch.no_grad()
def main():
    torch.manual_seed(0)
    dim, vocab, n_sink, n_recent, length = 32, 20, 2, 6, 40
    emb = nn.Embedding(vocab, dim).double()
    blocks = nn.ModuleList(Block(dim, 4) for _ in range(2)).double()
    tokens = torch.randint(vocab, (length,))

    caches = [SinkCache(n_sink, n_recent) for _ in blocks]
    streamed, sizes = [], []
    for tok in tokens:
        x = emb(tok)
        for block, cache in zip(blocks, caches):
            x = block(x, lambda z: block.att.stream(z, cache))
        streamed.append(x)
        sizes.append(len(caches[0]))
    streamed = torch.stack(streamed)

    x = emb(tokens)
    for block in blocks:
        x = block(x, lambda z: block.att.slow(z, n_sink, n_recent))
    print("cache sizes", sizes[:10], "...", sizes[-1])
    print("the stream is the slow one:", torch.allclose(streamed, x))
    assert max(sizes) == n_sink + n_recent
    assert torch.allclose(streamed, x)

    # as long as nothing has been thrown out, it is plain causal attention
    y = emb(tokens)
    for block in blocks:
        y = block(y, lambda z: block.att.slow(z, 0, length))
    full = n_sink + n_recent
    assert torch.allclose(streamed[:full], y[:full])
    gap = (streamed - y).norm(dim=1)
    print("distance from unlimited attention at positions 7, 8, 20, 39:",
          [round(gap[i].item(), 3) for i in (7, 8, 20, 39)])
    assert gap[full] > 1e-6


if __name__ == "__main__":
    main()
