# Report: https://github.com/skyzh/tiny-llm/pull/46
# Fixed: the position grows by the tokens of each call, and by nothing else.
import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyLM(nn.Module):
    def __init__(self, vocab=16, dim=12, context=32):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, dim), nn.Embedding(context, dim)
        self.qkv, self.head = nn.Linear(dim, 3 * dim), nn.Linear(dim, vocab)

    def forward(self, tokens, offset=0, cache=None):
        x = self.tok(tokens) + self.pos(torch.arange(offset, offset + tokens.shape[1]))
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 1), torch.cat([cache[1], v], 1)
        n, t = q.shape[1], k.shape[1]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(t, t).tril().bool()[t - n:])
        return self.head(x + y), (k, v)


@torch.no_grad()
def generate(model, prompt, n):
    tokens, offset, cache = prompt, 0, None
    out = prompt
    for _ in range(n):
        logits, cache = model(tokens, offset, cache)
        new = logits[:, -1:].argmax(-1)
        out = torch.cat([out, new], dim=1)
        offset += tokens.shape[1]
        tokens = new
    return out


torch.manual_seed(35)
model = TinyLM().eval()
prompt = torch.tensor([[3, 1, 4, 1, 5]])
print(generate(model, prompt, 6).shape)
