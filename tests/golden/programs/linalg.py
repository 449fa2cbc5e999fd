"""Products of vectors, matrices and batches."""

# %% matmul-by-dimension
v, m, b = torch.arange(3.), torch.arange(6.).view(2, 3), torch.arange(12.).view(2, 2, 3)
print(v @ v, m @ v, v @ m.T, m @ m.T, (b @ v).shape, (b @ m.T).shape, (m @ b.transpose(1, 2)).shape, torch.matmul(b, b.mT), (torch.ones(2, 1, 2, 3) @ torch.ones(4, 3, 5)).shape, (v @ b.transpose(-1, -2)).shape)

# %% matmul-fails
for s, t in (((2, 3), (2, 3)), ((3,), (2,)), ((2, 3), (2,)), ((3,), (2, 3)), ((2, 2, 3), (2, 2, 3)), ((2, 2, 3), (3, 3, 2)), ((2, 3), ()), ((2, 2, 3), (2, 3))):
    try:
        print((torch.ones(s) @ torch.ones(t)).shape)
    except RuntimeError as e:
        print(s, t, e)

# %% integer-and-mixed-matmul
a = torch.arange(4).view(2, 2)
print(a @ a, a.double() @ a.double(), torch.dot(a[0], a[1]), a.mv(a[0]))
for f in (lambda: a @ a.float(), lambda: a.float() @ a.double(), lambda: torch.dot(a[0], a[0].float()), lambda: a.bool() @ a.bool(), lambda: nn.Linear(2, 2)(a), lambda: torch.mm(a, a.int())):
    try:
        print(f())
    except RuntimeError as e:
        print(e)

# %% named-products
a, b = torch.arange(6.).view(2, 3), torch.arange(6.).view(3, 2)
print(torch.mm(a, b), a.mm(b), torch.mv(a, torch.ones(3)), torch.dot(a[0], a[1]), torch.outer(a[0], torch.arange(2.)), torch.bmm(a[None], b[None]))
for f in (lambda: torch.mm(a, a), lambda: torch.mm(a, a[0]), lambda: torch.bmm(a, b), lambda: torch.bmm(a[None], a[None]), lambda: torch.dot(a, a), lambda: torch.mv(a, torch.ones(2)), lambda: torch.bmm(torch.ones(2, 2, 2), torch.ones(3, 2, 2)), lambda: torch.outer(a, a)):
    try:
        print(f())
    except RuntimeError as e:
        print(e)

# %% fused-products
a, b, c = torch.ones(2, 3), torch.arange(6.).view(3, 2), torch.tensor([10., 20.])
print(torch.addmm(c, a, b), torch.addmm(c, a, b, beta=0.5, alpha=2), torch.baddbmm(torch.zeros(1, 2, 2), a[None], b[None]))

# %% transposed-operands
x = torch.arange(12.).view(3, 4)
print(x.T @ x, (x @ x.T).stride(), x[:, ::2] @ x[:, 1::2].T, x[::2].T @ x[::2], x.T[1:3] @ x[:, :2], x.expand(2, 3, 4) @ x.T)

# %% all-pairs-of-dots
inputs = torch.tensor([[0.31, 0.62, 0.05], [0.77, 0.14, 0.58], [0.46, 0.93, 0.21]])
a = torch.empty(3, 3)
for i, p in enumerate(inputs):
    for j, q in enumerate(inputs):
        a[i, j] = torch.dot(p, q)
b = inputs @ inputs.T
print(a, b, torch.allclose(a, b), torch.einsum("id,jd->ij", inputs, inputs).allclose(b), (inputs[:, None] * inputs[None]).sum(-1).allclose(b))
total = 0
for p, q in zip(inputs[0], inputs[1]):
    total = total + p * q
print(total, torch.dot(inputs[0], inputs[1]), inputs[0] @ inputs[1], (inputs[0] * inputs[1]).sum())

# %% einsum-two-operands
a, b = torch.arange(6.).view(2, 3), torch.arange(12.).view(3, 4)
print(torch.einsum("ij,jk->ik", a, b), torch.einsum("ij,jk", a, b).shape, torch.einsum("ij,jk->ki", a, b).shape, torch.einsum("ij,kj->ik", a, a), torch.einsum("i,j->ij", a[0], b[0]), torch.einsum("i,i->", a[0], a[1]), torch.einsum("ij,ij->i", a, a), torch.einsum("ij,ij", a, a), torch.einsum("ij,jk->", a, b))

