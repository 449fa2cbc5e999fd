# Differential attention: the difference of two softmaxes, the second one times a learned number.
import torch
import torch.nn as nn

class DiffAttention(nn.Module):
    def __init__(self, dim, lambda_init=0.2):
        super().__init__()
        self.d = dim // 2
        self.wq, self.wk, self.wv = nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False), nn.Linear(dim, dim, bias=False)
        self.lq1, self.lk1, self.lq2, self.lk2 = (nn.Parameter(torch.randn(self.d) * 0.1) for _ in range(4))
        self.lambda_init = lambda_init

    def forward(self, x):
        q1, q2 = self.wq(x).chunk(2, dim=-1)
        k1, k2 = self.wk(x).chunk(2, dim=-1)
        v = self.wv(x)
        t = x.shape[1]
        mask = torch.triu(torch.full((t, t), float("-inf")), 1)
        s = self.d ** -0.5
        a1 = torch.softmax(q1 @ k1.transpose(-1, -2) * s + mask, dim=-1)
        a2 = torch.softmax(q2 @ k2.transpose(-1, -2) * s + mask, dim=-1)
        lam = torch.exp(self.lq1 @ self.lk1) - torch.exp(self.lq2 @ self.lk2) + self.lambda_init
        return (1 - self.lambda_init) * ((a1 - lam * a2) @ v)

torch.manual_seed(48)
y = DiffAttention(8)(torch.randn(2, 5, 8))
print(y.shape, f"{y.sum().item():.4f}")
