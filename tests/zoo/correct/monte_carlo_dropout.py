"""Dropout that stays on in evaluation, on purpose: the spread of several predictions is the uncertainty."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Regressor(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.out = nn.Linear(d, 1)

    def forward(self, x, mc_dropout=False):
        w = torch.softmax(self.q(x) @ self.k(x).transpose(1, 2) / x.shape[-1] ** 0.5, dim=-1)
        w = F.dropout(w, 0.2, training=self.training or mc_dropout)  # attn: allow(dropout-in-eval)
        return self.out((w @ self.v(x)).mean(1)).squeeze(-1)


torch.manual_seed(62)
net = Regressor().eval()
x = torch.randn(4, 5, 8)
with torch.no_grad():
    samples = torch.stack([net(x, mc_dropout=True) for _ in range(10)])
    print(samples.shape, (samples.std(0) > 0).all().item(), torch.equal(net(x), net(x)))
