# A pointer: the weights are the answer. They go into the loss and meet no values.
import torch
import torch.nn as nn
import torch.nn.functional as F

class Pointer(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.query, self.key = nn.Linear(d, d, bias=False), nn.Linear(d, d, bias=False)

    def forward(self, x, used):
        s = (self.key(x) @ self.query(x.mean(1)).unsqueeze(-1)).squeeze(-1) / x.shape[-1] ** 0.5
        s = 10 * torch.tanh(s)
        return F.log_softmax(s.masked_fill(used, float("-inf")), dim=-1)

torch.manual_seed(30)
net = Pointer(4)
x = torch.randn(3, 5, 4)
used = torch.zeros(3, 5, dtype=torch.bool)
for target in torch.tensor([[0, 4, 2], [1, 2, 3]]):
    log_p = net(x, used)
    loss = F.nll_loss(log_p, target)
    loss.backward()
    used = used.scatter(1, target[:, None], True)
    print(log_p.shape, f"{loss.item():.4f}", f"{net.query.weight.grad.norm().item():.4f}")
