# A language model that reads backwards: a token sees itself and what follows it, and predicts what is before it.
import torch
import torch.nn as nn
import torch.nn.functional as F

class BackwardLM(nn.Module):
    def __init__(self, vocab=11, dim=12):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.embed(ids)
        t = ids.shape[1]
        past = torch.tril(torch.ones(t, t), diagonal=-1).bool()
        scores = self.q(x) @ self.k(x).transpose(1, 2) / x.shape[-1] ** 0.5
        weights = scores.masked_fill(past, float("-inf")).softmax(dim=-1)
        return self.head(x + weights @ self.v(x))

torch.manual_seed(1)
model = BackwardLM()
ids = torch.randint(0, 11, (3, 7))
logits = model(ids)
loss = F.cross_entropy(logits[:, 1:].flatten(0, 1), ids[:, :-1].flatten())
loss.backward()
print(logits.shape, f"{loss.item():.4f}", f"{model.q.weight.grad.norm().item():.4f}")
