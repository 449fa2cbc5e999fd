import torch
import torch.nn.functional as F

torch.manual_seed(0)


def flash(q, k, v, block=2):
    m = torch.full((q.shape[0], 1), float("-inf"))
    l = torch.zeros(q.shape[0], 1)
    out = torch.zeros_like(q)
    for start in range(0, k.shape[0], block):
        s = q @ k[start:start + block].T
        m_new = torch.maximum(m, s.max(dim=-1, keepdim=True).values)
        alpha = torch.exp(m - m_new)
        p = torch.exp(s - m_new)
        l = l * alpha + p.sum(dim=-1, keepdim=True)
        out = out * alpha + p @ v[start:start + block]
        m = m_new
    return out / l


attended = flash(torch.randn(4, 3), torch.randn(6, 3), torch.randn(6, 3))

W, U, h = torch.randn(2, 3), torch.randn(3, 3), torch.zeros(3)
for x in torch.randn(4, 2):
    z = x @ W + h @ U
    z = torch.relu(z)
    h = torch.tanh(z)

total = torch.zeros(2)
for row in torch.ones(3, 2):
    total = total + row


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = torch.nn.Linear(3, 9, bias=False)
        self.cache = None

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        self.cache = k if self.cache is None else torch.cat([self.cache, k])
        probs = F.softmax(q @ self.cache.T, dim=-1, dtype=torch.float32).to(q.dtype)
        return scaled(probs, 2.0)


def scaled(weights, factor):
    return weights * factor


attention = Attention()
for _ in range(3):
    result = attention(torch.randn(1, 3))

w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.Adam([w], lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    (w**2).sum().backward()
    optimizer.step()


class Cached:
    def __init__(self):
        self.seen = None

    def __call__(self, step):
        key = step * 10
        if self.seen is None:
            self.seen, self.steps = key, 1
        else:
            self.seen = torch.cat([self.seen, key])
            self.steps += 1
        return self.seen.sum(dim=0, keepdim=True)


def heads(x):
    x = x.view(1, 2, 1, 2)
    return x.transpose(1, 2)


cached = Cached()
sums = [cached(torch.tensor([float(step)])) for step in range(3)]
joined = torch.cat(sums)

key = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
last = torch.cat((heads(key * 1), heads(key * 2)), dim=2)
last = last.reshape(1, 4, 2) @ torch.eye(2)


def scores(x):
    keys = heads(x + 1)
    return keys @ keys.transpose(2, 3)


product = scores(key)
