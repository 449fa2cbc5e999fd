# Expected: row-all-hidden
# Report: https://github.com/ml-explore/mlx/pull/2608
# Mistake: a query in the padding on the left has no key to see; its nan spreads in the next layer.
import torch
import torch.nn as nn


def attention(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
    scores = torch.where(mask, scores, float("-inf"))
    return torch.softmax(scores, dim=-1) @ v


class DecoderLayer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(dim)
        self.in_proj = nn.Linear(dim, 3 * dim)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x, mask):
        b, t, c = x.shape
        qkv = self.in_proj(self.norm(x)).view(b, t, 3, self.heads, c // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        y = attention(q, k, v, mask)
        return x + self.out_proj(y.transpose(1, 2).reshape(b, t, c))


class BatchedDecoder(nn.Module):
    def __init__(self, vocab, dim, heads, depth):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(DecoderLayer(dim, heads) for _ in range(depth))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, left_padding):
        b, t = ids.shape
        cols = torch.arange(t)
        causal = cols[None, :] <= cols[:, None]
        real = cols[None, :] >= left_padding[:, None]
        mask = causal[None, None] & real[:, None, None, :]
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, mask)
        return self.head(x)


if __name__ == "__main__":
    torch.manual_seed(8)
    model = BatchedDecoder(vocab=19, dim=12, heads=3, depth=2).eval()
    ids = torch.randint(1, 19, (4, 7))
    left_padding = torch.tensor([0, 2, 5, 1])
    with torch.no_grad():
        logits = model(ids, left_padding)
    last = logits[:, -1]
    print(last.shape, "nan:", torch.isnan(last).any(dim=-1))
    print(f"{last.sum().item():.4f}")
