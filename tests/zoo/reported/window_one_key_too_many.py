# Expected: cache-differs
# Report: https://github.com/ml-explore/mlx-lm/pull/390
# Mistake: the mask shows one key more than the window, and the rotating cache holds the window.
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_window_mask(length, window):
    rows = torch.arange(length)[:, None]
    cols = torch.arange(length)[None, :]
    mask = rows >= cols
    mask = mask & (rows <= cols + window)
    return mask


class SlidingWindowAttention(nn.Module):
    def __init__(self, dim, heads, window):
        super().__init__()
        self.heads = heads
        self.window = window
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.o_proj = nn.Linear(dim, dim)

    def _heads(self, x):
        b, t, c = x.shape
        return x.reshape(b, t, self.heads, c // self.heads).transpose(1, 2)

    def forward(self, x, cache=None):
        b, t, c = x.shape
        q = self._heads(self.q_proj(x))
        k = self._heads(self.k_proj(x))
        v = self._heads(self.v_proj(x))
        if cache is None:
            mask = make_window_mask(t, self.window)
        else:
            # one token at a time: the rotating cache holds the window
            if "k" in cache:
                k = torch.cat([cache["k"], k], dim=2)
                v = torch.cat([cache["v"], v], dim=2)
            k = k[:, :, -self.window :]
            v = v[:, :, -self.window :]
            cache["k"], cache["v"] = k, v
            mask = None
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o_proj(out.transpose(1, 2).reshape(b, t, c))


if __name__ == "__main__":
    torch.manual_seed(5)
    attn = SlidingWindowAttention(dim=18, heads=3, window=4).eval()
    tokens = torch.randn(2, 11, 18)
    with torch.no_grad():
        prompt = attn(tokens)
        cache = {}
        steps = [attn(tokens[:, i : i + 1], cache) for i in range(tokens.size(1))]
        decoded = torch.cat(steps, dim=1)
    print("prompt ", f"{prompt.sum().item():.4f}")
    print("decoded", f"{decoded.sum().item():.4f}")
