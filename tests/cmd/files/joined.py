import torch

context = torch.randn(2, 4, 3, 5).transpose(0, 1).contiguous().transpose(0, 1)
context.view(2, 3, 20)
