"""Batched generation: prompts are padded on the left, positions count real tokens only, and a cache keeps its own mask."""
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0


class LM(nn.Module):
    def __init__(self, vocab=10, d=12, context=16):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(context, d)
        self.qkv, self.out, self.head = nn.Linear(d, 3 * d), nn.Linear(d, d), nn.Linear(d, vocab)
        self.d = d

    def forward(self, ids, real, cache=None):
        new = ids.shape[1]
        positions = (real.long().cumsum(-1) - 1).clamp(min=0)[:, -new:]
        x = self.tok(ids) + self.pos(positions)
        q, k, v = self.qkv(x).chunk(3, -1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        total = k.shape[1]
        causal = torch.ones(total, total, dtype=torch.bool).tril()[-new:]
        scores = q @ k.transpose(1, 2) / self.d ** 0.5
        scores = scores.masked_fill(~(causal & real[:, None, :]), torch.finfo(scores.dtype).min)
        return self.head(x + self.out(scores.softmax(-1) @ v)), (k, v)


@torch.no_grad()
def generate(model, prompts, steps):
    width = max(map(len, prompts))
    ids = torch.tensor([[PAD] * (width - len(p)) + p for p in prompts])
    real = ids != PAD
    logits, cache = model(ids, real)
    for _ in range(steps):
        new = logits[:, -1, 1:].argmax(-1, keepdim=True) + 1
        ids = torch.cat([ids, new], 1)
        real = torch.cat([real, torch.ones_like(new, dtype=torch.bool)], 1)
        logits, cache = model(new, real, cache)
    return ids


torch.manual_seed(5)
model = LM().eval()
both = generate(model, [[3, 1, 4, 1], [5, 9]], 4)
single = generate(model, [[5, 9]], 4)
print(both)
print(torch.equal(both[1, 2:], single[0]))
