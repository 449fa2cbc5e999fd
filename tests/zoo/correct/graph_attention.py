# A graph attention layer: a neighbourhood instead of a sequence; scores are LeakyReLU(a . [Wh_i, Wh_j]).
import torch
import torch.nn as nn
import torch.nn.functional as F

class GATLayer(nn.Module):
    def __init__(self, in_features, out_features, alpha=0.2):
        super().__init__()
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a_src = nn.Parameter(torch.randn(out_features, 1) * 0.3)
        self.a_dst = nn.Parameter(torch.randn(out_features, 1) * 0.3)
        self.leakyrelu = nn.LeakyReLU(alpha)

    def forward(self, h, adj):
        Wh = self.W(h)
        e = self.leakyrelu(Wh @ self.a_src + (Wh @ self.a_dst).T)
        attention = torch.where(adj > 0, e, -9e15 * torch.ones_like(e))
        attention = F.softmax(attention, dim=1)
        return F.elu(attention @ Wh)

torch.manual_seed(44)
adj = torch.eye(6)
for i, j in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 3)]:
    adj[i, j] = adj[j, i] = 1
net = GATLayer(4, 3)
features, labels = torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])
opt = torch.optim.Adam(net.parameters(), lr=0.05)
for epoch in range(3):
    loss = F.nll_loss(F.log_softmax(net(features, adj), dim=1), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print('%.4f' % loss.item())
