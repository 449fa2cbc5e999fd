# Sampling from a language model: temperature, the k best, the smallest set with probability p.
import torch
import torch.nn as nn
import torch.nn.functional as F

class LM(nn.Module):
    def __init__(self, vocab=12, d=12, context=16):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(context, d)
        self.attn, self.head = nn.Linear(d, 3 * d), nn.Linear(d, vocab)

    def forward(self, ids):
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
        q, k, v = self.attn(x).chunk(3, dim=-1)
        t = ids.shape[1]
        w = (q @ k.mT / q.shape[-1] ** 0.5).masked_fill(~torch.ones(t, t).tril().bool(), float('-inf')).softmax(-1)
        return self.head(x + w @ v)

@torch.no_grad()
def generate(model, ids, n, temperature=1.0, top_k=None, top_p=None):
    for _ in range(n):
        logits = model(ids)[:, -1] / temperature
        if top_k is not None:
            kth = torch.topk(logits, top_k).values[:, -1:]
            logits = logits.masked_fill(logits < kth, float('-inf'))
        if top_p is not None:
            ordered, where = torch.sort(logits, descending=True)
            before = ordered.softmax(-1).cumsum(-1) - ordered.softmax(-1)
            logits = logits.scatter(1, where, ordered.masked_fill(before >= top_p, float('-inf')))
        probs = F.softmax(logits, dim=-1)
        ids = torch.cat([ids, torch.multinomial(probs, 1)], dim=1)
    return ids

torch.manual_seed(12)
model = LM().eval()
start = torch.tensor([[1], [2]])
print(generate(model, start, 5, top_k=1))
print(generate(model, start, 5, temperature=0.8, top_k=4, top_p=0.9).shape)
