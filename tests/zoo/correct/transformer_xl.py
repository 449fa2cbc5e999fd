# Transformer-XL: relative positions with two learned vectors, a memory of the segment before, and the relative shift.
import torch
import torch.nn as nn

def rel_shift(x):
    """Moves row i of the scores by distance so that column j means key j."""
    b, h, q, k = x.shape
    x = torch.cat([torch.zeros(b, h, q, 1), x], dim=-1)
    x = x.view(b, h, k + 1, q)
    return x[:, :, 1:].reshape(b, h, q, k)

class RelAttention(nn.Module):
    def __init__(self, d_model=12, n_head=3):
        super().__init__()
        self.n_head, self.d_head = n_head, d_model // n_head
        self.q_net = nn.Linear(d_model, d_model, bias=False)
        self.kv_net = nn.Linear(d_model, 2 * d_model, bias=False)
        self.r_net = nn.Linear(d_model, d_model, bias=False)
        self.o_net = nn.Linear(d_model, d_model, bias=False)
        self.r_w_bias = nn.Parameter(torch.randn(n_head, 1, self.d_head) * 0.1)
        self.r_r_bias = nn.Parameter(torch.randn(n_head, 1, self.d_head) * 0.1)

    def forward(self, w, mem):
        b, qlen, d = w.shape
        cat = torch.cat([mem, w], dim=1)
        klen = cat.shape[1]
        pos_seq = torch.arange(klen - 1, -1, -1.0)
        inv_freq = 1 / 10000 ** (torch.arange(0.0, d, 2.0) / d)
        sinusoid = torch.outer(pos_seq, inv_freq)
        r = torch.cat([sinusoid.sin(), sinusoid.cos()], dim=-1)

        heads = lambda t: t.view(t.shape[0], -1, self.n_head, self.d_head).transpose(1, 2)
        q = heads(self.q_net(w))
        k, v = (heads(t) for t in self.kv_net(cat).chunk(2, dim=-1))
        r = heads(self.r_net(r)[None])
        AC = (q + self.r_w_bias) @ k.transpose(-1, -2)
        BD = rel_shift((q + self.r_r_bias) @ r.transpose(-1, -2))
        score = (AC + BD) / self.d_head ** 0.5
        hidden = torch.ones(qlen, klen, dtype=torch.bool).triu(1 + klen - qlen)
        prob = score.masked_fill(hidden, float("-inf")).softmax(dim=-1)
        return self.o_net((prob @ v).transpose(1, 2).reshape(b, qlen, d))

torch.manual_seed(10)
layer = RelAttention()
segments = torch.randn(2, 8, 12).split(4, dim=1)
mem = torch.zeros(2, 0, 12)
for w in segments:
    y = layer(w, mem)
    mem = torch.cat([mem, w], dim=1).detach()
    print(y.shape, f"{y.sum().item():.4f}")
