# Two machines each hold half of the keys. Each computes attention over its half; the halves are merged by their sums.
import torch

def partial(q, k, v):
    s = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    return s.softmax(dim=-1) @ v, s.logsumexp(dim=-1, keepdim=True)

def merge(one, other):
    (a, la), (b, lb) = one, other
    share = torch.sigmoid(la - lb)
    return share * a + (1 - share) * b, torch.logaddexp(la, lb)

torch.manual_seed(14)
q, k, v = torch.randn(3, 2, 6, 4).unbind()
halves = [partial(q, *kv) for kv in zip(k.chunk(2, dim=1), v.chunk(2, dim=1))]
y, total = merge(*halves)
print(y.shape, torch.allclose(y, partial(q, k, v)[0], atol=1e-5), torch.allclose(total, partial(q, k, v)[1], atol=1e-5))
