"""A classifier of texts: padding, a class token, AdamW with two groups, a schedule, train and eval."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(nn.Module):
    def __init__(self, vocab=12, dim=16, heads=4, layers=2, classes=3, longest=10):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.cls = nn.Parameter(torch.randn(1, 1, dim) * 0.02)
        self.pos = nn.Parameter(torch.randn(1, longest + 1, dim) * 0.02)
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Linear(dim, classes)

    def forward(self, ids):
        x = torch.cat([self.cls.expand(len(ids), -1, -1), self.embed(ids)], 1)
        x = x + self.pos[:, :x.shape[1]]
        padding = torch.cat([torch.zeros(len(ids), 1, dtype=torch.bool), ids == 0], 1)
        return self.head(self.encoder(x, src_key_padding_mask=padding)[:, 0])


torch.manual_seed(22)
labels = torch.randint(0, 3, (48,))
ids = torch.randint(4, 12, (48, 10))
ids[:, 0] = labels + 1
lengths = torch.randint(3, 11, (48,))
ids = ids.masked_fill(torch.arange(10)[None, :] >= lengths[:, None], 0)
loader = DataLoader(TensorDataset(ids, labels), batch_size=8, shuffle=True)
model = Classifier()
decay = [p for n, p in model.named_parameters() if p.dim() > 1]
rest = [p for n, p in model.named_parameters() if p.dim() <= 1]
optimizer = torch.optim.AdamW([{"params": decay, "weight_decay": 0.01}, {"params": rest, "weight_decay": 0.0}], lr=0.01)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=18)
criterion = nn.CrossEntropyLoss()
for epoch in range(3):
    model.train()
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        scheduler.step()
    model.eval()
    with torch.no_grad():
        correct = sum((model(x).argmax(-1) == y).sum().item() for x, y in loader)
print(correct > 30)
