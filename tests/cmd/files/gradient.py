import torch
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
w = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
for step in range(2):
    loss = (x @ w).sum()
    w.grad = None
    loss.backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
(again,) = torch.autograd.grad((x @ w).sum(), w)
