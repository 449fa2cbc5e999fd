"""Half precision where PyTorch rounds in the middle of an operation, and the texts of floats.

32 columns are whole vectors: what is left of a row PyTorch computes with other functions.
"""

# %% half-sums-and-factors
for dtype in (torch.bfloat16, torch.float16):
    torch.manual_seed(1)
    a, b, c = (torch.randn(4, 32).to(dtype) for _ in range(3))
    results = [a + 0.3, a - 0.3, 0.3 - a, 0.3 / a, a * 0.3, torch.add(a, b, alpha=0.3), torch.sub(a, b, alpha=0.3)]
    results += [torch.lerp(a, b, 0.3), torch.lerp(a, b, 0.7), torch.addcmul(a, b, c, value=0.3), torch.addcdiv(a, b, c, value=0.3)]
    results += [a**3, a**-2, a.prod(0), a[:, :6].prod(1)]
    for result in results:
        print(result.dtype, [x.item() for x in result.flatten()[:64:7]])

# %% half-softmax-and-gradients
for dtype in (torch.bfloat16, torch.float16):
    torch.manual_seed(2)
    x = torch.randn(4, 32).to(dtype).requires_grad_()
    g = torch.randn(4, 32).to(dtype)
    for dim in (-1, 0):
        for f in (torch.softmax, torch.log_softmax):
            y = f(x, dim)
            grad, = torch.autograd.grad(y, x, g)
            print([v.item() for v in y.flatten()[::17]], [v.item() for v in grad.flatten()[::17]])
        print(x.logsumexp(dim).tolist()[:4])
    loss = F.cross_entropy(x, torch.tensor([3, 1, 0, 31]))
    grad, = torch.autograd.grad(loss, x)
    print([v.item() for v in grad.flatten()[::17]])

# %% half-optimizers
for dtype in (torch.bfloat16, torch.float16):
    for kind, options in ((torch.optim.SGD, {"momentum": 0.9, "weight_decay": 0.01}), (torch.optim.Adam, {}), (torch.optim.AdamW, {"weight_decay": 0.1})):
        torch.manual_seed(3)
        p = nn.Parameter(torch.randn(4, 32).to(dtype))
        optimizer = kind([p], lr=0.03, **options)
        for _ in range(3):
            p.grad = torch.randn(4, 32).to(dtype)
            optimizer.step()
        print(kind.__name__, [v.item() for v in p.flatten()[::9]])

# %% floats-between-two-texts
for x in (0.00177478790283203125, 2.03125 + 2.0**-17, 1.0 + 2.0**-17, 5e-324, 0.1, 1e22, 9007199254740993.0, 123456789012345.67, 0.5 + 2.0**-18):
    print(x, repr(x), f"{x}", [x], str(-x), "%r %s" % (x, x))
