import torch
from torch import nn


class Scores(nn.Module):
    def __init__(self, table):
        super().__init__()
        self.scale = table["scale"]

    def forward(self, q, k):
        return q @ k.transpose(1, 2) / self.scale["of heads"]


class Attention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_value = nn.Linear(d_model, d_model)
        print("number of parameters: 0.007M \x1b[31mred")

    def forward(self, x):
        print("forward Other")
        return torch.softmax(x @ x.transpose(1, 2) / x.shape[-1] ** 0.5, dim=-1) @ self.W_value(x)


scores = Scores({"scale": {"of heads": 2.0}})
print(scores(torch.randn(2, 3, 4), torch.randn(2, 3, 4)).shape)
import tensorrt_of_mine
