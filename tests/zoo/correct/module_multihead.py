# nn.MultiheadAttention with each of its masks. Here True hides a key, in attn_mask and in key_padding_mask.
import torch
import torch.nn as nn

torch.manual_seed(0)
mha = nn.MultiheadAttention(embed_dim=8, num_heads=2, batch_first=True)
x = torch.randn(2, 5, 8)

causal = torch.triu(torch.ones(5, 5, dtype=torch.bool), diagonal=1)
out, weights = mha(x, x, x, attn_mask=causal)
print(out.shape, weights.shape)
print(weights[0])

added = nn.Transformer.generate_square_subsequent_mask(5)
same, _ = mha(x, x, x, attn_mask=added, need_weights=False)
print(torch.allclose(out, same, atol=1e-6))

lengths = torch.tensor([5, 3])
padding = torch.arange(5)[None, :] >= lengths[:, None]
out, weights = mha(x, x, x, key_padding_mask=padding, average_attn_weights=False)
print(weights[1, 0])
print(f"{out.sum().item():.4f}")
