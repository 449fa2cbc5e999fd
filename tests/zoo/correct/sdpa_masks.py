"""scaled_dot_product_attention with masks of both kinds. Here True keeps a key, the other way round than in nn.MultiheadAttention."""
import torch
import torch.nn.functional as F

torch.manual_seed(1)
q, k, v = torch.randn(3, 2, 2, 4, 8).unbind(0)

keep = torch.tril(torch.ones(4, 4, dtype=torch.bool))
added = torch.zeros(4, 4).masked_fill(~keep, float("-inf"))
by_bool = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
by_float = F.scaled_dot_product_attention(q, k, v, attn_mask=added)
by_flag = F.scaled_dot_product_attention(q, k, v, is_causal=True)
print(torch.allclose(by_bool, by_float, atol=1e-6), torch.allclose(by_bool, by_flag, atol=1e-6))

tokens = torch.tensor([[3, 1, 4, 0], [2, 7, 0, 0]])
real = (tokens != 0)[:, None, None, :]
padded = F.scaled_dot_product_attention(q, k, v, attn_mask=real & keep)
print(padded.shape, f"{padded[0].sum().item():.4f}")

changed = v.clone()
changed[1, :, 2:] = 100.0
print(torch.allclose(padded, F.scaled_dot_product_attention(q, k, changed, attn_mask=real & keep)))
