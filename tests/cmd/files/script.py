import torch

x = torch.arange(3)
print(x)
x.sum()
