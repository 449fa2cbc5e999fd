"""Additive attention (Bahdanau): v . tanh(W q + U k). There is no product of queries and keys, so no scale."""
import torch
import torch.nn as nn


class BahdanauAttention(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.Wa = nn.Linear(hidden_size, hidden_size)
        self.Ua = nn.Linear(hidden_size, hidden_size)
        self.Va = nn.Linear(hidden_size, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        scores = scores.squeeze(2).unsqueeze(1)
        weights = torch.softmax(scores, dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, hidden, vocab):
        super().__init__()
        self.embedding = nn.Embedding(vocab, hidden)
        self.attention = BahdanauAttention(hidden)
        self.cell = nn.Linear(3 * hidden, hidden)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, encoder_outputs, targets):
        hidden = encoder_outputs[:, -1:]
        outputs = []
        for i in range(targets.shape[1]):
            context, _ = self.attention(hidden, encoder_outputs)
            x = torch.cat((self.embedding(targets[:, i:i + 1]), context, hidden), dim=2)
            hidden = torch.tanh(self.cell(x))
            outputs.append(self.out(hidden))
        return torch.cat(outputs, dim=1)


torch.manual_seed(18)
decoder = Decoder(6, 9)
logits = decoder(torch.randn(2, 5, 6), torch.randint(9, (2, 4)))
print(logits.shape, f"{logits.sum().item():.4f}")
