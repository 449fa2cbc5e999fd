# Products, attention and activations to the last digit, on processors of AMD's with AVX-512.

# %% products of many terms
torch.manual_seed(3)
for rows, terms, columns in [(16, 64, 32), (32, 193, 48), (32, 256, 48), (40, 333, 64), (64, 512, 64), (128, 1000, 96)]:
    x, w, b = torch.randn(rows, terms), torch.randn(columns, terms), torch.randn(columns)
    for y in (x @ w.T, F.linear(x, w, b), x.T.contiguous().T @ w.T.contiguous()):
        print(rows, terms, columns, y.double().sum().item(), y.double().abs().sum().item(), y[-1, -1].item())

# %% a gradient over many tokens
torch.manual_seed(3)
layer, x = nn.Linear(32, 48), torch.randn(8, 75, 32)
layer(x).square().mean().backward()
print(layer.weight.grad.double().abs().sum().item(), layer.weight.grad[3, :4].tolist())

# %% gelu and its gradient
x = torch.linspace(-6, 6, 2001, requires_grad=True)
y = F.gelu(x)
y.backward(torch.linspace(0.5, 1.5, 2001))
print(y.double().sum().item(), x.grad.double().sum().item())
print(y[::250].tolist(), x.grad[::250].tolist())
print(F.gelu, F.scaled_dot_product_attention)

# %% products of few rows or columns
torch.manual_seed(3)
for rows, terms, columns in [
    (1, 20, 6), (2, 24, 5), (3, 23, 16), (1, 100, 7), (5, 7, 4), (6, 64, 6), (9, 33, 11), (60, 12, 4), (7, 48, 1), (12, 21, 8), (4, 9, 12)
]:
    x, w, b = torch.randn(rows, terms), torch.randn(columns, terms), torch.randn(columns)
    rows_of_weight = w.T.contiguous()
    for y in (x @ rows_of_weight, F.linear(x, w), F.linear(x, w, b), x.T.contiguous().T @ rows_of_weight, x @ w[0], w[0] @ x.T, torch.addmm(b, x, rows_of_weight, alpha=0.3)):
        print(rows, terms, columns, y.double().sum().item(), y.double().abs().sum().item(), y.flatten()[-1].item())
    print(torch.dot(x[0], w[0]).item())

# %% small batches, attention and their gradients
torch.manual_seed(3)
for queries, keys, width in [(1, 9, 16), (6, 6, 12), (3, 21, 16), (10, 10, 4)]:
    q, k, v = (torch.randn(2, 3, n, width, requires_grad=True) for n in (queries, keys, keys))
    y = F.scaled_dot_product_attention(q, k, v)
    (y * torch.randn_like(y)).sum().backward()
    for t in (y, q.grad, k.grad, v.grad, q @ k.transpose(-2, -1)):
        print(queries, keys, width, t.double().sum().item(), t.double().abs().sum().item())
x, v = torch.randn(4, 7, 12), torch.randn(12, requires_grad=True)
((x @ v).sin().sum() + v.norm()).backward()
print(v.grad.tolist())
