# A non-local block for images: theta, phi and g are 1x1 convolutions, written as linear layers over the pixels.
import torch
from torch import nn
from torch.nn import functional as F

class NonLocalBlock(nn.Module):
    def __init__(self, in_channels, inter_channels=None):
        super().__init__()
        self.inter_channels = inter_channels or in_channels // 2
        self.g = nn.Linear(in_channels, self.inter_channels)
        self.theta = nn.Linear(in_channels, self.inter_channels)
        self.phi = nn.Linear(in_channels, self.inter_channels)
        self.W = nn.Linear(self.inter_channels, in_channels)
        nn.init.zeros_(self.W.bias)

    def forward(self, x):
        b, c, h, w = x.shape
        pixels = x.flatten(2).transpose(1, 2)
        g_x = self.g(pixels)
        theta_x = self.theta(pixels)
        phi_x = self.phi(pixels)
        # The embedded Gaussian version of the paper: no division by the root of the width.
        f = torch.matmul(theta_x, phi_x.transpose(1, 2))
        f_div_C = F.softmax(f, dim=-1)
        y = self.W(torch.matmul(f_div_C, g_x))
        return y.transpose(1, 2).reshape(b, c, h, w) + x

torch.manual_seed(14)
block = NonLocalBlock(6)
z = block(torch.randn(2, 6, 3, 4))
print(z.shape, f"{z.sum().item():.4f}")
