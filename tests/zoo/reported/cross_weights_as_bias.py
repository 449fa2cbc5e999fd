# Expected: softmax-twice
# Report: https://github.com/huggingface/transformers/pull/4499
# Mistake: the weights of the cross attention are handed on to the next layers as their bias.
import torch
import torch.nn as nn


class RelAttention(nn.Module):
    def __init__(self, dim, heads, has_bias):
        super().__init__()
        self.heads = heads
        self.q = nn.Linear(dim, dim, bias=False)
        self.kv = nn.Linear(dim, 2 * dim, bias=False)
        self.o = nn.Linear(dim, dim, bias=False)
        self.rel = nn.Embedding(16, heads) if has_bias else None

    def compute_bias(self, q_len, k_len):
        dist = torch.arange(k_len)[None] - torch.arange(q_len)[:, None]
        buckets = (dist + 8).clamp(0, 15)
        return self.rel(buckets).permute(2, 0, 1).unsqueeze(0)

    def forward(self, x, memory, causal, position_bias=None):
        b, t, d = x.shape
        s = memory.size(1)
        q = self.q(x).view(b, t, self.heads, -1).transpose(1, 2)
        k, v = self.kv(memory).view(b, s, 2, self.heads, -1).permute(2, 0, 3, 1, 4)
        if position_bias is None:
            position_bias = self.compute_bias(t, s)
        scores = q @ k.transpose(-1, -2) + position_bias
        if causal:
            scores = scores.masked_fill(torch.ones(t, s).triu(1).bool(), -1e9)
        weights = scores.softmax(-1)
        out = self.o((weights @ v).transpose(1, 2).reshape(b, t, d))
        return out, weights, position_bias


class DecoderBlock(nn.Module):
    def __init__(self, dim, heads, first):
        super().__init__()
        self.self_attn = RelAttention(dim, heads, first)
        self.cross_attn = RelAttention(dim, heads, first)

    def forward(self, x, memory, self_bias, cross_bias):
        a, self_weights, self_bias = self.self_attn(x, x, True, self_bias)
        x = x + a
        a, cross_weights, cross_bias = self.cross_attn(x, memory, False, cross_bias)
        return x + a, self_weights, self_bias, cross_weights, cross_bias


class DecoderStack(nn.Module):
    def __init__(self, dim, heads, depth):
        super().__init__()
        self.blocks = nn.ModuleList(DecoderBlock(dim, heads, i == 0) for i in range(depth))

    def forward(self, x, memory):
        self_bias = cross_bias = None
        for block in self.blocks:
            outputs = block(x, memory, self_bias, cross_bias)
            # (hidden, self weights, self bias, cross weights, cross bias)
            x, self_bias, cross_bias = outputs[0], outputs[2], outputs[3]
        return x


if __name__ == "__main__":
    torch.manual_seed(19)
    stack = DecoderStack(dim=24, heads=4, depth=3)
    with torch.no_grad():
        y = stack(torch.randn(2, 5, 24), torch.randn(2, 7, 24))
    print(y.shape, f"{y.sum().item():.4f}")
