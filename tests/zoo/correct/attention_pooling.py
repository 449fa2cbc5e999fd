# Pooling a sequence into one vector: scores from a small network, or from a learned query.
import torch
import torch.nn as nn

class ScorePooling(nn.Module):
    """softmax over the tokens (axis 1) of one score each."""
    def __init__(self, d):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(d, d), nn.Tanh(), nn.Linear(d, 1, bias=False))

    def forward(self, h, lengths):
        s = self.score(h)
        inside = torch.arange(h.shape[1])[None, :, None] < lengths[:, None, None]
        w = torch.softmax(s.masked_fill(~inside, float("-inf")), dim=1)
        return (w * h).sum(dim=1), w

class QueryPooling(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.query = nn.Parameter(torch.randn(d))

    def forward(self, h):
        w = torch.softmax(h @ self.query / h.shape[-1] ** 0.5, dim=-1)
        return (w.unsqueeze(-2) @ h).squeeze(-2)

torch.manual_seed(61)
h = torch.randn(3, 5, 4)
pooled, w = ScorePooling(4)(h, torch.tensor([5, 2, 4]))
print(pooled.shape, w[1, :, 0])
print(QueryPooling(4)(h))
