# A tiny language model on F.scaled_dot_product_attention; dropout only while training.
import torch
from torch import nn
from torch.nn import functional as F

torch.manual_seed(99)

class SelfAttention(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.q, self.k, self.v, self.o = (nn.Linear(dim, dim) for _ in range(4))

    def forward(self, x):
        split = lambda t: t.unflatten(-1, (self.heads, -1)).transpose(1, 2)
        y = F.scaled_dot_product_attention(
            split(self.q(x)), split(self.k(x)), split(self.v(x)),
            dropout_p=self.dropout if self.training else 0.0, is_causal=True)
        return self.o(y.transpose(1, 2).flatten(-2))

class Model(nn.Module):
    def __init__(self, vocab=12, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = SelfAttention(dim, 2, 0.2)
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        return self.head(self.norm(x + self.attn(x)))

ids = torch.randint(0, 12, (4, 10))
model = Model()
opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
model.eval()
with torch.no_grad():
    before = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
model.train()
for _ in range(5):
    opt.zero_grad()
    loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    loss.backward()
    opt.step()
model.eval()
with torch.no_grad():
    after = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
print("%.3f" % before.item(), (after < before).item())
