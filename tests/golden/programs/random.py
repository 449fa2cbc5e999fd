"""Seeded draws that every build of PyTorch shares."""

# %% rand-and-state
torch.manual_seed(123)
print(torch.rand(3), torch.rand(2, 2), torch.rand((1, 2)), torch.rand(1).item())
torch.manual_seed(123)
print(torch.rand(3), torch.initial_seed())

# %% randn-small-and-large
torch.manual_seed(0)
print(torch.randn(3), torch.randn(2, 2), torch.randn(20), torch.randn(()))
torch.manual_seed(0)
print(torch.randn(16), torch.randn(1))

# %% randint-and-randperm
torch.manual_seed(1)
print(torch.randint(0, 10, (5,)), torch.randint(5, (2, 2)), torch.randint(low=-3, high=3, size=(4,)), torch.randint(0, 2, (3,)).bool(), torch.randperm(6), torch.randint(0, 9, (2,), dtype=torch.int32))
for args in ((5, 5, (1,)), (3, 1, (1,))):
    try:
        torch.randint(*args)
    except RuntimeError as e:
        print(e)

# %% uniform-and-normal-in-place
torch.manual_seed(2)
x = torch.empty(2, 3)
print(x.uniform_(-1, 1), x.normal_(0, 0.02), x.uniform_(), torch.empty(3).normal_(mean=5, std=2), torch.zeros(2).random_(0, 5))

# %% like-draws
torch.manual_seed(3)
x = torch.zeros(2, 2, dtype=torch.float64)
print(torch.rand_like(x), torch.randn_like(x), torch.rand_like(torch.ones(2)), torch.randn_like(torch.ones(3)), torch.rand(2, dtype=torch.float64), torch.randn(2, dtype=torch.float64))

# %% normal-forms
torch.manual_seed(4)
print(torch.normal(0.0, 1.0, (3,)), torch.normal(mean=torch.tensor([0., 10.]), std=torch.tensor([1., 0.1])), torch.normal(2.0, 0.5, size=(2, 2)), torch.normal(torch.zeros(2), 1.0), torch.normal(torch.arange(3.)))

# %% generators
g = torch.Generator().manual_seed(42)
a = torch.rand(2, generator=g)
h = torch.Generator()
h.manual_seed(42)
torch.manual_seed(0)
b = torch.rand(2)
print(a, torch.equal(a, torch.rand(2, generator=h)), torch.rand(1, generator=g), b, g.initial_seed(), torch.randn(2, generator=g), torch.randint(0, 5, (3,), generator=h), torch.randperm(4, generator=h))

# %% state-can-be-put-back
torch.manual_seed(5)
torch.rand(3)
s = torch.get_rng_state()
a = torch.randn(3)
torch.set_rng_state(s)
print(torch.equal(a, torch.randn(3)), torch.rand(1), torch.seed() >= 0, torch.random.manual_seed(5) is not None, torch.rand(1))

# %% draw-order-matters
torch.manual_seed(6)
a, b = torch.rand(2), torch.rand(2)
torch.manual_seed(6)
c = torch.rand(4)
torch.manual_seed(6)
d = torch.rand(2, 2)
print(torch.equal(torch.cat([a, b]), c), torch.equal(c, d.flatten()), a, b)

# %% modules-draw-in-order
torch.manual_seed(7)
a = nn.Linear(2, 3)
b = nn.Embedding(2, 2)
x = torch.randn(2)
torch.manual_seed(7)
nn.Linear(2, 3); nn.LayerNorm(5); nn.ReLU(); nn.Embedding(2, 2)
print(torch.equal(x, torch.randn(2)), a.weight, a.bias, b.weight, x)

# %% multinomial-that-is-certain
print(torch.multinomial(torch.tensor([0., 0., 1.]), 1), torch.multinomial(torch.tensor([[1., 0.], [0., 1.]]), num_samples=1), torch.multinomial(torch.tensor([0., 3.]), 4, replacement=True))
for p, n in ((torch.tensor([1., 0.]), 3), (torch.tensor([-1., 2.]), 1), (torch.tensor([0., 0.]), 1)):
    try:
        print(torch.multinomial(p, n))
    except RuntimeError as e:
        print(e)

