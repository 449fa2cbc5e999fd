import torch

torch.manual_seed(1)
whole = torch.rand(3, 4)
part = whole[1:]
part += 1
