"""Output layer and embedding share one weight; cross-entropy on shifted targets; gradients clipped; the rate warms up."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class TiedLM(nn.Module):
    def __init__(self, vocab=16, dim=16, heads=2, context=12):
        super().__init__()
        self.heads = heads
        self.tok_emb = nn.Embedding(vocab, dim)
        self.pos_emb = nn.Embedding(context, dim)
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.out_head = nn.Linear(dim, vocab, bias=False)
        self.out_head.weight = self.tok_emb.weight
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)
        if isinstance(m, nn.Linear) and m.bias is not None:
            nn.init.zeros_(m.bias)

    def attend(self, x):
        b, t, c = x.shape
        q, k, v = [y.view(b, t, self.heads, c // self.heads).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=2)]
        w = q @ k.transpose(2, 3) / (c // self.heads) ** 0.5
        w = w.masked_fill(torch.ones(t, t).triu(1).bool(), float("-inf")).softmax(dim=-1)
        return self.proj((w @ v).transpose(1, 2).contiguous().view(b, t, c))

    def forward(self, ids):
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(ids.shape[1]))
        x = x + self.attend(self.ln1(x))
        return self.out_head(self.ln2(x))


torch.manual_seed(7)
model = TiedLM()
ids = torch.randint(0, 16, (4, 12))
opt = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
schedule = torch.optim.lr_scheduler.LambdaLR(opt, lambda n: min(1.0, (n + 1) / 3))
for n in range(4):
    logits = model(ids[:, :-1])
    loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1))
    opt.zero_grad()
    loss.backward()
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    opt.step()
    schedule.step()
    print(f"{n}: loss {loss.item():.3f}, norm {norm.item():.3f}")
print("tied:", model.out_head.weight.data_ptr() == model.tok_emb.weight.data_ptr())
print("parameters:", sum(p.numel() for p in model.parameters()))
