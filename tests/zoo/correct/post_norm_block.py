"""Post-norm encoder block, dropout on weights and on the sublayers' outputs, then a classifier trained for a few steps."""
import torch
import torch.nn as nn

torch.manual_seed(77)
D, H, N_CLASSES = 12, 2, 3


class Attn(nn.Module):
    def __init__(self):
        super().__init__()
        self.Wq, self.Wk, self.Wv, self.Wo = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)
        self.drop = nn.Dropout(0.1)

    def heads(self, t):
        return t.reshape(t.size(0), t.size(1), H, D // H).permute(0, 2, 1, 3)

    def forward(self, x):
        q, k, v = self.heads(self.Wq(x)), self.heads(self.Wk(x)), self.heads(self.Wv(x))
        energy = q.matmul(k.permute(0, 1, 3, 2)).div((D // H) ** 0.5)
        weight = self.drop(energy.softmax(dim=3))
        return self.Wo(weight.matmul(v).permute(0, 2, 1, 3).reshape(x.shape))


class PostNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.attn, self.n1, self.n2 = Attn(), nn.LayerNorm(D), nn.LayerNorm(D)
        self.ffn = nn.Sequential(nn.Linear(D, 24), nn.ReLU(), nn.Linear(24, D))
        self.d1, self.d2 = nn.Dropout(0.1), nn.Dropout(0.1)

    def forward(self, x):
        x = self.n1(x + self.d1(self.attn(x)))
        return self.n2(x + self.d2(self.ffn(x)))


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.out = PostNorm(), nn.Linear(D, N_CLASSES)

    def forward(self, x):
        return self.out(self.body(x).mean(dim=1))


model = Classifier()
inputs, labels = torch.randn(8, 5, D), torch.randint(0, N_CLASSES, (8,))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(4):
    optimizer.zero_grad()
    loss = criterion(model(inputs), labels)
    loss.backward()
    optimizer.step()
    print(epoch, "%.3f" % loss.item())
