# One causal mask: added -inf, filled -1e9, filled finfo.min, chosen by where. The weights agree.
import torch

torch.manual_seed(50)
q, k, v = torch.randn(4, 5, 6), torch.randn(4, 5, 6), torch.randn(4, 5, 6)
scores = torch.bmm(q, k.transpose(1, 2)) / 6 ** 0.5
future = torch.triu(torch.ones(5, 5, dtype=torch.bool), diagonal=1)

added = scores + torch.zeros(5, 5).masked_fill(future, float('-inf'))
filled = scores.masked_fill(future, -1e9)
lowest = scores.masked_fill(future, torch.finfo(scores.dtype).min)
chosen = torch.where(future, torch.full_like(scores, float('-inf')), scores)

outputs = [s.softmax(dim=-1) @ v for s in (added, filled, lowest, chosen)]
print([torch.allclose(outputs[0], o, atol=1e-6) for o in outputs[1:]])
in_place = scores.clone()
in_place[:, future] = float('-inf')
print(torch.equal(in_place, added), round(outputs[0].sum().item(), 3))
