# Report: https://github.com/PetrochukM/PyTorch-NLP/issues/2
# Fixed: the softmax runs over the last axis, the keys.
import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, dimensions):
        super().__init__()
        self.linear_in = nn.Linear(dimensions, dimensions, bias=False)
        self.linear_out = nn.Linear(dimensions * 2, dimensions, bias=False)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, query, context):
        batch, output_len, width = query.shape
        query_len = context.shape[1]
        scores = torch.bmm(self.linear_in(query), context.transpose(1, 2)) / width ** 0.5
        weights = self.softmax(scores.view(batch * output_len, query_len)).view(batch, output_len, query_len)
        mix = torch.bmm(weights, context)
        return torch.tanh(self.linear_out(torch.cat((mix, query), dim=2))), weights


torch.manual_seed(2)
layer = Attention(6)
output, weights = layer(torch.randn(2, 1, 6), torch.randn(2, 5, 6))
print(output.shape, weights.shape)
