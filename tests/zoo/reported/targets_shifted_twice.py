# Expected: targets-not-shifted
# Report: https://github.com/huggingface/transformers/pull/37830
# Mistake: forward shifts the labels and so does the loss: position i is trained to predict token i + 2.
import torch
import torch.nn as nn
import torch.nn.functional as F

def causal_lm_loss(logits, labels):
    """Shifts so that tokens < n predict n."""
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())

class CausalLM(nn.Module):
    def __init__(self, vocab=9, dim=8):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.lm_head = nn.Linear(dim, vocab)

    def forward(self, ids, labels=None):
        x = self.embed(ids)
        causal = torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool()
        x = x + self.attn(x, x, x, attn_mask=causal, need_weights=False)[0]
        logits = self.lm_head(x)
        if labels is None:
            return logits
        return causal_lm_loss(logits[:, :-1], labels[:, 1:])

torch.manual_seed(23)
model = CausalLM()
ids = torch.randint(9, (2, 8))
loss = model(ids, labels=ids)
loss.backward()
print(f"{loss.item():.4f}")
