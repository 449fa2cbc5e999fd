# Report: https://github.com/IBM/TabFormer/pull/14
# Fixed: batch_first is set.
import torch
import torch.nn as nn


class TabularEncoder(nn.Module):
    def __init__(self, vocab, ncols, hidden):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab, hidden)
        layer = nn.TransformerEncoderLayer(d_model=hidden, nhead=2, dim_feedforward=2 * hidden, dropout=0.0,
                                           batch_first=True)
        self.transformer_encoder = nn.TransformerEncoder(layer, num_layers=1, enable_nested_tensor=False)
        self.lin_proj = nn.Linear(hidden * ncols, hidden)

    def forward(self, rows):
        fields = self.word_embeddings(rows)
        fields = self.transformer_encoder(fields)
        return self.lin_proj(fields.flatten(1))


torch.manual_seed(30)
model = TabularEncoder(vocab=20, ncols=4, hidden=6).eval()
rows = torch.randint(20, (3, 4))
with torch.no_grad():
    print(model(rows).shape)
