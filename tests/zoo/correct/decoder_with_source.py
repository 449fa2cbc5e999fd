"""A decoder gets the encoder's output, and the source beside it for its padding alone."""
import torch
from torch import nn

torch.manual_seed(0)
PAD = 0


class Model(nn.Module):
    def __init__(self, words=12, width=16):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.places = nn.Embedding(8, width)
        self.core = nn.Transformer(width, 2, 1, 1, 32, 0.0, batch_first=True)
        self.head = nn.Linear(width, words)

    def embed(self, tokens):
        return self.table(tokens) + self.places(torch.arange(tokens.shape[1]))

    def encode(self, source):
        return self.core.encoder(self.embed(source), src_key_padding_mask=source == PAD)

    def decode(self, target, memory, source):
        future = torch.ones(target.shape[1], target.shape[1], dtype=torch.bool).triu(1)
        hidden = self.core.decoder(self.embed(target), memory, tgt_mask=future, memory_key_padding_mask=source == PAD)
        return self.head(hidden)

    def forward(self, source, target):
        return self.decode(target, self.encode(source), source)


model = Model()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
source = torch.randint(1, 12, (3, 6))
for step in range(3):
    logits = model(source, source[:, :5])
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), source[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"{loss.item():.3f}")
