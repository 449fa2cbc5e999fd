"""A seq2seq whose decoder sometimes gets the right token and sometimes its own: Python's random numbers decide."""
import random

import torch
from torch import nn
from torch.nn import functional as F

random.seed(0)
torch.manual_seed(0)


class Decoder(nn.Module):
    def __init__(self, words=11, width=16):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.score = nn.Linear(width, 1, bias=False)
        self.cell = nn.GRUCell(2 * width, width)
        self.out = nn.Linear(width, words)

    def forward(self, target, memory, state, forced):
        read, steps = target[:, 0], []
        for at in range(1, target.shape[1]):
            energy = torch.tanh(self.query(state)[:, None] + self.key(memory))
            weights = F.softmax(self.score(energy), dim=1)
            state = self.cell(torch.cat([self.table(read), (weights * memory).sum(1)], dim=1), state)
            steps.append(self.out(state))
            read = target[:, at] if random.random() < forced else steps[-1].argmax(1)
        return torch.stack(steps, dim=1)


model = Decoder()
memory = torch.randn(4, 5, 16)
target = torch.randint(1, 11, (4, 6))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(4):
    logits = model(target, memory, memory.mean(1), 0.5)
    loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.3f}")
