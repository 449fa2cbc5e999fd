"""What each operation saves for backward: a change in place of an operand or of a result before `backward` is refused
where the gradient needs what it was.

Not here are losses and the like that PyTorch composes of several operations: it reads intermediates there that no code can
change, and attn reads the operands. `attn` refuses what it cannot compute."""

# %% changed-in-place
# For each operation one word for each choice of operands that require gradients: all, then each alone. A word has one
# letter for each operand and, after a slash, for each result: R if its change is refused, else a dot.
def flat(value):
    return [tensor for part in value for tensor in flat(part)] if isinstance(value, (tuple, list)) else [value]
def refused(call, operands, requires, change):
    leaves = [x.clone().requires_grad_(required) for x, required in zip(operands, requires)]
    copies = [x.clone() for x in leaves]
    torch.manual_seed(0)
    results = flat(call(*copies))
    reached = [r for r in results if r.requires_grad]
    if not reached:
        return "-"
    grads = [torch.ones_like(r) for r in reached]
    changed = change(copies, results)
    with torch.no_grad():
        changed.copy_(changed.clone())
    try:
        torch.autograd.backward(reached, grads)
    except RuntimeError as error:
        return "R" if "modified by an inplace operation" in str(error) else str(error)
    return "."
def word(call, operands, requires):
    count = len(flat(call(*operands)))
    of_operands = [refused(call, operands, requires, lambda copies, _: copies[at]) for at in range(len(operands))]
    return "".join(of_operands) + "/" + "".join(refused(call, operands, requires, lambda _, results: results[at]) for at in range(count))
def show(name, call, *operands):
    floats = [x.is_floating_point() for x in operands]
    alone = [[at == one for at in range(len(operands))] for one in range(len(operands)) if floats[one]]
    print(name, *(word(call, operands, requires) for requires in [floats] + (alone if sum(floats) > 1 else [])))
x = torch.tensor([[0.3, 0.6, 0.9], [0.2, 0.5, 0.8]])
y = torch.tensor([[0.7, 0.4, 0.1], [0.9, 0.3, 0.6]])
w, b = torch.tensor([1.5, 0.5, 2.0]), torch.tensor([0.5, 0.25, 0.75])
square = torch.tensor([[2.0, 0.5, 0.0], [0.5, 3.0, 1.0], [0.0, 1.0, 4.0]])
M, labels, at = torch.tensor([[True, False, True], [False, False, True]]), torch.tensor([0, 2]), torch.tensor([[0, 2], [1, 1]])
cube = torch.stack([x, y])
for name in (
    "neg abs exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square reciprocal sin cos tan asin acos atan sinh cosh tanh "
    "sigmoid erf erfc sign floor ceil round trunc relu softmax log_softmax cumsum cumprod "
    "logsumexp sum mean prod var std amax amin max min median norm sort topk "
    "t T mT flip roll transpose permute select narrow unsqueeze squeeze flatten reshape view "
    "tril triu clone contiguous diagonal nan_to_num float double clamp pow"
).split():
    arguments = {"softmax": (-1,), "log_softmax": (-1,), "cumsum": (0,), "cumprod": (1,), "logsumexp": (1,)}
    arguments |= {"topk": (2,), "flip": (0,), "roll": (1,), "transpose": (0, 1)}
    arguments |= {"permute": (1, 0), "select": (0, 1), "narrow": (1, 0, 2), "unsqueeze": (0,), "reshape": (3, 2), "view": (6,)}
    arguments |= {"clamp": (0.25, 0.75), "pow": (2,)}
    if name in ("T", "mT"):
        show(name, lambda a: getattr(a, name), x)
    else:
        show(name, lambda a: getattr(a, name)(*arguments.get(name, ())), x)
for name in (
    "relu leaky_relu elu silu gelu softplus "
    "logsigmoid normalize"
).split():
    show("F." + name, lambda a: getattr(F, name)(a), x)
show("gelu-tanh", lambda a: F.gelu(a, approximate="tanh"), x)
show("dropout", lambda a: F.dropout(a, 0.5), x)
show("dropout-0", lambda a: F.dropout(a, 0.0), x)
show("dropout-eval", lambda a: F.dropout(a, 0.5, training=False), x)
show("glu", lambda a: F.glu(a, 0), x)
for name in "add sub mul div pow atan2 maximum minimum hypot logaddexp remainder".split():
    show(name, getattr(torch, name), x, y)
for name in "add sub mul div pow rsub".split():
    show(name + "-number", lambda a: getattr(torch, name)(a, 3), x)
