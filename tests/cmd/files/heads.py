import torch

b, t, h, hd = 2, 3, 4, 5
x = torch.randn(b, t, 3 * h * hd)
q, k, v = x.split(h * hd, dim=-1)
q.view(b, h, t, hd)
