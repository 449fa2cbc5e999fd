# Queries a few at a time, to save memory. Each chunk knows where it begins.
import torch

def chunked(q, k, v, size=2):
    out = []
    for start in range(0, q.shape[-2], size):
        part = q[..., start:start + size, :]
        s = part @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        row = torch.arange(start, start + part.shape[-2])[:, None]
        s = s.masked_fill(torch.arange(k.shape[-2]) > row, float('-inf'))
        out.append(s.softmax(-1) @ v)
    return torch.cat(out, dim=-2)

torch.manual_seed(24)
q, k, v = [torch.randn(2, 3, 7, 4) for _ in range(3)]
whole = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
print(torch.allclose(chunked(q, k, v), whole, atol=1e-5), torch.allclose(chunked(q, k, v, 3), whole, atol=1e-5))
