"""T5-like encoder and decoder stacks with bucketed relative position bias (no 1/sqrt(d) in T5)."""
import math
import torch
import torch.nn as nn

torch.manual_seed(55)

D_MODEL, D_KV, N_HEADS, D_FF = 34, 8, 5, 77
N_BUCKETS, MAX_DIST = 12, 20
VOCAB, PAD = 33, 0


class T5Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(D_MODEL))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def bucket(relative, bidirectional):
    """relative = key position - query position"""
    n = N_BUCKETS
    ret = torch.zeros_like(relative)
    if bidirectional:
        n = n // 2
        ret = ret + (relative > 0).long() * n
        relative = relative.abs()
    else:
        relative = -torch.min(relative, torch.zeros_like(relative))
    exact = n // 2
    large = exact + (
        torch.log(relative.float().clamp(min=1) / exact) / math.log(MAX_DIST / exact) * (n - exact)
    ).long()
    large = torch.min(large, torch.full_like(large, n - 1))
    return ret + torch.where(relative < exact, relative, large)


class T5Attention(nn.Module):
    def __init__(self, causal, has_bias):
        super().__init__()
        inner = N_HEADS * D_KV
        self.causal = causal
        self.q = nn.Linear(D_MODEL, inner, bias=False)
        self.k = nn.Linear(D_MODEL, inner, bias=False)
        self.v = nn.Linear(D_MODEL, inner, bias=False)
        self.o = nn.Linear(inner, D_MODEL, bias=False)
        # the scale is folded into the initialisation, as in the original code
        nn.init.normal_(self.q.weight, std=(D_MODEL * D_KV) ** -0.5)
        nn.init.normal_(self.k.weight, std=D_MODEL ** -0.5)
        nn.init.normal_(self.v.weight, std=D_MODEL ** -0.5)
        self.rel = nn.Embedding(N_BUCKETS, N_HEADS) if has_bias else None

    def position_bias(self, n_q, n_k):
        ctx = torch.arange(n_q)[:, None]
        mem = torch.arange(n_k)[None, :]
        b = bucket(mem - ctx, bidirectional=not self.causal)
        return self.rel(b).permute(2, 0, 1).unsqueeze(0)

    def forward(self, x, kv=None, mask=None, bias=None):
        kv = x if kv is None else kv
        b, n_q, n_k = x.size(0), x.size(1), kv.size(1)

        def shape(t):
            return t.view(b, -1, N_HEADS, D_KV).transpose(1, 2)

        q, k, v = shape(self.q(x)), shape(self.k(kv)), shape(self.v(kv))
        scores = torch.matmul(q, k.transpose(3, 2))
        if bias is None:
            bias = self.position_bias(n_q, n_k) if self.rel is not None else torch.zeros(1, N_HEADS, n_q, n_k)
            if mask is not None:
                bias = bias + mask
        scores = scores + bias
        attn = nn.functional.softmax(scores.float(), dim=-1).type_as(scores)
        out = torch.matmul(attn, v).transpose(1, 2).contiguous().view(b, n_q, N_HEADS * D_KV)
        return self.o(out), bias


class T5Block(nn.Module):
    def __init__(self, decoder, has_bias):
        super().__init__()
        self.ln1, self.attn = T5Norm(), T5Attention(decoder, has_bias)
        self.decoder = decoder
        if decoder:
            self.ln_x, self.cross = T5Norm(), T5Attention(False, False)
        self.ln2 = T5Norm()
        self.wi, self.wo = nn.Linear(D_MODEL, D_FF, bias=False), nn.Linear(D_FF, D_MODEL, bias=False)

    def forward(self, x, mask, bias, memory=None, memory_mask=None):
        a, bias = self.attn(self.ln1(x), mask=mask, bias=bias)
        x = x + a
        if self.decoder:
            x = x + self.cross(self.ln_x(x), kv=memory, mask=memory_mask)[0]
        return x + self.wo(torch.relu(self.wi(self.ln2(x)))), bias


class T5(nn.Module):
    def __init__(self, layers=2):
        super().__init__()
        self.shared = nn.Embedding(VOCAB, D_MODEL)
        self.encoder = nn.ModuleList([T5Block(False, i == 0) for i in range(layers)])
        self.decoder = nn.ModuleList([T5Block(True, i == 0) for i in range(layers)])
        self.enc_ln, self.dec_ln = T5Norm(), T5Norm()

    def forward(self, src, tgt):
        neg = torch.finfo(torch.float32).min
        pad = (src == PAD)[:, None, None, :].float() * neg
        x, bias = self.shared(src), None
        for blk in self.encoder:
            x, bias = blk(x, pad, bias)
        memory = self.enc_ln(x)
        n = tgt.size(1)
        causal = torch.triu(torch.full((n, n), neg), diagonal=1)[None, None]
        y, bias = self.shared(tgt), None
        for blk in self.decoder:
            y, bias = blk(y, causal, bias, memory, pad)
        y = self.dec_ln(y) * D_MODEL ** -0.5
        return y @ self.shared.weight.t()


model = T5()
src = torch.randint(1, VOCAB, (3, 13))
src[0, 9:] = PAD
src[2, 11:] = PAD
tgt = torch.randint(1, VOCAB, (3, 6))
dec_in = torch.cat([torch.zeros(3, 1, dtype=torch.long), tgt[:, :-1]], dim=1)   # shift right
logits = model(src, dec_in)
loss = nn.functional.cross_entropy(logits.reshape(-1, VOCAB), tgt.reshape(-1))
loss.backward()
print(logits.shape, f"loss {loss.item():.4f}")
print("grad of the bias table", model.encoder[0].attn.rel.weight.grad.shape,
      f"{model.encoder[0].attn.rel.weight.grad.abs().sum().item():.5f}")
print(bucket(torch.arange(-9, 10), True).tolist())
print(bucket(torch.arange(-9, 10), False).tolist())
