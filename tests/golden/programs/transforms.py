# %% eigenvalues
torch.manual_seed(1)
for n in (1, 2, 3, 5, 8):
    for dtype in (torch.float32, torch.float64):
        a = torch.randn(n, n, dtype=dtype)
        a = a + a.T
        values, vectors = torch.linalg.eigh(a)
        print(values, vectors, torch.linalg.eigvalsh(a), torch.allclose(vectors * values @ vectors.T, a, atol=1e-5))
print(torch.linalg.eigh(torch.tensor([[2., 9.], [1., 3.]])), torch.linalg.eigh(torch.tensor([[2., 9.], [1., 3.]]), UPLO="U"), torch.linalg.eigvalsh(torch.diag(torch.tensor([3., 1., 2.]))))
print(torch.linalg.eigh(torch.eye(3)), torch.linalg.eigh(torch.full((2, 2), float("nan"))), torch.linalg.eigh(torch.empty(0, 0)), torch.linalg.eigh(torch.zeros(2, 2)))
batch = torch.arange(18.).view(2, 3, 3)
found = torch.linalg.eigh(batch)
print(found, found.eigenvalues.shape, found.eigenvectors.stride())
cov = torch.tensor([[4., 2., 0.5], [2., 3., 1.], [0.5, 1., 2.]])
print(torch.linalg.eigh(cov)[1][:, -1], torch.linalg.eigvalsh(cov))
for call in (lambda: torch.linalg.eigh(torch.ones(2, 3)), lambda: torch.linalg.eigh(torch.ones(2)), lambda: torch.linalg.eigh(torch.ones(2, 2).long()), lambda: torch.linalg.eigvalsh(torch.ones(2, 2).half()), lambda: torch.linalg.eigvalsh(torch.ones(2, 2), UPLO="x")):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])

