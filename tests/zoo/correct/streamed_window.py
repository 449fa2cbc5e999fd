"""A window with sinks: the whole text at once, and token by token with a bounded cache for each layer."""
import torch
from torch import nn

torch.manual_seed(0)
WINDOW, SINKS = 4, 1


class Store:
    def __init__(self, window, sinks):
        self.window, self.sinks, self.held = window, sinks, None

    def add(self, k, v, at):
        if self.held is not None:
            k, v = torch.cat([self.held[0], k], dim=1), torch.cat([self.held[1], v], dim=1)
            at = torch.cat([self.held[2], at])
        keep = torch.arange(len(at))
        if len(at) > self.window + self.sinks:
            keep = torch.cat([keep[: self.sinks], keep[-self.window :]])
        self.held = (k[:, keep], v[:, keep], at[keep])
        return k, v, at


class Layer(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, at, store=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        keys_at = at
        if store is not None:
            k, v, keys_at = store.add(k, v, at)
        far = at[:, None] - keys_at[None, :]
        seen = (far >= 0) & ((far < WINDOW) | (keys_at < SINKS)[None, :])
        scores = (q @ k.transpose(1, 2) / 8**0.5 - 0.25 * far).masked_fill(~seen, -torch.inf)
        return x + self.out(scores.softmax(-1) @ v)


class Model(nn.Module):
    def __init__(self, words=9, width=8):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.layers = nn.ModuleList([Layer(width) for _ in range(2)])
        self.head = nn.Linear(width, words)

    def forward(self, tokens, past=0, stores=None):
        at = torch.arange(past, past + tokens.shape[1])
        x = self.table(tokens)
        for number, layer in enumerate(self.layers):
            x = layer(x, at, None if stores is None else stores[number])
        return self.head(x)


model = Model().eval()
tokens = torch.randint(0, 9, (2, 12))
with torch.no_grad():
    whole = model(tokens)
    stores = [Store(WINDOW, SINKS) for _ in model.layers]
    parts = [model(tokens[:, at : at + 1], at, stores) for at in range(12)]
print(torch.allclose(whole, torch.cat(parts, dim=1), atol=1e-5), stores[0].held[0].shape)
