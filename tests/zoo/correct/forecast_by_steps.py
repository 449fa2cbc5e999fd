"""Linear attention with a hand-written backward, its recurrent form, and a small forecaster for time series."""
import io
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(6)


class CausalDotProduct(torch.autograd.Function):
    """out_t = phi(q_t) . sum_{s<=t} phi(k_s) v_s^T   (shapes: B, H, T, E)"""

    @staticmethod
    def forward(ctx, q, k, v):
        ctx.save_for_backward(q, k, v)
        scores = torch.tril(q @ k.transpose(-1, -2))
        return scores @ v

    @staticmethod
    def backward(ctx, grad_out):
        q, k, v = ctx.saved_tensors
        scores = torch.tril(q @ k.transpose(-1, -2))
        grad_scores = torch.tril(grad_out @ v.transpose(-1, -2))
        grad_q = grad_scores @ k
        grad_k = grad_scores.transpose(-1, -2) @ q
        grad_v = scores.transpose(-1, -2) @ grad_out
        return grad_q, grad_k, grad_v


def feature_map(x):
    return F.elu(x) + 1.0


class LinearAttention(nn.Module):
    def __init__(self, dim, heads, eps=1e-6):
        super().__init__()
        self.heads, self.hd, self.eps = heads, dim // heads, eps
        self.to_q = nn.Linear(dim, dim)
        self.to_k = nn.Linear(dim, dim)
        self.to_v = nn.Linear(dim, dim)
        self.gate = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def heads_first(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.hd).transpose(1, 2)

    def forward(self, x):
        B, T, D = x.shape
        q = feature_map(self.heads_first(self.to_q(x)))
        k = feature_map(self.heads_first(self.to_k(x)))
        v = self.heads_first(self.to_v(x))
        num = CausalDotProduct.apply(q, k, v)
        den = torch.einsum("bhte,bhte->bht", q, k.cumsum(dim=2))
        y = num / (den.unsqueeze(-1) + self.eps)
        y = y.transpose(1, 2).reshape(B, T, D)
        return self.out(y * torch.sigmoid(self.gate(x)))

    def step(self, x, state):
        """one time step: x (B, D), state (S, Z)"""
        B, D = x.shape
        q = feature_map(self.to_q(x).view(B, self.heads, self.hd))
        k = feature_map(self.to_k(x).view(B, self.heads, self.hd))
        v = self.to_v(x).view(B, self.heads, self.hd)
        if state is None:
            S = torch.zeros(B, self.heads, self.hd, self.hd)
            Z = torch.zeros(B, self.heads, self.hd)
        else:
            S, Z = state
        S = S + torch.einsum("bhe,bhf->bhef", k, v)
        Z = Z + k
        num = torch.einsum("bhe,bhef->bhf", q, S)
        den = torch.einsum("bhe,bhe->bh", q, Z)
        y = (num / (den.unsqueeze(-1) + self.eps)).reshape(B, D)
        return self.out(y * torch.sigmoid(self.gate(x))), (S, Z)


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = LinearAttention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        x = x + self.attn(self.n1(x))
        return x + self.mlp(self.n2(x))

    def step(self, x, state):
        a, state = self.attn.step(self.n1(x), state)
        x = x + a
        return x + self.mlp(self.n2(x)), state


class Forecaster(nn.Module):
    """predicts the next value of a series from all the values so far"""

    def __init__(self, dim=24, heads=3, depth=2, max_len=64):
        super().__init__()
        self.inp = nn.Linear(1, dim)
        pos = torch.arange(max_len).float()[:, None]
        freq = torch.exp(-math.log(1000.0) * torch.arange(0, dim, 2).float() / dim)
        self.register_buffer("pe", torch.cat([torch.sin(pos * freq), torch.cos(pos * freq)], dim=-1))
        self.blocks = nn.ModuleList(Block(dim, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, 1)

    def forward(self, series):
        x = self.inp(series.unsqueeze(-1)) + self.pe[:series.size(1)]
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x)).squeeze(-1)

    def step(self, value, t, states):
        x = self.inp(value.unsqueeze(-1)) + self.pe[t]
        new_states = []
        for blk, st in zip(self.blocks, states):
            x, st = blk.step(x, st)
            new_states.append(st)
        return self.head(self.norm(x)).squeeze(-1), new_states


def make_series(n, length):
    t = torch.arange(length).float()
    period = 4.0 + 6.0 * torch.rand(n, 1)
    phase = 2 * math.pi * torch.rand(n, 1)
    return torch.sin(2 * math.pi * t / period + phase) + 0.05 * torch.randn(n, length)


train, test = make_series(256, 25), make_series(64, 25)
model = Forecaster()
opt = torch.optim.Adam(model.parameters(), lr=4e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=46)
model.train()
for step in range(46):
    batch = train[torch.randint(0, len(train), (32,))]
    pred = model(batch[:, :-1])
    loss = F.mse_loss(pred, batch[:, 1:])
    opt.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    opt.step()
    sched.step()
    if step % 15 == 0 or step == 45:
        print(f"round {step:2d} mse {loss.item():.4f} grad norm {norm:.3f}")

# save, load into a new model and evaluate that one
buf = io.BytesIO()
torch.save({"model": model.state_dict(), "step": 46}, buf)
buf.seek(0)
served = Forecaster()
ckpt = torch.load(buf, weights_only=True)
served.load_state_dict(ckpt["model"])
print("loaded the checkpoint of round", ckpt["step"])

served.eval()
with torch.no_grad():
    full = served(test[:, :-1])
    print(f"test mse {F.mse_loss(full, test[:, 1:]):.4f}  (last value: {F.mse_loss(test[:, :-1], test[:, 1:]):.4f})")
    states = [None] * len(served.blocks)
    outs = []
    for t in range(test.size(1) - 1):
        o, states = served.step(test[:, t], t, states)
        outs.append(o)
    rec = torch.stack(outs, dim=1)
    print("recurrent form", tuple(rec.shape), "mse", round(F.mse_loss(rec, test[:, 1:]).item(), 4))
    # free running forecast of eight more values
    value, future = rec[:, -1], []
    for t in range(test.size(1) - 1, test.size(1) + 7):
        future.append(value)
        value, states = served.step(value, t, states)
    print("forecast", [round(f[0].item(), 3) for f in future])
