"""Bidirectional encoder layer with a padding mask added to the scores, after BERT."""
import math
import torch
from torch import nn


class BertSelfAttention(nn.Module):
    def __init__(self, hidden_size, num_attention_heads, attention_probs_dropout_prob):
        super().__init__()
        self.num_attention_heads = num_attention_heads
        self.attention_head_size = int(hidden_size / num_attention_heads)
        self.all_head_size = self.num_attention_heads * self.attention_head_size
        self.query = nn.Linear(hidden_size, self.all_head_size)
        self.key = nn.Linear(hidden_size, self.all_head_size)
        self.value = nn.Linear(hidden_size, self.all_head_size)
        self.dropout = nn.Dropout(attention_probs_dropout_prob)

    def transpose_for_scores(self, x):
        new_x_shape = x.size()[:-1] + (self.num_attention_heads, self.attention_head_size)
        x = x.view(*new_x_shape)
        return x.permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask):
        query_layer = self.transpose_for_scores(self.query(hidden_states))
        key_layer = self.transpose_for_scores(self.key(hidden_states))
        value_layer = self.transpose_for_scores(self.value(hidden_states))
        attention_scores = torch.matmul(query_layer, key_layer.transpose(-1, -2))
        attention_scores = attention_scores / math.sqrt(self.attention_head_size)
        attention_scores = attention_scores + attention_mask
        attention_probs = nn.Softmax(dim=-1)(attention_scores)
        attention_probs = self.dropout(attention_probs)
        context_layer = torch.matmul(attention_probs, value_layer)
        context_layer = context_layer.permute(0, 2, 1, 3).contiguous()
        new_context_layer_shape = context_layer.size()[:-2] + (self.all_head_size,)
        return context_layer.view(*new_context_layer_shape)


class BertLayer(nn.Module):
    def __init__(self, hidden_size=12, heads=3):
        super().__init__()
        self.self = BertSelfAttention(hidden_size, heads, 0.1)
        self.dense = nn.Linear(hidden_size, hidden_size)
        self.LayerNorm = nn.LayerNorm(hidden_size, eps=1e-12)
        self.intermediate = nn.Linear(hidden_size, 4 * hidden_size)
        self.output = nn.Linear(4 * hidden_size, hidden_size)
        self.OutputNorm = nn.LayerNorm(hidden_size, eps=1e-12)

    def forward(self, hidden_states, attention_mask):
        attended = self.LayerNorm(self.dense(self.self(hidden_states, attention_mask)) + hidden_states)
        return self.OutputNorm(self.output(nn.functional.gelu(self.intermediate(attended))) + attended)


def extend(attention_mask):
    """1 for a token and 0 for padding, as a number to add to the scores."""
    extended = attention_mask[:, None, None, :].to(torch.float32)
    return (1.0 - extended) * torch.finfo(torch.float32).min


torch.manual_seed(0)
input_ids = torch.tensor([[5, 7, 2, 9, 1], [4, 3, 8, 0, 0]])
attention_mask = (input_ids != 0).long()
embed = nn.Embedding(10, 12, padding_idx=0)
layer = BertLayer().eval()
with torch.no_grad():
    out = layer(embed(input_ids), extend(attention_mask))
print(out.shape)
print(f"{out[attention_mask.bool()].abs().sum().item():.3f}")
