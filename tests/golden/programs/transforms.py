# %% transforms-of-real-numbers
x = torch.tensor([1., 2., 0.5, -1.5, 3., 0.25])
print(torch.fft.fft(x), torch.fft.rfft(x), torch.fft.ifft(x), torch.fft.fft(x, 4), torch.fft.rfft(x, 8), torch.fft.fft(torch.arange(4)))
print(torch.fft.irfft(torch.fft.rfft(x)), torch.fft.irfft(torch.fft.rfft(x), 5), torch.fft.irfft(x).shape)
for norm in ("backward", "ortho", "forward"):
    print(torch.fft.fft(x, norm=norm).abs(), torch.fft.ifft(x, norm=norm).abs(), torch.fft.rfft(x, norm=norm).real, torch.fft.irfft(torch.fft.rfft(x), norm=norm))
print(torch.fft.fft(x.double()).dtype, torch.fft.fft(x).dtype, torch.fft.fft(torch.tensor([True, False])).dtype, torch.fft.rfft(torch.arange(3)).dtype)

# %% transforms-of-complex-numbers
z = torch.complex(torch.tensor([[1., 2., -0.5], [0.25, 3., 1.5]]), torch.tensor([[0.5, -1., 2.], [1., 0., -2.5]]))
print(torch.fft.fft(z), (torch.fft.ifft(torch.fft.fft(z)) - z).abs().max() < 1e-6, torch.fft.fft(z, dim=0), torch.fft.fft(z, 2, 1))
print(torch.fft.irfft(z), torch.fft.irfft(z, 5), torch.fft.fft2(z), (torch.fft.ifft2(torch.fft.fft2(z)) - z).abs().max() < 1e-6, torch.fft.fftn(z, dim=(0,)).shape)

# %% transforms-of-tables
x = torch.arange(12.).view(3, 4) * torch.tensor([1., -0.5, 0.25, 2.])
print(torch.fft.fft2(x).real, torch.fft.fft2(x).abs(), torch.fft.ifft2(torch.fft.fft2(x)).real, torch.fft.fft2(x, s=(2, 2)).real, torch.fft.fft2(x, norm="ortho").real)
print(torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real, torch.fft.fftn(x).real, torch.fft.ifftn(x).abs(), torch.fft.fft(x, dim=0).abs())

# %% frequencies-and-shifts
print(torch.fft.fftfreq(5), torch.fft.fftfreq(4, 0.5), torch.fft.rfftfreq(6, 0.1), torch.fft.rfftfreq(5), torch.fft.fftfreq(0), torch.fft.fftfreq(3, dtype=torch.float64))
print(torch.fft.fftshift(torch.arange(5)), torch.fft.ifftshift(torch.arange(5)), torch.fft.fftshift(torch.arange(6).view(2, 3)), torch.fft.fftshift(torch.arange(6).view(2, 3), dim=1), torch.fft.ifftshift(torch.fft.fftshift(torch.arange(7.))))

# %% mixing-tokens-with-gradients
torch.manual_seed(0)
x = torch.randn(2, 4, 3, requires_grad=True)
mixed = torch.fft.fft(torch.fft.fft(x, dim=-1), dim=-2).real
mixed.pow(2).sum().backward()
print(mixed.detach(), x.grad)
y = torch.randn(6, requires_grad=True)
(torch.fft.rfft(y, norm="ortho").abs() * torch.arange(4.)).sum().backward()
print(y.grad)
w = torch.randn(4, requires_grad=True)
(torch.fft.irfft(torch.complex(w, w * 2), 6) * torch.arange(6.)).sum().backward()
print(w.grad)
v = torch.randn(5, requires_grad=True)
(torch.fft.ifft(torch.fft.fft(v, 8) * torch.arange(8.)).real ** 2).sum().backward()
print(v.grad)

# %% transforms-that-fail
x = torch.ones(4, 6)
for call in (lambda: torch.fft.fft(x.half()), lambda: torch.fft.fft(x.bfloat16()), lambda: torch.fft.fft(torch.tensor(1.)), lambda: torch.fft.fft(x, 0), lambda: torch.fft.fft(x, -2), lambda: torch.fft.fft(x, dim=2), lambda: torch.fft.fft(x, norm="x"), lambda: torch.fft.rfft(torch.fft.fft(x)), lambda: torch.fft.irfft(x[:, :1]), lambda: torch.fft.fft(torch.empty(0)), lambda: torch.fft.fft2(torch.ones(3)), lambda: torch.fft.fft2(x, dim=(0, 0)), lambda: torch.fft.fft2(x, s=(2,)), lambda: torch.fft.fft2(x, s=(0, 3)), lambda: torch.fft.fftfreq(-1), lambda: torch.fft.fftfreq(4, dtype=torch.int64), lambda: torch.fft.fft("a")):
    try:
        print(call())
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])

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
