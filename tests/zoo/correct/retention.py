# Retention: products of queries and keys times a decay by distance. No softmax at all; a norm follows.
import torch
import torch.nn as nn
import torch.nn.functional as F

class Retention(nn.Module):
    def __init__(self, dim, gamma):
        super().__init__()
        self.gamma = gamma
        self.W_Q, self.W_K, self.W_V = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.norm = nn.LayerNorm(dim)

    def parallel(self, x):
        n = x.shape[1]
        i = torch.arange(n)
        decay = torch.where(i[:, None] >= i[None], self.gamma ** (i[:, None] - i[None]).clamp(min=0).float(), torch.tensor(0.0))
        Q, K, V = self.W_Q(x), self.W_K(x), self.W_V(x)
        return self.norm((Q @ K.transpose(1, 2) * decay) @ V)

    def recurrent(self, x):
        state, out = 0, []
        for t in range(x.shape[1]):
            q, k, v = self.W_Q(x[:, t]), self.W_K(x[:, t]), self.W_V(x[:, t])
            state = self.gamma * state + k[:, :, None] * v[:, None, :]
            out.append((q[:, None] @ state).squeeze(1))
        return self.norm(torch.stack(out, dim=1))

torch.manual_seed(82)
layer = Retention(6, 0.9)
x = torch.randn(2, 7, 6)
print(torch.allclose(layer.parallel(x), layer.recurrent(x), atol=1e-4), layer.parallel(x).shape)
