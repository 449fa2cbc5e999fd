# Products and activations to the last digit, on processors of AMD's with AVX-512.

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
