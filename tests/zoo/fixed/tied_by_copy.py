# Report: https://github.com/rasbt/LLMs-from-scratch/issues/822
# Fixed: the output layer gets the weight itself.
import torch
import torch.nn as nn

class LanguageModel(nn.Module):
    def __init__(self, vocab_size=14, emb_dim=8):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, emb_dim)
        self.W_query = nn.Linear(emb_dim, emb_dim, bias=False)
        self.W_key = nn.Linear(emb_dim, emb_dim, bias=False)
        self.W_value = nn.Linear(emb_dim, emb_dim, bias=False)
        self.out_head = nn.Linear(emb_dim, vocab_size, bias=False)

    def tie_weights(self):
        self.out_head.weight = self.tok_emb.weight

    def forward(self, ids):
        x = self.tok_emb(ids)
        q, k, v = self.W_query(x), self.W_key(x), self.W_value(x)
        hide = torch.triu(torch.ones(ids.shape[1], ids.shape[1]), diagonal=1).bool()
        w = torch.softmax((q @ k.transpose(1, 2)).masked_fill(hide, -torch.inf) / k.shape[-1] ** 0.5, dim=-1)
        return self.out_head(x + w @ v)

torch.manual_seed(28)
model = LanguageModel()
model.tie_weights()
ids = torch.randint(14, (2, 7))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
loss.backward()
optimizer.step()
print(f"{loss.item():.4f}", torch.equal(model.tok_emb.weight, model.out_head.weight))
