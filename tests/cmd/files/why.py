import torch

a = torch.tensor([1.0, 2.0, 3.0])
b = a * 2
# b was made of what a held then.
a[0] = 10.0

total = torch.zeros(1)
for value in a:
    total += value

torch.manual_seed(7)
net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
with torch.no_grad():
    kept = net(b)
