"""The families of make_programs.py that build modules: their makers write whole programs instead of single lines."""


def layer(p, depth=0):
    """The text of a random layer, nested up to three deep."""
    k = p.rng.randint
    if depth < 3 and p.chance(0.35):
        inner = [layer(p, depth + 1) for _ in range(k(0, 3))]
        if p.chance(0.3) and inner:
            inner = [inner[0]] * k(2, 3) + inner[1:]
        return p.pick(
            f"nn.Sequential({', '.join(inner)})",
            f"nn.ModuleList([{', '.join(inner)}])",
            "nn.ModuleDict({" + ", ".join(f'"{n}": {m}' for n, m in zip("abcdef", inner)) + "})",
        )
    return p.pick(
        f"nn.Linear({k(1, 4)}, {k(1, 4)}, bias={p.chance(0.5)})", f"nn.Linear({k(1, 4)}, {k(1, 4)})", f"nn.Embedding({k(1, 6)}, {k(1, 4)})",
        f"nn.LayerNorm({k(1, 4)})", f"nn.LayerNorm(({k(1, 3)}, {k(1, 3)}), eps=1e-0{k(3, 8)})", f"nn.Dropout({k(0, 9) / 10})", f"nn.Dropout(p=0.{k(1, 9)}, inplace=True)",
        "nn.ReLU()", "nn.GELU()", 'nn.GELU(approximate="tanh")', "nn.Tanh()", "nn.Sigmoid()", f"nn.Softmax(dim={k(-2, 1)})", "nn.Identity()", "nn.Flatten()", f"nn.Flatten({k(0, 1)}, -1)",
        "nn.MultiheadAttention(4, 2)", "nn.CrossEntropyLoss()", "nn.MSELoss()", f"nn.Bilinear({k(1, 3)}, 2, {k(1, 3)})", "nn.LayerNorm(3, elementwise_affine=False)", f"nn.Embedding({k(2, 5)}, 2, padding_idx=0)",
    )


def reprs(p):
    """Nested containers: printing, names, counts."""
    p.add(f"m = {layer(p, 0)}")
    p.show("m")
    for expression in p.rng.sample([
        "[(n, tuple(t.shape)) for n, t in m.named_parameters()]", "sum(t.numel() for t in m.parameters())", "list(m.state_dict())", "[n for n, _ in m.named_modules()]",
        "[type(c).__name__ for c in m.modules()]", "[n for n, _ in m.named_children()]", "m.eval().training", "[c.training for c in m.train().modules()]", "len(list(m.children()))",
        "len(m)", "m[0]", "m[-1]", "m[:1]", "[type(t).__name__ for t in m.parameters()]", "all(t.requires_grad for t in m.parameters())", "m.double().state_dict().__class__.__name__",
        "len(m.state_dict())", "list(m.buffers())", "m.requires_grad_(False) is m", "m.load_state_dict(m.state_dict())", "str(m) == repr(m)", "isinstance(m, nn.Module)", "m.keys()", "m.missing",
    ], 4):
        p.show(expression)


def classes(p):
    """Modules of one's own: registration, buffers, state, forward."""
    width = p.rng.randint(1, 4)
    lines = ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    for i in range(p.rng.randint(1, 4)):
        lines.append("        self." + p.pick(
            f"p{i} = nn.Parameter(torch.full(({width}, {p.rng.randint(1, 3)}), {p.hole_p()}))", f"l{i} = nn.Linear({width}, {p.rng.randint(1, 3)})", f"s{i} = {layer(p, 1)}",
            f'register_buffer("b{i}", torch.ones({width}).cumsum(0))', f'register_buffer("c{i}", torch.zeros({width}), persistent=False)', f"t{i} = torch.ones(2)", f"r{i} = nn.ReLU()",
            f"d{i} = [nn.Linear(1, 1)]", f"n{i} = nn.ModuleList(nn.Linear({width}, {width}) for _ in range(2))", f'register_parameter("q{i}", None)'))
    lines += ["    def forward(self, x, scale=2.0):", "        for n, t in self.named_parameters():", "            if t.shape[0] == x.shape[-1] and t.dim() == 2:", "                x = x @ t", "        return x * scale"]
    p.add("\n".join(lines))
    p.add(f"torch.manual_seed({p.rng.randint(0, 99)})")
    p.add("net = Net()")
    for expression in p.rng.sample([
        "net", "[n for n, _ in net.named_parameters()]", "list(net.state_dict())", "[n for n, _ in net.named_buffers()]", f"net(torch.ones(2, {width}))", f"net(torch.ones(1, {width}), scale=3)", f"net(torch.ones({width}))",
        "net.state_dict()", "sum(t.numel() for t in net.parameters())", "[(n, type(m).__name__) for n, m in net.named_modules()]", "net.load_state_dict(net.state_dict())", "net.load_state_dict({})",
        'net.load_state_dict({"extra": torch.ones(1)}, strict=False)', "net.apply(lambda m: None) is net", "[tuple(t.shape) for t in net.parameters()]", "dict(net.named_parameters()).keys()", "net.nothing", "net.train(False).training",
        "list(net.parameters())", "net.to(torch.float64).state_dict()", "[t.requires_grad for t in net.requires_grad_(False).parameters()]", "vars(net).keys() >= {'training', '_parameters'}", "net.zero_grad()", "list(net.children())",
    ], 5):
        p.show(expression)


