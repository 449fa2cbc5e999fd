import torch
values = torch.tensor([float('nan'), float('inf'), -float('inf'), 0.1, 1e-45])
whole = torch.tensor([[1, 2], [3, 4]])
truth = whole > 2
one = torch.tensor(2.5, dtype=torch.float64)
many = torch.zeros(5000)
none = torch.zeros(0, 3)
