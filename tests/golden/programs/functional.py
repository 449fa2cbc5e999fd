"""torch.nn.functional: losses, one_hot, normalize, embedding, keywords."""

# %% cross-entropy-forms
logits = torch.tensor([[2.0, 0.5, -1.0], [0.1, 0.2, 0.3]])
y = torch.tensor([0, 2])
print(F.cross_entropy(logits, y), F.cross_entropy(logits, y, reduction="sum"), F.cross_entropy(logits, y, reduction="none"), F.cross_entropy(logits, torch.tensor([0, -100])), F.cross_entropy(logits, y, ignore_index=0), F.cross_entropy(logits, y, label_smoothing=0.2), F.cross_entropy(logits, y, weight=torch.tensor([1., 2., 3.])), F.cross_entropy(logits[0], y[0]), F.cross_entropy(input=logits, target=F.softmax(logits, -1)))

# %% cross-entropy-by-hand
logits = torch.tensor([[2.0, 0.5, -1.0], [0.1, 0.2, 0.3]])
y = torch.tensor([0, 2])
p = torch.softmax(logits, dim=-1)
picked = p[range(2), y]
print(picked, -picked.log().mean(), F.nll_loss(F.log_softmax(logits, dim=1), y), torch.exp(F.cross_entropy(logits, y)))

# %% cross-entropy-over-tokens
torch.manual_seed(0)
logits = torch.randn(2, 3, 5)
y = torch.tensor([[1, 4, 0], [2, 2, 3]])
print(F.cross_entropy(logits.view(-1, 5), y.view(-1)), F.cross_entropy(logits.flatten(0, 1), y.flatten()), F.cross_entropy(logits.transpose(1, 2), y), F.cross_entropy(logits.permute(0, 2, 1), y, reduction="none").shape)

# %% cross-entropy-fails
logits = torch.zeros(2, 3)
for y in (torch.tensor([0, 3]), torch.tensor([0]), torch.tensor([0., 1.]), torch.tensor([0, 1, 2])):
    try:
        print(F.cross_entropy(logits, y))
    except Exception as e:
        print(type(e).__name__, e)

# %% other-losses
a, b = torch.tensor([0.2, 0.9]), torch.tensor([0., 1.])
print(F.mse_loss(a, b), F.mse_loss(a, b, reduction="none"), F.mse_loss(input=a, target=b, reduction="sum"), F.binary_cross_entropy(a, b), F.binary_cross_entropy(a, b, reduction="sum"), F.binary_cross_entropy_with_logits(a, b), F.l1_loss(a, b), F.smooth_l1_loss(a, b), F.kl_div(a.log(), torch.tensor([0.5, 0.5]), reduction="sum"), F.nll_loss(torch.tensor([[-0.1, -2.3]]), torch.tensor([1]), reduction="none"))
try:
    F.binary_cross_entropy(torch.tensor([1.5]), torch.tensor([1.]))
except RuntimeError as e:
    print(e)

# %% one-hot-forms
print(F.one_hot(torch.tensor([0, 2])), F.one_hot(torch.tensor([[1], [0]]), num_classes=3), F.one_hot(torch.arange(3) % 2).dtype, F.one_hot(torch.tensor(1), 2), F.one_hot(torch.tensor([0, 1]), 4).sum(0))
for t, n in ((torch.tensor([5]), 3), (torch.tensor([-1]), -1), (torch.tensor([0.5]), -1)):
    try:
        print(F.one_hot(t, n))
    except Exception as e:
        print(type(e).__name__, e)

# %% normalize-forms
x = torch.tensor([[3., 4.], [0., 0.], [1., 0.]])
print(F.normalize(x), F.normalize(x, dim=0), F.normalize(x, p=1, dim=1), F.normalize(x[0], dim=0), F.normalize(x) @ F.normalize(x).T)

# %% linear-and-embedding-functions
w = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
print(F.linear(torch.ones(2), w), F.linear(torch.ones(4, 2), w, bias=torch.ones(3))[0], F.embedding(torch.tensor([[0, 2]]), w), F.embedding(input=torch.tensor(1), weight=w))

# %% unknown-keywords-are-errors
x = torch.ones(2, 2)
calls = [lambda: torch.softmax(x, dims=0), lambda: x.sum(dimension=1), lambda: torch.zeros(2, kind="a"), lambda: F.relu(x, fast=True), lambda: nn.Linear(2, 2, biass=True), lambda: x.view(shape=(4,), a=1), lambda: torch.cat([x], foo=1), lambda: nn.Dropout(prob=0.1), lambda: F.softmax(x, axis=0), lambda: torch.ones(2, bogus=3)]
for i, f in enumerate(calls):
    try:
        f()
        print(i, "fine")
    except TypeError:
        print(i, "TypeError")

# %% softmax-without-a-dim
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print(F.softmax(torch.tensor([1., 2.])), F.softmax(torch.tensor([[1., 2.], [3., 5.]])))
try:
    torch.softmax(torch.ones(2))
except TypeError as e:
    print("TypeError")

# %% argument-names-of-torch
x = torch.arange(6.).view(2, 3)
print(torch.transpose(input=x, dim0=0, dim1=1), torch.sum(input=x, dim=0), torch.unsqueeze(input=x, dim=0).shape, torch.reshape(input=x, shape=(3, 2)), x.reshape(shape=(6,)), torch.cat(tensors=[x, x], dim=0).shape, torch.where(condition=x > 2, input=x, other=0.0), torch.clamp(input=x, min=1, max=3), torch.argmax(input=x, dim=-1), torch.matmul(input=x, other=x.T), torch.flatten(input=x, start_dim=0), torch.topk(input=x, k=1, dim=1).values, torch.triu(input=x, diagonal=1))
