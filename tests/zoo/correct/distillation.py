"""A student learns from a teacher: probabilities are the targets of cross_entropy, which is where they belong."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Small(nn.Module):
    def __init__(self, vocab=8, d=8, heads=2):
        super().__init__()
        self.embed, self.qkv, self.head = nn.Embedding(vocab, d), nn.Linear(d, 3 * d), nn.Linear(d, vocab)
        self.heads = heads

    def forward(self, ids):
        x = self.embed(ids)
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.head(x + y.transpose(1, 2).reshape(b, t, d))


torch.manual_seed(3)
teacher, student = Small(heads=4).eval(), Small()
ids = torch.randint(0, 8, (4, 6))
optimizer = torch.optim.Adam(student.parameters(), lr=1e-2)
T = 2.0
for _ in range(3):
    with torch.no_grad():
        soft = F.softmax(teacher(ids) / T, dim=-1)
    logits = student(ids)
    kd = F.kl_div(F.log_softmax(logits / T, dim=-1), soft, reduction="batchmean") * T * T
    ce = F.cross_entropy(logits.flatten(0, 1), soft.flatten(0, 1))
    optimizer.zero_grad()
    (kd + ce).backward()
    optimizer.step()
    print(f"{kd.item():.4f} {ce.item():.4f}")
