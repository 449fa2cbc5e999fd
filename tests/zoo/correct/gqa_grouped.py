# Grouped queries without copies of the keys: the query heads get a dimension for the group.
import torch

torch.manual_seed(5)
B, T, G, R, D = 2, 6, 2, 3, 4   # G key heads, R query heads for each of them
x = torch.randn(B, T, G * R * D)
wq = torch.randn(G * R * D, G * R * D) * 0.2
wk = torch.randn(G * R * D, G * D) * 0.2
wv = torch.randn(G * R * D, G * D) * 0.2

q = (x @ wq).view(B, T, G, R, D)
k = (x @ wk).view(B, T, G, D)
v = (x @ wv).view(B, T, G, D)

s = torch.einsum("btgrd,bsgd->bgrts", q, k) / D ** 0.5
s = s.masked_fill(torch.ones(T, T).triu(1).bool(), float("-inf"))
o = torch.einsum("bgrts,bsgd->btgrd", s.softmax(dim=-1), v).reshape(B, T, G * R * D)
print(o.shape, round(float(o.sum()), 3))

same = torch.nn.functional.scaled_dot_product_attention(
    q.reshape(B, T, G * R, D).transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True, enable_gqa=True)
print(torch.allclose(o, same.transpose(1, 2).reshape(B, T, -1), atol=1e-5))