def layers(p):
    """What seeded layers compute."""
    d = p.rng.randint(1, 4)
    shape = tuple(p.rng.randint(1, 3) for _ in range(p.rng.randint(0, 3))) + (d + (1 if p.chance(0.06) else 0),)
    p.add(f"torch.manual_seed({p.rng.randint(0, 999)})")
    p.add(f"x = {p.values(shape, 'float')}")
    for _ in range(p.rng.randint(2, 4)):
        k = p.rng.randint(1, 4)
        p.show(p.pick(
            f"nn.Linear({d}, {k})(x)", f"nn.Linear({d}, {k}, bias=False)(x)", f"nn.Linear({d}, {k}).weight", f"nn.LayerNorm({d})(x)", f"nn.Sequential(nn.Linear({d}, {k}), nn.ReLU(), nn.Linear({k}, 2))(x)",
            f"nn.Sequential(nn.Linear({d}, {k}), nn.GELU())(x).detach()", f"nn.Embedding({k + 2}, {d})(torch.tensor([0, {k}]))", "nn.Softmax(dim=-1)(x)", "nn.Flatten(0)(x)", "nn.Dropout(0.5).eval()(x)", f"nn.Linear({d}, {k}).double()(x.double())",
            f"nn.Linear({d}, {d})(x) + x", f"torch.softmax(nn.Linear({d}, {k})(x), dim=-1)", f"F.linear(x, nn.Linear({d}, {k}).weight)", f"nn.Linear({d}, {k})(x).shape", "nn.Identity()(x)", f"nn.Bilinear({d}, {d}, 2)(x, x)",
            f"nn.ModuleList([nn.Linear({d}, {d}) for _ in range(2)])[1](x)", f"nn.Linear({d}, {k})(x).sum().item()", f"nn.init.xavier_normal_(nn.Linear({d}, {k}).weight)", "nn.Tanh()(x)", f"nn.LayerNorm({d}, bias=False)(x)"))


