"""Only the k largest scores of each row stay."""
import torch
import torch.nn.functional as F


def topk_attention(q, k, v, keep):
    scores = torch.matmul(q, k.transpose(-2, -1)) / q.shape[-1] ** 0.5
    smallest = scores.topk(keep, dim=-1).values[..., -1:]
    scores = scores.masked_fill(scores < smallest, float("-inf"))
    return F.softmax(scores, dim=-1) @ v


torch.manual_seed(29)
q, k, v = torch.randn(2, 4, 6), torch.randn(2, 9, 6), torch.randn(2, 9, 3)
out = topk_attention(q, k, v, keep=3)
print(out.shape, f"{out.sum().item():.4f}")
print(torch.allclose(topk_attention(q, k, v, 9), F.scaled_dot_product_attention(q, k, v), atol=1e-5))
