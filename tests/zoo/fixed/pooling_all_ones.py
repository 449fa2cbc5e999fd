# Report: https://github.com/catalyst-team/catalyst/pull/285
# Fixed: the softmax runs over the time, the last axis.
import torch
import torch.nn as nn

class TemporalPooling(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.score = nn.Linear(features, 1)

    def forward(self, history):
        s = self.score(history).transpose(1, 2)
        w = torch.softmax(s, dim=2)
        return torch.bmm(w, history).squeeze(1)

torch.manual_seed(3)
layer = TemporalPooling(4)
history = torch.randn(3, 6, 4)
print(layer(history).shape)
