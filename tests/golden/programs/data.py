"""Dataset, DataLoader, batches of text."""

# %% dataset-and-loader
from torch.utils.data import Dataset, DataLoader
import torch
class Squares(Dataset):
    def __init__(self, n):
        self.n = n
    def __len__(self):
        return self.n
    def __getitem__(self, i):
        return torch.tensor([i, i * i]), i % 2
data = Squares(5)
print(len(data), data[2])
for x, y in DataLoader(data, batch_size=2):
    print(x, y)
print(len(DataLoader(data, batch_size=2)), len(DataLoader(data, batch_size=2, drop_last=True)), [b[0].shape for b in DataLoader(data, batch_size=3, shuffle=False, drop_last=True)])

# %% sliding-window-dataset
import torch
from torch.utils.data import Dataset, DataLoader
class Windows(Dataset):
    def __init__(self, ids, length, stride):
        self.x, self.y = [], []
        for i in range(0, len(ids) - length, stride):
            self.x.append(torch.tensor(ids[i:i + length]))
            self.y.append(torch.tensor(ids[i + 1:i + length + 1]))
    def __len__(self):
        return len(self.x)
    def __getitem__(self, i):
        return self.x[i], self.y[i]
loader = DataLoader(Windows(list(range(20)), 4, 4), batch_size=2, shuffle=False, num_workers=0)
it = iter(loader)
print(next(it), next(it), len(loader))
try:
    next(it)
except StopIteration:
    print("done")

# %% tensor-dataset
import torch
from torch.utils.data import TensorDataset, DataLoader
d = TensorDataset(torch.arange(6).view(3, 2), torch.tensor([0., 1., 0.]))
print(len(d), d[1], d[0:2])
for x, y in DataLoader(d, batch_size=2):
    print(x.shape, y, x.dtype)
print(next(iter(DataLoader(d))))
try:
    TensorDataset(torch.ones(2), torch.ones(3))
except AssertionError as e:
    print(e)

# %% shuffle-with-a-seed
import torch
from torch.utils.data import DataLoader
torch.manual_seed(123)
print([b.tolist() for b in DataLoader(list(range(7)), batch_size=3, shuffle=True)])
print([b.tolist() for b in DataLoader(list(range(7)), batch_size=3, shuffle=True)])
g = torch.Generator().manual_seed(1)
print([b.tolist() for b in DataLoader(range(6), batch_size=2, shuffle=True, generator=g)], torch.rand(1))

# %% collate-kinds
import torch
from torch.utils.data import DataLoader
for items in ([1, 2, 3], [1.5, 2.5], [torch.ones(2), torch.zeros(2)], [(1, "a"), (2, "b")], [{"x": 1, "y": torch.ones(1)}, {"x": 2, "y": torch.zeros(1)}], ["a", "b"], [[1, 2], [3, 4]]):
    print(next(iter(DataLoader(items, batch_size=2))))
print(next(iter(DataLoader([[1], [2, 3]], batch_size=2, collate_fn=lambda b: sum(b, [])))))

# %% loader-of-lists-without-a-class
import torch
from torch.utils.data import DataLoader
pairs = [(torch.tensor([i, i + 1]), torch.tensor(i)) for i in range(4)]
for epoch in range(2):
    total = 0
    for step, (x, y) in enumerate(DataLoader(pairs, batch_size=4)):
        total += (x.sum(1) * y).sum().item()
    print(epoch, step, total)

# %% subsets-and-random-split
import torch
from torch.utils.data import random_split, Subset, TensorDataset
d = TensorDataset(torch.arange(6))
print(len(Subset(d, [0, 3])), Subset(d, [5, 3])[1])
a, b = random_split(range(5), [3, 2], generator=torch.Generator().manual_seed(0))
print(list(a), list(b))

# %% word-tokenizer
import re
import torch
text = "The cat sat; the dog ran. A bird, too, sat."
tokens = re.findall(r"\w+|[^\w\s]", text)
vocab = {t: i for i, t in enumerate(sorted(set(tokens)))}
back = {i: t for t, i in vocab.items()}
ids = torch.tensor([vocab[t] for t in tokens])
print(tokens, len(vocab), ids, " ".join(back[i] for i in ids.tolist()), [back[int(i)] for i in ids[:3]])

# %% character-bigrams
import torch
text = "hello attention"
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
n = len(chars)
counts = torch.zeros(n, n, dtype=torch.int32)
for a, b in zip(text, text[1:]):
    counts[stoi[a], stoi[b]] += 1
p = counts.float() / counts.sum(1, keepdim=True).clamp(min=1)
print("".join(chars), counts.sum(), counts[stoi["l"]], p[stoi["t"]], p.sum(1))

# %% batches-by-index
import torch
torch.manual_seed(19)
data = torch.arange(100)
ix = torch.randint(len(data) - 8, (4,))
x = torch.stack([data[i:i + 8] for i in ix])
y = torch.stack([data[i + 1:i + 9] for i in ix])
print(ix, x, y[:, -1])
for n in range(1, 4):
    print(x[0, :n].tolist(), "->", y[0, n - 1].item(), f"({n} of {x.shape[1]})")

# %% samplers by weight and of some
import torch
from torch.utils.data import SubsetRandomSampler, WeightedRandomSampler
torch.manual_seed(3)
weighted = WeightedRandomSampler([0.1, 0.9, 0.4], 8)
print(list(weighted), len(weighted))
some = SubsetRandomSampler([5, 3, 8])
print(list(some), len(some))
try:
    WeightedRandomSampler([1.0], 0)
except ValueError as e:
    print(e)

# %% a dict of parameters, and parameters as one vector
import torch
import torch.distributed as dist
import torch.nn as nn
torch.manual_seed(3)
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.ParameterDict({"q": nn.Parameter(torch.randn(2, 3)), "k": torch.zeros(3)})
    def forward(self, x):
        return x @ self.w["q"].T
two = Two()
print(two, list(two.state_dict()), list(two.w.keys()), "q" in two.w, len(two.w))
vector = nn.utils.parameters_to_vector(two.parameters())
nn.utils.vector_to_parameters(2 * vector, two.parameters())
print(vector, two.w["q"], torch.pdist(torch.arange(6.0).view(3, 2)))
print(dist.is_available() and dist.is_initialized())