# %% multinomial-with-replacement
torch.manual_seed(123)
p = torch.tensor([0.1, 0.2, 0.7])
print(torch.multinomial(p, 10, replacement=True), torch.multinomial(torch.stack([p, p.flip(0)]), 5, replacement=True))
draws = torch.multinomial(p, 1000, replacement=True)
print(torch.bincount(draws), torch.rand(1))

# %% bernoulli-that-is-certain
print(torch.bernoulli(torch.tensor([0., 1., 1.])), torch.bernoulli(torch.zeros(2, 2)), torch.bernoulli(torch.ones(2)).dtype)
try:
    torch.bernoulli(torch.tensor([2.0]))
except RuntimeError as e:
    print(type(e).__name__)

# %% seeds-of-many-sizes
for seed in (0, 1, 2**31, 2**32 - 1, 2**40 + 5, -1):
    torch.manual_seed(seed)
    print(seed, torch.rand(2), torch.randn(2), torch.randint(100, (3,)))
try:
    torch.manual_seed("a")
except Exception as e:
    print(type(e).__name__)

# %% python-random-beside-torch
import random
random.seed(0)
print(random.random(), random.randint(1, 10), random.choice("abc"), random.sample(range(10), 3), random.uniform(0, 1), random.shuffle(x := list(range(5))), x, random.gauss(0, 1), random.choices([1, 2], k=3), random.randrange(0, 100, 7))


# %% distributions-refuse-what-they-cannot-be
import torch
from torch.distributions import Categorical, Normal
from torch.nn.utils.rnn import pad_sequence
nan = float("nan")
wrong = [
    lambda: Normal(0., -1.), lambda: Normal(torch.tensor([0., nan]), torch.ones(2)), lambda: Normal(0., 1.).log_prob(torch.tensor(nan)),
    lambda: Categorical(torch.tensor([-1., 2.])), lambda: Categorical(logits=torch.tensor([nan, 1.])), lambda: Categorical(torch.tensor(.5)),
    lambda: Categorical(torch.tensor([[.2, .3], [0., 0.]])), lambda: Categorical(torch.tensor([.2, .3])).log_prob(torch.tensor(5)),
    lambda: Normal(0., 1.).log_prob(0.5),
    lambda: pad_sequence([]),
]
for make in wrong:
    try:
        print(make())
    except (ValueError, RuntimeError) as e:
        print(type(e).__name__, e)
print(Normal(0., -1., validate_args=False), Categorical(logits=torch.tensor([nan, 1.]), validate_args=False), torch.arange(6).reshape(2, 3).mH)


# %% distributions-and-what-they-know
import torch
from torch.distributions import Categorical, Normal
torch.manual_seed(2)
c = Categorical(logits=torch.tensor([0., 1., -torch.inf]))
print(c, c.log_prob(torch.tensor(1)), c)
print(c.sample((3,)), c, c.entropy(), Categorical(probs=torch.tensor([1., 0.])).logits)
mean, scale = torch.zeros(2, requires_grad=True), torch.tensor(2.0, requires_grad=True)
n = Normal(mean, scale)
z = n.rsample((3,))
z.sum().backward()
print(n, n.has_rsample, z, mean.grad, scale.grad, n.sample().requires_grad)
print(c.has_rsample)

# %% distributions-beta
import torch
from torch.distributions import Beta
torch.manual_seed(3)
b = Beta(0.2, 0.2)
print(b, [b.sample().item() for _ in range(6)], b.mean)
print(Beta(torch.tensor([0.5, 2.0, 7.5]), torch.tensor([1.0, 3.0, 0.1])).sample((2,)))
print(Beta(1.0, 1.0).sample((3,)), torch.rand(2), torch.randn(3))
