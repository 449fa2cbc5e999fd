"""BERT: the attention mask becomes a bias that is added to the scores."""
import math
import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.heads, self.size = heads, hidden // heads
        self.query, self.key, self.value = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)

    def split(self, x):
        return x.view(x.shape[0], x.shape[1], self.heads, self.size).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask=None):
        q, k, v = self.split(self.query(hidden_states)), self.split(self.key(hidden_states)), self.split(self.value(hidden_states))
        scores = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.size)
        if attention_mask is not None:
            scores = scores + attention_mask
        probs = nn.functional.softmax(scores, dim=-1)
        context = torch.matmul(probs, v).permute(0, 2, 1, 3).contiguous()
        return context.view(*hidden_states.shape)


class Bert(nn.Module):
    """attention_mask: 1 for tokens to attend to, 0 for padding."""

    def __init__(self, vocab=21, hidden=20, layers=2):
        super().__init__()
        self.word, self.position, self.kind = nn.Embedding(vocab, hidden), nn.Embedding(16, hidden), nn.Embedding(2, hidden)
        self.norm = nn.LayerNorm(hidden)
        self.attention = nn.ModuleList([BertSelfAttention(hidden, 5) for _ in range(layers)])
        self.dense = nn.ModuleList([nn.Linear(hidden, hidden) for _ in range(layers)])
        self.norms = nn.ModuleList([nn.LayerNorm(hidden) for _ in range(layers)])

    def forward(self, input_ids, attention_mask, token_type_ids):
        positions = torch.arange(input_ids.shape[1])[None, :]
        x = self.norm(self.word(input_ids) + self.position(positions) + self.kind(token_type_ids))
        extended = attention_mask[:, None, None, :].to(x.dtype)
        extended = (1.0 - extended) * torch.finfo(x.dtype).min
        for attention, dense, norm in zip(self.attention, self.dense, self.norms):
            x = norm(x + dense(attention(x, extended)))
        return x


torch.manual_seed(10)
model = Bert().eval()
ids = torch.randint(1, 21, (3, 8))
lengths = torch.tensor([8, 5, 3])
mask = (torch.arange(8)[None, :] < lengths[:, None]).long()
ids = ids * mask
kinds = torch.zeros_like(ids)
with torch.no_grad():
    out = model(ids, mask, kinds)
print(out.shape, f"{(out * mask[..., None]).abs().sum().item():.3f}")
