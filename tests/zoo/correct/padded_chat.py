"""A decoder for padded batches, with dropout on the weights: causal and padding mask together, loss on real tokens only."""
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0


class Decoder(nn.Module):
    def __init__(self, vocab=15, dim=16, heads=4, context=10, dropout=0.1):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(vocab, dim, padding_idx=PAD)
        self.pos_embed = nn.Embedding(context, dim)
        self.Wq, self.Wk, self.Wv, self.Wo = (nn.Linear(dim, dim) for _ in range(4))
        self.dropout = nn.Dropout(dropout)
        self.ln = nn.LayerNorm(dim)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.lm_head.weight = self.embed.weight

    def forward(self, ids):
        b, t = ids.shape
        padding_mask = ids != PAD
        x = self.embed(ids) + self.pos_embed(torch.arange(t))
        h = self.ln(x)
        q, k, v = (w(h).view(b, t, self.heads, -1).transpose(1, 2) for w in (self.Wq, self.Wk, self.Wv))
        scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
        visible = torch.ones(t, t, dtype=torch.bool).tril() & padding_mask[:, None, None, :]
        scores = scores.masked_fill(~visible, torch.finfo(scores.dtype).min)
        weights = torch.softmax(scores, dim=-1)
        weights = self.dropout(weights)
        y = (weights @ v).transpose(1, 2).reshape(b, t, -1)
        return self.lm_head(x + self.Wo(y))


torch.manual_seed(64)
model = Decoder()
chats = torch.randint(1, 15, (3, 8))
chats[1, 5:] = PAD
chats[2, 3:] = PAD
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
for epoch in range(3):
    logits = model(chats[:, :-1])
    loss = F.cross_entropy(logits.transpose(1, 2), chats[:, 1:], ignore_index=PAD)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch}: {loss.item():.3f}")
model.eval()
with torch.no_grad():
    alone, together = model(chats[2:, :3]), model(chats)[2:, :3]
print(torch.allclose(alone, together, atol=1e-5))
