# A head in a module, three updates by hand: MSE and plain gradient descent, nothing from torch.optim.
import torch
import torch.nn as nn

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.q = nn.Linear(4, 4, bias=False)
        self.k = nn.Linear(4, 4, bias=False)
        self.v = nn.Linear(4, 4, bias=False)

    def forward(self, x):
        w = torch.softmax(self.q(x) @ self.k(x).transpose(-2, -1) / 4 ** 0.5, dim=-1)
        return w @ self.v(x)

torch.manual_seed(0)
head = Head()
x, y = torch.randn(3, 6, 4), torch.randn(3, 6, 4)
for _ in range(3):
    loss = ((head(x) - y) ** 2).mean()
    head.zero_grad()
    loss.backward()
    with torch.no_grad():
        for p in head.parameters():
            p -= 0.1 * p.grad
    print("%.4f" % loss)
