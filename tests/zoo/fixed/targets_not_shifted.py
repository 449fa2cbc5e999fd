# Report: https://github.com/KempnerInstitute/KempnerForge/issues/154
# Fixed: the output at a token is compared with the next token.
import torch
import torch.nn as nn
import torch.nn.functional as F


class Captioner(nn.Module):
    def __init__(self, vocab=12, dim=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.image = nn.Linear(6, dim)
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.head = nn.Linear(dim, vocab)

    def forward(self, patches, input_ids):
        n = patches.shape[1]
        x = torch.cat([self.image(patches), self.tok(input_ids)], dim=1)
        t = x.shape[1]
        s = self.q(x) @ self.k(x).transpose(1, 2) / x.shape[-1] ** 0.5
        s = s.masked_fill(torch.ones(t, t).triu(1).bool(), float("-inf"))
        x = x + s.softmax(-1) @ self.v(x)
        return self.head(x[:, n:])


torch.manual_seed(22)
model = Captioner()
patches, input_ids = torch.randn(4, 2, 6), torch.randint(12, (4, 6))
labels = input_ids.clone()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-2)
for _ in range(12):
    logits = model(patches, input_ids)
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"{loss.item():.2f}")
