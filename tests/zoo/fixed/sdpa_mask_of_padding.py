# Report: https://github.com/InseeFrLab/torchTextClassifiers/pull/92
# Fixed: the mask is inverted: True marks what is kept.
import torch
import torch.nn as nn
import torch.nn.functional as F


class LabelAttention(nn.Module):
    """One query for each label reads the tokens of a text."""

    def __init__(self, labels, dim):
        super().__init__()
        self.label_embeds = nn.Embedding(labels, dim)
        self.q_proj, self.k_proj, self.v_proj = (nn.Linear(dim, dim, bias=False) for _ in range(3))

    def forward(self, tokens, padding_mask):
        queries = self.q_proj(self.label_embeds.weight).expand(tokens.shape[0], -1, -1)
        keys, values = self.k_proj(tokens), self.v_proj(tokens)
        return F.scaled_dot_product_attention(queries, keys, values, attn_mask=~padding_mask[:, None, :])


torch.manual_seed(16)
layer = LabelAttention(3, 8)
x = torch.randn(2, 5, 8)
padding_mask = torch.arange(5)[None] >= torch.tensor([4, 3])[:, None]
print(layer(x, padding_mask).shape)
