# Report: https://github.com/EvolvingLMMs-Lab/OneVision-Encoder/pull/82
# Fixed: the schedule makes a step when the optimizer does.
import torch
import torch.nn as nn
import torch.nn.functional as F


class PatchEncoder(nn.Module):
    def __init__(self, dim, heads, classes):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, d))
        return self.head(x.mean(dim=1))


def warmup_then_decay(warmup, total):
    def factor(step):
        if step < warmup:
            return (step + 1) / warmup
        return max(0.0, (total - step) / (total - warmup))

    return factor


if __name__ == "__main__":
    torch.manual_seed(79)
    accumulation, updates = 4, 10
    model = PatchEncoder(dim=24, heads=3, classes=5)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, warmup_then_decay(3, updates))
    rates = []
    for step in range(accumulation * updates):
        x = torch.randn(2, 7, 24)
        y = torch.randint(0, 5, (2,))
        loss = F.cross_entropy(model(x), y) / accumulation
        loss.backward()
        if (step + 1) % accumulation == 0:
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            optimizer.zero_grad()
            scheduler.step()
    print(["%.4f" % r for r in rates])
    print(f"{sum(p.sum().item() for p in model.parameters()):.2f}")
