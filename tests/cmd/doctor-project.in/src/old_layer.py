import torch

print(torch.zeros(1) / torch.zeros(1))
