# A second model that follows the first one slowly: its weights are copies on purpose and get no gradient.
import copy
import torch
import torch.nn as nn

class Encoder(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        return (torch.softmax(self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5, dim=-1) @ self.v(x)).mean(dim=1)

torch.manual_seed(4)
online = Encoder()
target = copy.deepcopy(online)
target.requires_grad_(False)
predictor = nn.Linear(6, 6)
opt = torch.optim.SGD([*online.parameters(), *predictor.parameters()], lr=0.2)
x = torch.randn(4, 5, 6)
for _ in range(3):
    loss = 2 - 2 * nn.functional.cosine_similarity(predictor(online(x + 0.1)), target(x - 0.1), dim=-1).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    with torch.no_grad():
        for p, t in zip(online.parameters(), target.parameters()):
            t.mul_(0.9).add_(p, alpha=0.1)
    print(f"{loss.item():.4f}")
