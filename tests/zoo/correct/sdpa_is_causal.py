import torch
import torch.nn as nn
import torch.nn.functional as F

class Head(nn.Module):
    def __init__(self, d_model: int = 16, n_head: int = 4, p: float = 0.1):
        super().__init__()
        self.n_head = n_head
        self.p = p
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.out = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, D = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.n_head, D // self.n_head).transpose(1, 3).unbind(2)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=self.p if self.training else 0.0)
        return self.out(y.transpose(1, 2).contiguous().view(B, T, D))

torch.manual_seed(13)
layer = Head().eval()
x = torch.randn(2, 6, 16)
print(layer(x).shape, "%.4f" % layer(x).sum().item())

x.requires_grad_()
layer(x)[:, 2].sum().backward()
print((x.grad.abs().sum(-1) > 0).int())
