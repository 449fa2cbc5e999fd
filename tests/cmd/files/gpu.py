import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_value = nn.Linear(d_model, d_model)

    def forward(self, x):
        return torch.softmax(x @ x.transpose(1, 2) / x.shape[-1] ** 0.5, dim=-1) @ self.W_value(x)


device = torch.device("cuda", 0)
x = torch.ones(2, 3, 8, device="cuda").cuda().to(0)
model = Attention(8).to(device).cuda()
torch.cuda.set_device(device)
with torch.cuda.device(0):
    print(model(x).shape, torch.cuda.current_device(), torch.tensor([1.0], device=device))
torch.cuda.synchronize()
