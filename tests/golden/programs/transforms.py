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

# %% least-squares
torch.manual_seed(2)
a, b = torch.randn(5, 2), torch.randn(5, 3)
for driver in (None, "gels", "gelsy", "gelsd", "gelss"):
    print(torch.linalg.lstsq(a, b, driver=driver))
print(torch.linalg.lstsq(a, b[:, 0]).solution, torch.linalg.lstsq(a.T, b[:2]).solution, torch.linalg.lstsq(a[:2], b[:2]).solution)
many = torch.randn(3, 4, 2)
print(torch.linalg.lstsq(many, torch.randn(3, 4)).solution, torch.linalg.lstsq(many, torch.randn(3, 4, 1)), torch.linalg.lstsq(many, torch.randn(1, 4, 2), driver="gels").residuals.shape)
print(torch.linalg.lstsq(torch.ones(3, 2), torch.ones(3, 1)), torch.linalg.lstsq(torch.tensor([[1., 0.], [0., 1e-3]]), torch.ones(2, 1), rcond=0.01, driver="gelsd"))
t = torch.arange(6.)
line = torch.linalg.lstsq(torch.stack([t, torch.ones(6)], 1), (2 * t + 1)[:, None]).solution
print(line.flatten())
for call in (lambda: torch.linalg.lstsq(a, b, driver="x"), lambda: torch.linalg.lstsq(a, torch.ones(3, 1)), lambda: torch.linalg.lstsq(a, b.double()), lambda: torch.linalg.lstsq(a.long(), b.long()), lambda: torch.linalg.lstsq(torch.ones(3), b), lambda: torch.linalg.lstsq(a, torch.tensor(1.)), lambda: torch.linalg.lstsq(many, torch.randn(4)), lambda: torch.linalg.lstsq(many, torch.randn(4, 2)), lambda: torch.linalg.lstsq(a, torch.randn(3))):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])
