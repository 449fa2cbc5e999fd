# Report: https://github.com/karpathy/nanoGPT/pull/240
# Fixed: the rate is 0 outside of training.
import torch
import torch.nn as nn
import torch.nn.functional as F


class FlashCausalAttention(nn.Module):
    def __init__(self, n_embd, n_head, dropout):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)
        self.resid_dropout = nn.Dropout(dropout)
        self.n_head = n_head
        self.n_embd = n_embd
        self.dropout = dropout

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        y = F.scaled_dot_product_attention(
            q, k, v, attn_mask=None, dropout_p=self.dropout if self.training else 0.0, is_causal=True
        )
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


class Block(nn.Module):
    def __init__(self, n_embd, n_head, dropout):
        super().__init__()
        self.ln = nn.LayerNorm(n_embd)
        self.attn = FlashCausalAttention(n_embd, n_head, dropout)

    def forward(self, x):
        return x + self.attn(self.ln(x))


if __name__ == "__main__":
    torch.manual_seed(1337)
    block = Block(n_embd=28, n_head=4, dropout=0.2)
    block.eval()
    x = torch.randn(3, 8, 28)
    with torch.no_grad():
        a = block(x)
        b = block(x)
    print(a.shape, f"{a.sum().item():.4f}")
    print("difference of two evaluations", f"{(a - b).abs().max().item():.4f}")
