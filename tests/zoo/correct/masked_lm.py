"""Masked language model: some tokens are replaced and predicted at their own place, so the labels are not shifted."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
VOCAB, MASK = 20, 19


class Encoder(nn.Module):
    def __init__(self, d=16, heads=2):
        super().__init__()
        self.tok, self.pos = nn.Embedding(VOCAB, d), nn.Parameter(torch.randn(10, d) * 0.1)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.norm, self.head = nn.LayerNorm(d), nn.Linear(d, VOCAB)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[:ids.shape[1]]
        x = self.norm(x + self.attn(x, x, x, need_weights=False)[0])
        return self.head(x)


ids = torch.randint(0, MASK, (4, 10))
chosen = torch.arange(10)[None] % 4 == torch.arange(4)[:, None]
labels = torch.where(chosen, ids, -100)
inputs = torch.where(chosen, MASK, ids)
model = Encoder()
optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
for epoch in range(4):
    loss = F.cross_entropy(model(inputs).transpose(1, 2), labels, ignore_index=-100)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
