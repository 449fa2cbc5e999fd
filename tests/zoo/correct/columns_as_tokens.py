"""The convention of textbooks that write tokens as columns: S = K^T Q, so the softmax runs down the columns."""
import torch
import torch.nn as nn


class ColumnAttention(nn.Module):
    def __init__(self, D):
        super().__init__()
        self.omega_q = nn.Parameter(torch.randn(D, D) / D ** 0.5)
        self.omega_k = nn.Parameter(torch.randn(D, D) / D ** 0.5)
        self.omega_v = nn.Parameter(torch.randn(D, D) / D ** 0.5)
        self.beta = nn.Parameter(torch.zeros(3, D, 1))

    def forward(self, X):
        D = X.shape[-2]
        Q = self.beta[0] + self.omega_q @ X
        K = self.beta[1] + self.omega_k @ X
        V = self.beta[2] + self.omega_v @ X
        A = torch.softmax(K.transpose(-1, -2) @ Q / D ** 0.5, dim=-2)
        return V @ A


torch.manual_seed(38)
layer = ColumnAttention(4)
X = torch.randn(2, 4, 6)
Y = layer(X)
print(Y.shape, f"{Y.sum().item():.4f}")
