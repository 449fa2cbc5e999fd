# Expected: projection-mixed-up
# Report: https://github.com/snu-comparch/InfiniGen/issues/5
# Mistake: the cache of the values gets the keys of each new token.
import torch
import torch.nn as nn

class DecodingAttention(nn.Module):
    def __init__(self, dim=8, max_len=8):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(dim, dim) for _ in range(4))
        self.register_buffer("past", torch.zeros(2, 1, max_len, dim))
        self.seen = 0

    def forward(self, x):
        t = x.shape[1]
        q, k, v = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        s = self.seen
        self.past[0, :, s:s + t] = k
        self.past[1, :, s:s + t] = k
        self.seen += t
        keys, values = self.past[0, :, :self.seen], self.past[1, :, :self.seen]
        scores = q @ keys.transpose(1, 2) / q.shape[-1] ** 0.5
        return self.o_proj(scores.softmax(dim=-1) @ values)

torch.manual_seed(33)
layer = DecodingAttention().eval()
x = torch.randn(1, 5, 8)
with torch.no_grad():
    outputs = torch.cat([layer(x[:, i:i + 1]) for i in range(5)], dim=1)
print(outputs.shape)
