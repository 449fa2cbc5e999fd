# Report: https://github.com/georg-wolflein/good-features/pull/1
# Fixed: hidden scores become -inf.
import torch
from torch import nn

class MaskedPooling(nn.Module):
    """Pools a bag of patches; bags have different sizes."""
    def __init__(self, d_model=6, hidden_dim=4):
        super().__init__()
        self.V, self.U, self.w = nn.Linear(d_model, hidden_dim), nn.Linear(d_model, hidden_dim), nn.Linear(hidden_dim, 1)

    def forward(self, feats, mask):
        a = self.w(torch.tanh(self.V(feats)) * torch.sigmoid(self.U(feats))).squeeze(-1)
        a = a.masked_fill(mask == 0, float("-inf"))
        attention = torch.softmax(a, dim=-1)
        return torch.einsum("bn,bnd->bd", attention, feats), attention

torch.manual_seed(12)
layer = MaskedPooling()
x = torch.randn(2, 5, 6)
mask = torch.tensor([[1., 1., 1., 1., 1.], [1., 1., 0., 0., 0.]])
pooled, attention = layer(x, mask)
print(pooled.shape)