def attention(p):
    """Scaled dot-product attention, masks of every kind, nn.MultiheadAttention."""
    rng = p.rng
    b, h, t, d, s = rng.randint(1, 2), rng.randint(1, 2), rng.randint(1, 4), rng.randint(1, 4), rng.randint(1, 4)
    lead = p.pick("", f"{b}, ", f"{b}, {h}, ")
    p.add(f"torch.manual_seed({rng.randint(0, 999)})")
    if p.chance(0.6):
        p.add(f"q, k, v = torch.randn({lead}{t}, {d}), torch.randn({lead}{s}, {d}), torch.randn({lead}{s}, {rng.randint(1, 3)})")
        mask = p.pick(f"torch.ones({t}, {s}).tril().bool()", f"torch.zeros({t}, {s}).masked_fill(torch.ones({t}, {s}).triu(1).bool(), float('-inf'))", f"torch.rand({t}, {s})", f"torch.ones({s}).bool()")
        p.add(f"mask = {mask}")
        for expression in rng.sample([
            "F.scaled_dot_product_attention(q, k, v)", "F.scaled_dot_product_attention(q, k, v, is_causal=True)", "F.scaled_dot_product_attention(q, k, v, attn_mask=mask)", f"F.scaled_dot_product_attention(q, k, v, scale={p.hole_p()})",
            "torch.softmax(q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5, dim=-1)", "torch.softmax(q @ k.transpose(-2, -1), dim=-1) @ v", "(q @ k.mT).masked_fill(torch.ones(q.shape[-2], k.shape[-2]).triu(1).bool(), -torch.inf).softmax(-1)",
            "torch.allclose(F.scaled_dot_product_attention(q, k, v), (q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v, atol=1e-6)", "F.scaled_dot_product_attention(q, k, v, mask, 0.0).shape", "F.scaled_dot_product_attention(q, v, k)",
            "torch.einsum('...qd,...kd->...qk', q, k)", "F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=True)",
        ], 3):
            p.show(expression)
        return
    width, batch_first = h * d, p.chance(0.6)
    p.add(f"mha = nn.MultiheadAttention({width}, {h}, bias={p.chance(0.7)}, batch_first={batch_first}).eval()")
    shape = f"{t}, {width}" if p.chance(0.25) else f"{b}, {t}, {width}" if batch_first else f"{t}, {b}, {width}"
    p.add(f"x = torch.randn({shape})")
    p.add(f"mask = torch.ones({t}, {t}).triu(1).bool()")
    p.add("torch.set_grad_enabled(False)")
    for expression in rng.sample([
        "mha(x, x, x)", "mha(x, x, x)[1]", "mha(x, x, x, need_weights=False)", "mha(x, x, x, attn_mask=mask)", "mha(x, x, x, attn_mask=mask, average_attn_weights=False)[1]", "mha", "[(n, tuple(t.shape)) for n, t in mha.named_parameters()]",
        "mha(x, x, x, attn_mask=mask, is_causal=True, need_weights=False)[0]", "mha.in_proj_weight", "mha.out_proj.bias", "mha(x, x, x, attn_mask=torch.zeros(mask.shape).masked_fill(mask, -torch.inf))[0]",
        f"mha(x, x, x, key_padding_mask=torch.tensor([[False] + [True] * {t - 1}] * {b}))[1]" if len(shape.split(",")) == 3 else "mha(x, x, x)[0].shape",
    ], 3):
        p.show(expression)
    p.add("torch.set_grad_enabled(True)")


def formats(p):
    """f-strings and format specs over numbers and 0-d tensors."""
    value = p.pick(str(p.rng.randint(-10**6, 10**6) / 128), str(p.rng.randint(-999, 999)), repr(p.rng.gauss(0, 1)), "float('inf')", "1e-7", "123456789.125", "True", "0.0")
    p.add(f"x = torch.tensor({value})")
    p.add(f"v = {value}")
    for _ in range(5):
        spec = p.pick("", "<", ">", "^", "*^", "0") + p.pick("", "8", "12") + p.pick("", ",", "") + p.pick("", ".0", ".1", ".3", ".6") + p.pick("", "f", "e", "g", "d", "%", "x")
        p.show(f'f"{{{p.pick("x", "v", "x.item()", "float(v)")}:{spec}}}|"')
    p.show('"%6.2f|%s|%r" % (x, v, v)')
    p.show('f"{x} {x!r} {v!r:>10}", round(float(v), 2), str(float(x))')


def data(p):
    """Datasets and loaders that keep their order."""
    n, size = p.rng.randint(1, 7), p.rng.randint(1, 4)
    p.add("from torch.utils.data import DataLoader, TensorDataset")
    items = p.pick(f"list(range({n}))", f"[(torch.ones(2) * i, i) for i in range({n})]", f"TensorDataset(torch.arange({2 * n}).view({n}, 2), torch.arange({n}.))", f"[{{'a': i, 'b': [i, 0.5]}} for i in range({n})]", f"[(i, str(i), 1.5 * i) for i in range({n})]")
    p.add(f"data = {items}")
    p.add(f"loader = DataLoader(data, batch_size={size}, drop_last={p.chance(0.3)})")
    p.show("len(loader), len(data)")
    p.show("[batch for batch in loader]")
    p.show("next(iter(loader))")
    if p.chance(0.5):
        p.add(f"torch.manual_seed({p.rng.randint(0, 99)})")
        p.show(f"list(DataLoader(data, batch_size={size}, shuffle=True))")
        p.show("torch.rand(1)")


MODULE_FAMILIES = {"reprs": reprs, "classes": classes, "layers": layers, "attention": attention, "formats": formats, "data": data}
