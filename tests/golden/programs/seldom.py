"""Names beyond the list that such notebooks hold once in a while."""

# %% seldom-pointwise
x = torch.tensor([0.1, 1.0, 3.0])
print(torch.asin(x[:2]), torch.acos(x[:2]), torch.atan2(x, torch.ones(3)))
print(torch.deg2rad(torch.tensor([180.])), torch.hypot(torch.tensor([3.]), torch.tensor([4.])))

# %% seldom-activations
x = torch.tensor([-2., 0., 2.])
print(F.glu(torch.tensor([1., 2., 3., 4.]), dim=0))

# %% seldom-searching
x = torch.tensor([1., 3., 5., 7.])
print(torch.searchsorted(x, torch.tensor([3., 4., 9.])), torch.bucketize(torch.tensor([0., 5.]), x), torch.searchsorted(x, 3.0, right=True), torch.isin(torch.tensor([1, 2, 3]), torch.tensor([2, 3])))
print(torch.quantile(x, 0.5), torch.quantile(x, torch.tensor([0.25, 0.75])), torch.diff(x))

# %% seldom-linalg
a = torch.tensor([[4., 1.], [2., 3.]])
print(torch.linalg.norm(a), torch.linalg.vector_norm(a, dim=1), torch.linalg.det(a), torch.inverse(a), torch.linalg.inv(a) @ a, torch.linalg.matrix_rank(a))

# %% seldom-rearranging
x = torch.arange(6).view(2, 3)
print(torch.hstack([x, x]), torch.vstack([x, x]).shape)

# %% seldom-accumulations
x = torch.tensor([[1., 3., 2.], [4., 0., 5.]])
print(torch.var_mean(x))

# %% seldom-complex-is-told
print(torch.is_complex(torch.ones(2)), torch.is_floating_point(torch.ones(2)), torch.ones(2).is_floating_point(), torch.ones(2).is_complex(), torch.tensor(1).is_floating_point(), torch.float32.is_floating_point, torch.int64.is_floating_point)

# %% seldom-finfo
print(torch.finfo(torch.float32).eps, torch.finfo(torch.float32).max, torch.finfo(torch.float16).min, torch.iinfo(torch.int64).max, torch.iinfo(torch.int32).min, torch.finfo(torch.float64).tiny, torch.finfo(torch.float32).bits)
print(torch.zeros(2, 2).masked_fill(torch.eye(2).bool(), torch.finfo(torch.float32).min))

# %% seldom-modules
print(nn.Conv1d(1, 2, 3), nn.BatchNorm1d(4), nn.RMSNorm(4), nn.GRU(2, 3), nn.Softmax(), nn.GroupNorm(2, 4))
x = torch.tensor([[1., 2., 3., 4.]])
print(nn.RMSNorm(4)(x), F.rms_norm(x, (4,)))

# %% seldom-pooling-over-tokens
x = torch.arange(24.).view(2, 3, 4)
mask = torch.tensor([[1, 1, 0], [1, 0, 0]]).unsqueeze(-1)
print((x * mask).sum(1) / mask.sum(1), x.masked_fill(mask == 0, -torch.inf).amax(1), x[torch.arange(2), mask.squeeze(-1).sum(1) - 1])
print(torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2]), torch.tensor([3])], batch_first=True, padding_value=-1))

# %% seldom-old-names-and-detaching
a = torch.ones(2, requires_grad=True) * 2
print(a.detach_() is a, a.requires_grad, a.grad_fn, a.is_leaf)
w = torch.ones(2, requires_grad=True)
w.detach_()
print(w.requires_grad)
for wrong in [lambda: (a * 1).view(2, 1).detach_(), lambda: torch.tensor([torch.ones(2), torch.ones(2)]), lambda: torch.tensor([torch.ones(2), 1.]), lambda: torch.ones(2).bfloat16().numpy(), lambda: "a" in torch.ones(2), lambda: F.interpolate(torch.ones(1, 2), scale_factor=2)]:
    try:
        print(wrong())
    except Exception as e:
        print(type(e).__name__, e)
print(torch.tensor([torch.ones(1), torch.ones(1, 1)]), torch.tensor([[torch.tensor(1)], [torch.tensor(2)]]))
print(torch.tensor([1.7, 2]).type(torch.LongTensor), isinstance(a, torch.FloatTensor), isinstance(a, torch.LongTensor), torch.FloatTensor, torch.LongTensor(2, 3).shape)
print(torch.ones(2, 3).size(dim=1), torch.ones(2, 3).stride(dim=0))
torch.manual_seed(0)
print(F.rms_norm(torch.randn(2, 4).bfloat16(), (4,)), F.rms_norm(torch.randn(2, 4).half(), (4,)))

# %% tests in a file
import io
import unittest
import numpy as np

class Numbers(unittest.TestCase):
    def setUp(self):
        self.x = torch.ones(2, 3)

    def test_shapes(self):
        self.assertEqual(self.x.shape, (2, 3))
        with self.assertRaises(RuntimeError):
            self.x @ self.x

    def test_sums(self):
        for total in (6, 5):
            with self.subTest(total=total):
                self.assertAlmostEqual(self.x.sum().item(), total)

    @unittest.skip("no GPU")
    def test_cuda(self):
        pass

out = io.StringIO()
result = unittest.TextTestRunner(stream=out, verbosity=2).run(unittest.defaultTestLoader.loadTestsFromTestCase(Numbers))
print(result, result.wasSuccessful(), [str(test) for test, _ in result.failures])
print(*[line for line in out.getvalue().splitlines() if line.endswith(("ok", "FAIL", "'no GPU'"))], sep="\n")
a = np.arange(6.0).reshape(2, 3)
at = np.nditer(a, flags=["multi_index"], op_flags=["readwrite"])
while not at.finished:
    print(at.multi_index, a[at.multi_index])
    at.iternext()
x = torch.arange(72.0).reshape(1, 2, 6, 6).sin().requires_grad_()
pool = nn.AdaptiveMaxPool2d((2, 4))
pool(x).square().sum().backward()
print(pool, pool(x), x.grad.sum(), F.adaptive_max_pool2d(x, 1).flatten())

# %% numbers put and added at places
table = torch.zeros(3, 4, dtype=torch.long)
rows, columns = torch.tensor([0, 2, 0, -1]), torch.tensor([1, 3, 1, 3])
print(table.index_put_((rows, columns), torch.ones_like(rows), accumulate=True) is table, table)
print(table.index_put_((rows,), torch.tensor(7)), table.T.index_put_((columns, rows), torch.tensor([1, 2, 3, 4]), accumulate=True))
x = torch.zeros(3, 2)
print(x.index_put_((torch.tensor([1, 1]),), torch.tensor([[0.5, 1.0], [2.0, 3.0]]), accumulate=True))
print(x.index_put_((x > 1,), torch.tensor(-1.0), accumulate=True))
try:
    x.index_put_((torch.tensor([3]),), torch.tensor(1.0), accumulate=True)
except IndexError as e:
    print("IndexError")
