"""A small decoder with its cache in the attention layers. It continues two texts, one after the other."""
import torch
from torch import nn

torch.manual_seed(21)


class CachedAttention(nn.Module):
    def __init__(self, width, heads, longest):
        super().__init__()
        self.heads, self.longest = heads, longest
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.reset()

    def reset(self):
        self.past_k, self.past_v = None, None

    def forward(self, x, use_cache=False):
        b, n, c = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        if use_cache:
            if self.past_k is not None:
                k, v = torch.cat([self.past_k, k], 2), torch.cat([self.past_v, v], 2)
            self.past_k, self.past_v = k, v
        total = k.shape[2]
        hide = torch.ones(n, total, dtype=torch.bool).triu(total - n + 1)
        scores = (q @ k.transpose(2, 3)) / (c // self.heads) ** 0.5
        weights = scores.masked_fill(hide, -torch.inf).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, c))


class Decoder(nn.Module):
    def __init__(self, vocabulary=23, width=24, heads=3, longest=24, layers=2):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(longest, width)
        self.layers = nn.ModuleList(CachedAttention(width, heads, longest) for _ in range(layers))
        self.head = nn.Linear(width, vocabulary)
        self.position = 0

    def reset_cache(self):
        self.position = 0
        for layer in self.layers:
            layer.reset()

    def forward(self, ids, use_cache=False):
        start = self.position if use_cache else 0
        x = self.tokens(ids) + self.places(torch.arange(start, start + ids.shape[1]))
        if use_cache:
            self.position += ids.shape[1]
        for layer in self.layers:
            x = x + layer(x, use_cache)
        return self.head(x)


@torch.no_grad()
def continued(model, ids, count):
    model.reset_cache()
    logits = model(ids, use_cache=True)
    for _ in range(count):
        new = logits[:, -1:].argmax(-1)
        ids = torch.cat([ids, new], dim=1)
        logits = model(new, use_cache=True)
    return ids


model = Decoder().eval()
first = continued(model, torch.tensor([[3, 7, 1, 12]]), 5)
second = continued(model, torch.tensor([[9, 2, 20]]), 5)
print(first.tolist())
print(second.tolist())
