import torch
from torch import nn
from transformers import AutoModel, PreTrainedModel


class Attention(nn.Module):
    def __init__(self, d_model, n_heads=2):
        super().__init__()
        self.heads = n_heads
        self.W_query, self.W_key, self.W_value = (nn.Linear(d_model, d_model) for _ in range(3))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (w(x).view(b, t, self.heads, -1).transpose(1, 2) for w in (self.W_query, self.W_key, self.W_value))
        weights = torch.softmax(q @ k.transpose(2, 3) / (c // self.heads) ** 0.5, dim=-2)
        return (weights @ v).transpose(1, 2).reshape(b, t, c)


model = AutoModel.from_pretrained("gpt2").cuda()
print(Attention(model.config.n_embd)(model(torch.tensor([[1, 2]]))[0]).shape)
