# Luong's attention in its three forms: dot, general, concat. The paper has no scale.
import torch
import torch.nn as nn
import torch.nn.functional as F

class LuongAttn(nn.Module):
    def __init__(self, method, hidden_size):
        super().__init__()
        self.method = method
        if method == 'general':
            self.attn = nn.Linear(hidden_size, hidden_size)
        elif method == 'concat':
            self.attn = nn.Linear(hidden_size * 2, hidden_size)
            self.v = nn.Parameter(torch.rand(hidden_size))

    def forward(self, hidden, encoder_outputs):
        # hidden: (1, batch, size); encoder_outputs: (time, batch, size)
        if self.method == 'dot':
            energies = torch.sum(hidden * encoder_outputs, dim=2)
        elif self.method == 'general':
            energies = torch.sum(hidden * self.attn(encoder_outputs), dim=2)
        else:
            both = torch.cat((hidden.expand(encoder_outputs.size(0), -1, -1), encoder_outputs), 2)
            energies = torch.sum(self.v * self.attn(both).tanh(), dim=2)
        return F.softmax(energies.t(), dim=1).unsqueeze(1)

torch.manual_seed(28)
hidden, outputs = torch.randn(1, 3, 8), torch.randn(6, 3, 8)
for method in ('dot', 'general', 'concat'):
    weights = LuongAttn(method, 8)(hidden, outputs)
    context = weights.bmm(outputs.transpose(0, 1))
    print(method, context.shape, '%.4f' % context.sum().item())
