# Expected: padding-leak
# Report: https://github.com/jingyaogong/minimind-v/issues/76
# Mistake: padding is left out of the loss but not hidden from the attention.
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0


class Tagger(nn.Module):
    """Tags each word; an encoder, so every word sees every other one."""

    def __init__(self, vocab=12, dim=8, tags=3):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.qkv, self.tags = nn.Linear(dim, 3 * dim), nn.Linear(dim, tags)

    def forward(self, ids):
        x = self.embed(ids)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        weights = torch.softmax(q @ k.transpose(1, 2) / q.shape[-1] ** 0.5, dim=-1)
        return self.tags(x + weights @ v)


torch.manual_seed(39)
model = Tagger()
ids = torch.tensor([[3, 5, 7, PAD, PAD], [2, 9, 4, 11, 6]])
labels = torch.tensor([[0, 2, 1, -100, -100], [1, 1, 0, 2, 2]])
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for _ in range(3):
    loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), ignore_index=-100)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.3f}")
