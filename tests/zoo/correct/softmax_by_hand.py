import torch

# Softmax written out: subtract the largest, exponentiate, divide by the sum.

def attention(q, k, v, causal=True):
    d = q.size(-1)
    s = torch.einsum('...qd,...kd->...qk', q, k) / d ** 0.5
    if causal:
        s = s + torch.full_like(s, float('-inf')).triu(1)
    s = s - s.max(-1, keepdim=True)[0]
    e = s.exp()
    return torch.einsum('...qk,...kd->...qd', e, v) / e.sum(-1, keepdim=True)

torch.manual_seed(3)
q, k, v = torch.randn(3, 2, 3, 5, 4)
y = attention(q, k, v)
print(y.shape, torch.allclose(y, torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True), atol=1e-5))

# The same in the logarithm: weights are exp(s - logsumexp(s)).
s = q @ k.mT / 2
w = (s - s.logsumexp(-1, keepdim=True)).exp()
print(torch.allclose(w, s.softmax(-1), atol=1e-6), f'{(w @ v).sum().item():.4f}')