show("pow-half", lambda a: a ** 0.5, x)
show("pow-0", lambda a: a ** 0, x)
show("pow-1", lambda a: a ** 1, x)
show("rpow", lambda a: 2.0 ** a, x)
show("rsub", lambda a: 1 - a, x)
show("div-floor", lambda a, c: torch.div(a, c, rounding_mode="floor"), x, y)
show("mul-scalar", torch.mul, x, torch.tensor(2.0))
show("add-alpha", lambda a, c: torch.add(a, c, alpha=2), x, y)
show("lerp", torch.lerp, x, y, x * y)
show("lerp-number", lambda a, c: torch.lerp(a, c, 0.25), x, y)
show("addcmul", torch.addcmul, x, y, x * y)
show("addcdiv", torch.addcdiv, x, y, x + y)
show("where", lambda c, a, d: torch.where(c, a, d), M, x, y)
show("where-number", lambda c, a: torch.where(c, a, 0.0), M, x)
show("masked_fill", lambda a, c: a.masked_fill(c, 0.0), x, M)
show("masked_fill-tensor", lambda a, c, v: a.masked_fill(c, v), x, M, torch.tensor(2.0))
show("clamp-tensors", torch.clamp, x, x - 0.1, y)
show("clamp-min", lambda a: a.clamp(min=0.5), x)
show("clamp_min", lambda a: a.clamp_min(0.5), x)
for name in "exp sigmoid tanh relu sqrt square mul_ add_ div_ softmax masked_fill_ copy_ setitem clamp_ fill_".split():
    # What an operation in place saves is a copy, or its result.
    def call(a, c):
        made = a * 1
        if name == "setitem":
            made[0] = c[0]
        elif name == "softmax":
            made = torch.softmax(made, -1).mul_(c)
        elif name == "masked_fill_":
            made.masked_fill_(M, 0.0)
        elif name in ("clamp_", "fill_"):
            getattr(made, name)(0.5)
        elif name.endswith("_"):
            getattr(made, name)(c)
        else:
            getattr(made, name + "_")()
        return made
    show("in place: " + name, call, x, y)
show("sum-0", lambda a: a.sum(0), x)
show("mean-0", lambda a: a.mean(0, keepdim=True), x)
show("max-dim", lambda a: a.max(1), x)
show("min-dim", lambda a: a.min(1), x)
show("median-dim", lambda a: a.median(1), x)
show("amax-dim", lambda a: a.amax(1), x)
show("prod-dim", lambda a: a.prod(1), x)
show("var-dim", lambda a: a.var(1), x)
show("var_mean", lambda a: torch.var_mean(a, 1), x)
for p in 1, 2, 3, float("inf"):
    show(f"norm-{p}", lambda a: a.norm(p, dim=1), x)
    show(f"vector_norm-{p}", lambda a: torch.linalg.vector_norm(a, p, dim=1), x)
show("matmul", torch.matmul, x, square)
show("matmul-vector", torch.matmul, x, w)
show("vector-matmul", torch.matmul, w, square)
show("matmul-batch", torch.matmul, cube, square)
show("matmul-batches", torch.matmul, cube, cube.mT)
show("mm", torch.mm, x, square)
show("mv", torch.mv, x, w)
show("dot", torch.dot, w, b)
show("outer", torch.outer, w, b)
show("bmm", torch.bmm, cube, cube.mT.contiguous())
show("addmm", torch.addmm, b, x, square)
show("baddbmm", torch.baddbmm, torch.ones(2, 2), cube, cube.mT.contiguous())
show("linear", F.linear, x, square)
show("linear-bias", F.linear, x, square, b)
show("linear-batch", F.linear, cube, square, b)
show("linear-vector", F.linear, w, square, b)
show("einsum", lambda a, c: torch.einsum("ij,kj->ik", a, c), x, y)
show("einsum-sum", lambda a: torch.einsum("ij->i", a), x)
show("einsum-outer", lambda a, c: torch.einsum("i,j->ij", a, c), w, b)
show("inv", torch.linalg.inv, square)
show("det", torch.linalg.det, square)
show("solve", torch.linalg.solve, square, w)
show("trace", torch.trace, square)
show("cat", lambda a, c: torch.cat([a, c]), x, y)
show("stack", lambda a, c: torch.stack([a, c]), x, y)
show("repeat", lambda a: a.repeat(2, 2), x)
show("repeat_interleave", lambda a: a.repeat_interleave(2, 0), x)
show("tile", lambda a: a.tile(2), x)
show("pad", lambda a: F.pad(a, (1, 1)), x)
show("item", lambda a: a[0], x)
show("slice", lambda a: a[:, 1:], x)
show("index", lambda a, c: a[c], x, torch.tensor([0, 1, 0]))
show("index-mask", lambda a, c: a[c], x, M)
show("gather", lambda a, c: a.gather(1, c), x, at)
show("index_select", lambda a, c: a.index_select(1, c), x, labels)
show("masked_select", lambda a, c: a.masked_select(c), x, M)
show("scatter", lambda a, c, d: a.scatter(1, c, d), x, at, y[:, :2])
show("scatter-number", lambda a, c: a.scatter(1, c, 0.5), x, at)
show("scatter_add", lambda a, c, d: a.scatter_add(1, c, d), x, at, y[:, :2])
show("index_add", lambda a, c, d: a.index_add(0, c, d), x, torch.tensor([0, 0]), y)
show("index_copy", lambda a, c, d: a.index_copy(0, c, d), x, torch.tensor([1, 0]), y)
show("index_fill", lambda a, c: a.index_fill(0, c, 2.0), x, torch.tensor([1]))
show("masked_scatter", lambda a, c, d: a.masked_scatter(c, d), x, M, y)
show("embedding", lambda c, a: F.embedding(c, a), labels, square)
show("one_hot-matmul", lambda c, a: F.one_hot(c, 3).float() @ a, labels, square)
show("layer_norm", lambda a: F.layer_norm(a, (3,)), x)
show("layer_norm-affine", lambda a, c, d: F.layer_norm(a, (3,), c, d), x, w, b)
show("rms_norm", lambda a: F.rms_norm(a, (3,)), x)
show("batch_norm", lambda a, c, d: F.batch_norm(a, None, None, c, d, training=True), x, w, b)
show("batch_norm-eval", lambda a, m, v, c, d: F.batch_norm(a, m.detach(), v.detach(), c, d), x, b, w, w, b)
show("nll_loss", lambda a, c: F.nll_loss(a, c), x, labels)
show("mse_loss", F.mse_loss, x, y)
show("mse_loss-none", lambda a, c: F.mse_loss(a, c, reduction="none"), x, y)
show("smooth_l1_loss", F.smooth_l1_loss, x, y)
show("binary_cross_entropy", F.binary_cross_entropy, x, y)
show("bce-logits", F.binary_cross_entropy_with_logits, x, y)
show("bce-logits-weight", lambda a, c, d: F.binary_cross_entropy_with_logits(a, c, pos_weight=d.detach()), x, y, w)
show("cdist", torch.cdist, x, y)
show("attention-heads", F.scaled_dot_product_attention, cube[None], cube[None] + 1, cube[None] + 2)
show("avg_pool1d", lambda a: F.avg_pool1d(a, 2), cube)
show("max_pool1d", lambda a: F.max_pool1d(a, 2), cube)
show("adaptive_avg_pool1d", lambda a: F.adaptive_avg_pool1d(a, 1), cube)
show("interpolate", lambda a: F.interpolate(a, scale_factor=2), cube)

