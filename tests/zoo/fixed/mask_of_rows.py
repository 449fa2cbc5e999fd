# Report: https://github.com/lsdefine/attention-is-all-you-need-keras/issues/16
# Fixed: the axis is added for the queries, so the mask hides keys.
import torch
import torch.nn as nn
import torch.nn.functional as F

class Encoder(nn.Module):
    def __init__(self, vocab=10, d=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, d, padding_idx=0)
        self.wq, self.wk, self.wv = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, ids):
        x = self.emb(ids)
        mask = (ids != 0).float().unsqueeze(1)
        attn = self.wq(x) @ self.wk(x).transpose(1, 2) / x.shape[-1] ** 0.5
        attn = attn + (1 - mask) * -1e10
        return F.softmax(attn, dim=-1) @ self.wv(x)

torch.manual_seed(38)
model = Encoder()
ids = torch.tensor([[4, 7, 2, 0, 0], [5, 1, 3, 8, 6]])
print(model(ids).shape)