# %% einsum-one-operand
m = torch.arange(9.).view(3, 3)
print(torch.einsum("ij->ji", m), torch.einsum("ii", m), torch.einsum("ii->i", m), torch.einsum("ij->", m), torch.einsum("ij->j", m), torch.einsum("ji", m), torch.einsum("...i->...", m), torch.einsum("i->i", m[0]))

# %% einsum-batches-and-ellipsis
q = torch.arange(24.).view(2, 3, 4) / 10
k = torch.arange(24.).view(2, 3, 4).flip(1) / 10
print(torch.einsum("bqd,bkd->bqk", q, k), torch.einsum("...qd,...kd->...qk", q, k).equal(torch.einsum("bqd,bkd->bqk", q, k)), torch.einsum("bij,jk->bik", q, torch.ones(4, 2)), torch.einsum("...ij,jk->...ik", q, torch.ones(4, 2)).shape, torch.einsum("bid,bjd,bj->bi", q, k, torch.ones(2, 3)))

# %% einsum-heads
b, t, h, d = 1, 2, 2, 3
x = torch.arange(float(b * t * h * d)).view(b, t, h, d)
s = torch.einsum("bqhd,bkhd->bhqk", x, x)
o = torch.einsum("bhqk,bkhd->bqhd", s.softmax(-1), x)
print(s, o.shape, torch.einsum("b q h d, b k h d -> b h q k", x, x).equal(s), torch.einsum("nqhd,nkhd->nhqk", [x, x]).equal(s))
w = torch.arange(12.).view(h, d, 2) / 4
print(torch.einsum("bthd,hde->bte", x, w), torch.einsum("bthd,hde->bthe", x, w).shape)

# %% einsum-fails
a = torch.ones(2, 3)
for eq, ops in (("ij,jk->ik", (a, a)), ("ij->k", (a,)), ("ijk->i", (a,)), ("ij,jk->ik", (a,)), ("ii->i", (a,)), ("i->i", (a,))):
    try:
        print(torch.einsum(eq, *ops))
    except Exception as e:
        print(type(e).__name__, str(e).split("\n")[0])

# %% tensordot-forms
a, b = torch.arange(12.).view(3, 4), torch.arange(12.).view(4, 3)
print(torch.tensordot(a, b, dims=1), torch.tensordot(a, b, dims=([0], [1])).shape, torch.tensordot(a, a, dims=2), torch.tensordot(a, b, dims=([0, 1], [1, 0])), torch.tensordot(torch.ones(2), torch.ones(3), dims=0).shape)

# %% distance-and-cosine
a, b = torch.tensor([[0., 0.], [3., 4.]]), torch.tensor([[1., 0.], [0., 1.]])
print(torch.cdist(a, b), torch.cdist(a, b, p=1), F.cosine_similarity(a, b), torch.cosine_similarity(a[1], b[1], dim=0), F.cosine_similarity(a[1:], b, dim=-1), F.normalize(a), F.normalize(a, p=1, dim=0), F.pairwise_distance(a, b))

# %% trace-and-determinant
m = torch.tensor([[2., 1.], [1., 3.]])
print(m.trace(), torch.trace(torch.arange(9).view(3, 3)), torch.det(m), m.det(), torch.linalg.det(torch.eye(3) * 2), torch.trace(torch.ones(2, 3)))

# %% batch-equals-loop
torch.manual_seed(3)
x, y = torch.rand(4, 3, 5), torch.rand(4, 5, 2)
loop = torch.stack([p @ q for p, q in zip(x, y)])
print(torch.allclose(torch.bmm(x, y), loop), torch.allclose(x @ y, torch.einsum("bij,bjk->bik", x, y)), (x @ y).shape, (x @ y)[0])

# %% weighted-sum-three-ways
w = torch.tensor([0.2, 0.3, 0.5])
v = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
print(w @ v, (w.unsqueeze(1) * v).sum(0), torch.einsum("i,ij->j", w, v), sum(wi * vi for wi, vi in zip(w, v)), torch.matmul(w, v), torch.mv(v.T, w), w[None] @ v)
