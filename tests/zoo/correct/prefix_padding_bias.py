"""T5's manner: a learned bias of position and a mask of padding are one tensor, made once and passed to all layers."""
import torch
from torch import nn

torch.manual_seed(30)


class RelativeBias(nn.Module):
    def __init__(self, heads, longest):
        super().__init__()
        self.table = nn.Embedding(2 * longest - 1, heads)
        self.longest = longest

    def forward(self, n):
        places = torch.arange(n)
        index = places[None, :] - places[:, None] + self.longest - 1
        return self.table(index).permute(2, 0, 1)[None]


class SelfAttention(nn.Module):
    def __init__(self, d_model, heads):
        super().__init__()
        self.h = heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)

    def forward(self, x, position_bias):
        b, n, d = x.shape
        shape = lambda t: t.view(b, n, self.h, d // self.h).transpose(1, 2)
        scores = shape(self.q(x)) @ shape(self.k(x)).transpose(3, 2)
        scores += position_bias
        weights = torch.softmax(scores.float(), dim=-1).type_as(scores)
        return self.o((weights @ shape(self.v(x))).transpose(1, 2).reshape(b, n, d))


class Encoder(nn.Module):
    def __init__(self, vocabulary=40, d_model=24, heads=4, layers=2, longest=12):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, d_model)
        self.bias = RelativeBias(heads, longest)
        self.layers = nn.ModuleList(SelfAttention(d_model, heads) for _ in range(layers))
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(layers))

    def forward(self, ids, attention_mask):
        x = self.embed(ids)
        hidden = (1.0 - attention_mask[:, None, None, :].float()) * torch.finfo(x.dtype).min
        position_bias = self.bias(ids.shape[1]) + hidden
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x), position_bias)
        return x


model = Encoder()
ids = torch.randint(1, 40, (3, 9))
attention_mask = torch.ones(3, 9, dtype=torch.long)
attention_mask[0, 7:] = 0
attention_mask[2, 5:] = 0
ids[attention_mask == 0] = 0
out = model(ids, attention_mask)
short = model(ids[2:, :5], attention_mask[2:, :5])
print(out.shape, torch.allclose(out[2:, :5], short, atol=1e-5))