# %% messages-of-changes-in-place
def says(name, change, *shape):
    torch.manual_seed(0)
    w = torch.linspace(0.25, 0.75, 6).view(2, 3).requires_grad_()
    made = change(w)
    try:
        made.sum().backward()
        print(name, "passes", w.grad.sum().item() > 0)
    except RuntimeError as error:
        print(name, error)
def then(function, change):
    def run(w):
        hidden = w * 1
        result = function(hidden)
        change(hidden, result)
        return result
    return run
for name in "exp sqrt tanh sigmoid relu reciprocal rsqrt".split():
    says(name, then(getattr(torch, name), lambda hidden, result: result.add_(1)))
    says(name + " operand", then(getattr(torch, name), lambda hidden, result: hidden.add_(1)))
for name in "log square sin abs".split():
    says(name, then(getattr(torch, name), lambda hidden, result: hidden.mul_(2)))
says("softmax", then(lambda h: torch.softmax(h, -1), lambda h, r: r.masked_fill_(torch.tensor([True, False, False]), 0.0)))
says("softmax row", then(lambda h: torch.softmax(h, -1), lambda h, r: r.__setitem__(0, 0)))
says("softmax part", then(lambda h: torch.softmax(h, -1), lambda h, r: r[:, 0].zero_()))
says("softmax without gradients", then(lambda h: torch.softmax(h, -1), lambda h, r: r.detach().mul_(0.5)))
says("softmax operand", then(lambda h: torch.softmax(h, -1), lambda h, r: h.masked_fill_(torch.tensor([True, False, False]), 0.0)))
says("log_softmax", then(lambda h: torch.log_softmax(h, -1), lambda h, r: r.neg_()))
says("relu and residual", then(lambda h: F.relu(h), lambda h, r: r.add_(h)))
says("relu, residual first", then(lambda h: F.relu(h), lambda h, r: h.add_(r)))
says("relu in place", lambda w: F.relu(w * 1, inplace=True).mul_(2))
says("exp in place", lambda w: (w * 1).exp_().add_(1))
says("exp in place, used before", lambda w: (lambda h: h.exp() + h.exp_())(w * 1))
says("dropout", then(lambda h: F.dropout(h, 0.5), lambda h, r: r.mul_(2)))
says("index", lambda w: (lambda at: (lambda picked: (at.zero_(), picked)[1])(w[:, at]))(torch.tensor([0, 2])))
places = []
says("topk", lambda w: (lambda found: (places.append(found.indices.zero_()), found.values)[1])(w.topk(2)))
says("attention", then(lambda h: F.scaled_dot_product_attention(h[None, None], h[None, None], h[None, None]), lambda h, r: r.mul_(2)))
says("twice", then(torch.exp, lambda h, r: r.add_(1).add_(1)))
w = torch.tensor([0.5, 1.0], requires_grad=True)
y = torch.exp(w)
z = y.sum()
y += 1
try:
    z.backward()
except RuntimeError as error:
    print(error)
y = torch.exp(w)
copy = y.clone()
copy += 1
copy.sum().backward()
print(w.grad)
