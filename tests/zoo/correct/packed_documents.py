# Several documents in one row: a token sees the earlier tokens of its own document; positions begin again in each.
import torch
import torch.nn.functional as F

torch.manual_seed(27)
doc = torch.tensor([0, 0, 0, 1, 1, 2, 2, 2])
n, d = len(doc), 4
starts = torch.tensor([0, 0, 0, 3, 3, 5, 5, 5])
position = torch.arange(n) - starts
x = torch.randn(n, d) + torch.randn(3, d)[position]
wq, wk, wv = torch.randn(3, d, d).div(d ** 0.5).unbind()

def attend(x, visible):
    s = (x @ wq) @ (x @ wk).T / d ** 0.5
    return s.masked_fill(~visible, -torch.inf).softmax(-1) @ (x @ wv)

visible = (doc[:, None] == doc[None, :]) & torch.ones(n, n).tril().bool()
packed = attend(x, visible)
alone = torch.cat([attend(part, torch.ones(len(part), len(part)).tril().bool()) for part in x.split([3, 2, 3])])
print(packed.shape, torch.allclose(packed, alone, atol=1e-6))
same = F.scaled_dot_product_attention(x @ wq, x @ wk, x @ wv, attn_mask=visible)
print(torch.allclose(packed, same, atol=1e-5), round(packed.sum().item(), 4))
