"""Records what a real PyTorch prints for programs about torch.nn, its data loading and what stands around it.

Usage: python make_nn.py > nn.json
"""
import contextlib, io, json, sys, textwrap, warnings

import torch

PROGRAMS = {}


def program(family, name, text):
    PROGRAMS[family, name] = textwrap.dedent(text).lstrip("\n")


program("module", "registration-errors", """
    import torch, torch.nn as nn
    m = nn.Module()
    m.w = nn.Parameter(torch.ones(1))
    m.register_buffer("b", torch.ones(2))
    m.child = nn.Identity()
    tries = ["m.w = torch.ones(1)", "m.w = 3", "m.child = 5", "m.b = 'text'", "m.b = None", "m.b = torch.zeros(3)",
        "m.register_buffer('w', torch.ones(1))", "m.register_buffer('a.b', torch.ones(1))", "m.register_buffer('', None)",
        "m.register_buffer(3, None)", "m.register_buffer('z', 3)", "m.register_parameter('q', torch.ones(1))",
        "m.register_parameter('', None)", "m.register_parameter('q.r', None)", "m.register_parameter('child', None)",
        "m.register_parameter('q', nn.Parameter(torch.ones(1)))", "m.add_module('x', 3)", "m.add_module('w', nn.Identity())",
        "m.add_module('a.b', nn.Identity())", "m.add_module('', nn.Identity())", "m.add_module(3, nn.Identity())",
        "m.get_submodule('zz')", "m.get_submodule('w')", "m.get_parameter('zz')", "m.get_parameter('b')",
        "m.to(torch.int64)", "m.train(3)", "m(1)", "m.nothing", "del m.nothing", "nn.Parameter([1, 2])",
        "nn.Module(3)", "nn.Module(a=3)", "nn.Parameter(torch.ones(2, dtype=torch.int64))", "m.load_state_dict([1])",
        "m.w = m.w * 2", "m.register_parameter('r', m.w)"]
    for text in tries:
        try:
            exec(text)
            print("fine:", text)
        except Exception as e:
            print(text, "->", type(e).__name__, e)
    print(list(m.named_parameters()), list(m.named_buffers()), list(m.named_children()))
    """)
program("module", "assignment-moves-between-kinds", """
    import torch, torch.nn as nn
    m = nn.Module()
    m.x = 3
    m.x = nn.Parameter(torch.ones(2))
    print("x" in m.__dict__, [n for n, _ in m.named_parameters()])
    m.x = nn.Linear(1, 1, bias=False) if False else None
    print(m.x, list(m.parameters()), m._parameters)
    m.x = nn.Parameter(torch.zeros(1))
    m.y = nn.ReLU()
    m.y = nn.Parameter(torch.ones(1))
    print(list(m.named_children()), [n for n, _ in m.named_parameters()])
    m.z = torch.ones(2)
    print(m.z, "z" in m.__dict__, list(m.buffers()))
    m.register_buffer("mask", torch.tril(torch.ones(2, 2)))
    m.mask = m.mask.bool()
    print(m.mask, m.state_dict()["mask"].dtype)
    del m.mask, m.x
    print(hasattr(m, "mask"), hasattr(m, "x"), sorted(k for k in m.__dict__ if not k.startswith("_")))
    """)
program("module", "buffers-persistent-or-not", """
    import torch, torch.nn as nn
    class A(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("kept", torch.arange(3))
            self.register_buffer("left_out", torch.zeros(2), persistent=False)
            self.register_buffer("none", None)
    a = A()
    print(a, a.state_dict(), [n for n, _ in a.named_buffers()], a.none)
    a.double()
    print(a.kept.dtype, a.left_out.dtype)
    a.left_out = torch.zeros(4)
    print(list(a.state_dict()), a.left_out)
    """)
program("module", "names-of-everything", """
    import torch, torch.nn as nn
    class Inner(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(2, 2)
            self.register_buffer("count", torch.tensor(0))
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = Inner()
            self.b = self.a
            self.own = nn.Parameter(torch.ones(1))
            self.blocks = nn.ModuleList([Inner(), nn.Sequential(nn.ReLU(), Inner())])
    net = Outer()
    print([n for n, _ in net.named_parameters()])
    print([n for n, _ in net.named_parameters(recurse=False)], [n for n, _ in net.named_parameters(prefix="p")][:2])
    print([n for n, _ in net.named_parameters(remove_duplicate=False)])
    print([n for n, _ in net.named_buffers()], [n for n, _ in net.named_modules()])
    print([n for n, _ in net.named_modules(remove_duplicate=False)])
    print([type(m).__name__ for m in net.modules()], [n for n, _ in net.named_children()], len(list(net.children())))
    print(list(net.state_dict().keys()), len(net.state_dict()))
    print(net.get_submodule("blocks.1.1.lin"), net.get_parameter("blocks.0.lin.bias").shape)
    net.blocks[0] = nn.Identity()
    print(net)
    """)
program("module", "state-dict-printed", """
    import torch, torch.nn as nn
    net = nn.Sequential(nn.Linear(2, 1), nn.LayerNorm(1))
    for p in net.parameters():
        nn.init.constant_(p, 0.5)
    print(net.state_dict())
    print(net.state_dict().keys(), net.state_dict().values())
    print(net.state_dict().items())
    print(type(net.state_dict()), net.state_dict(prefix="x.").keys(), net.state_dict(keep_vars=True)["0.bias"])
    s = net.state_dict()
    s["0.weight"].fill_(7)
    print(net[0].weight)
    print(net.load_state_dict({k: v + 1 for k, v in s.items()}), net[0].weight)
    for bad, kw in (({}, {}), ({"0.weight": torch.ones(3, 3), "0.bias": 3, "1.weight": torch.ones(1), "1.bias": torch.ones(1), "2.w": torch.ones(1)}, {}), ({"0.weight": torch.ones(1, 2)}, {"strict": False})):
        try:
            print(net.load_state_dict(bad, **kw))
        except RuntimeError as e:
            print(e)
    p = nn.Parameter(torch.ones(1, 2))
    print(net.load_state_dict({**s, "0.weight": p}, assign=True), net[0].weight is p)
    """)
program("module", "hooks-of-all-kinds", """
    import torch, torch.nn as nn
    lin = nn.Linear(2, 2, bias=False)
    lin.weight.data.copy_(torch.eye(2))
    x = torch.ones(1, 2)
    log = []
    a = lin.register_forward_hook(lambda m, i, o: log.append(("a", len(i), tuple(o.shape))))
    b = lin.register_forward_hook(lambda m, i, o: o * 2, prepend=True)
    c = lin.register_forward_pre_hook(lambda m, i: i[0] + 1)
    d = lin.register_forward_pre_hook(lambda m, i, k: ((i[0] * 10,), k), with_kwargs=True)
    e = lin.register_forward_hook(lambda m, i, k, o: o + len(k), with_kwargs=True)
    print(lin(x), log)
    for h in (a, b, c, d, e):
        h.remove()
    print(lin(x), log, len(lin._forward_hooks))
    with lin.register_forward_hook(lambda m, i, o: -o):
        print(lin(x))
    print(lin(x))
    try:
        lin.register_forward_pre_hook(lambda m, i, k: 3, with_kwargs=True)
        lin(x)
    except RuntimeError as err:
        print(err)
    """)
program("module", "forward-replaced-and-counted", """
    import torch, torch.nn as nn
    class Net(nn.Module):
        kinds = 0
        def __init__(self, *, size: int = 2) -> None:
            super().__init__()
            self.size = size
            self.layers = [nn.Linear(size, size)]
            Net.kinds += 1
        @property
        def width(self):
            return self.size * 2
        @staticmethod
        def double(x):
            return x * 2
        @classmethod
        def small(cls):
            return cls(size=1)
        def forward(self, x, *rest, flag=False, **more):
            return self.double(x) if flag else x + len(rest) + len(more)
    net = Net()
    print(net.width, Net.small().size, Net.kinds, net(torch.ones(1), 1, 2, a=3), net(torch.ones(1), flag=True))
    print(net, list(net.parameters()), isinstance(net, nn.Module), issubclass(Net, nn.Module), Net.__mro__[1].__name__)
    net.forward = lambda x: x - 1
    print(net(torch.ones(1)), callable(net), hash(net) == hash(net), net == net)
    class Broken(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin = nn.Linear(2, 2)
        @property
        def wrong(self):
            return self.missing
    try:
        Broken().wrong
    except AttributeError as e:
        print(e)
    try:
        Broken()(torch.ones(2))
    except NotImplementedError as e:
        print(e)
    try:
        Broken().lin(1, 2, 3)
    except TypeError as e:
        print("TypeError")
    """)
program("module", "copies-and-types", """
    import torch, torch.nn as nn, copy
    torch.manual_seed(1)
    a = nn.Sequential(nn.Linear(2, 2), nn.Dropout(0.1))
    a[0].note = [1, 2]
    b = copy.deepcopy(a)
    c = copy.copy(a)
    b[0].note.append(3)
    with torch.no_grad():
        a[0].weight.zero_()
    print(a[0].note, b[0].note, a[0].weight, b[0].weight, c[0] is a[0], b[0].weight.requires_grad, type(b[0].weight))
    print(type(a), type(a[0]), type(a[0].weight), nn.Linear, nn.Module, a.__class__.__name__, nn.MultiheadAttention)
    p = nn.Parameter(torch.ones(2, 2))
    print(p.data, p.detach(), p.clone(), p.T, p[0], p + 1, p.sum(), p.data.requires_grad, p.is_leaf, (p * 1).is_leaf)
    p.data.mul_(3)
    p.data = torch.zeros(3)
    print(p, p.requires_grad, isinstance(p, torch.Tensor), isinstance(p, nn.Parameter), isinstance(p.data, nn.Parameter))
    q = nn.Parameter(p, requires_grad=False)
    print(q, q.requires_grad_().requires_grad, nn.Parameter(torch.ones(1)).half(), nn.Parameter())
    """)
program("module", "training-flags-and-freezing", """
    import torch, torch.nn as nn
    net = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.Dropout(0.5), nn.Linear(3, 1)))
    print(net.training, net[1].eval()[0].training, net.training, net.train(False)[0].training, net.train().training)
    net[0].requires_grad_(False)
    print([p.requires_grad for p in net.parameters()], sum(p.numel() for p in net.parameters() if p.requires_grad))
    for name, p in net.named_parameters():
        p.requires_grad = "1.1" in name
    print([(n, p.requires_grad) for n, p in net.named_parameters()])
    net.zero_grad()
    print([p.grad for p in net.parameters()])
    print(net.apply(lambda m: setattr(m, "seen", type(m).__name__))[1][0].seen, net.half()[0].weight.dtype, net.bfloat16()[0].bias.dtype, net.float()[0].bias.dtype)
    print(net.to("cpu") is net, net.to(torch.device("cpu"), torch.float64)[0].weight.dtype, net.to(dtype=torch.float32)[0].weight.dtype, net.type(torch.float64)[0].weight.dtype)
    print(next(net.parameters()).device, len(list(net.modules())))
    """)
program("containers", "sequential", """
    import torch, torch.nn as nn
    from collections import OrderedDict
    s = nn.Sequential(OrderedDict([("first", nn.Linear(2, 3)), ("second", nn.ReLU())]))
    print(s, s.first, s[1], s[-1], len(s), s[0:1], [n for n, _ in s.named_children()])
    s = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
    s[1] = nn.Tanh()
    del s[0]
    print(s, s.append(nn.Sigmoid()) is s, s.extend(nn.Sequential(nn.GELU())) is s)
    print(s, s.pop(1), s, nn.Tanh() in list(s))
    for text in ("s[10]", "s[-10]", "s['a']", "nn.Sequential(3)", "nn.Sequential([nn.ReLU()])", "s(1, 2)"):
        try:
            eval(text)
            print("fine", text)
        except Exception as e:
            print(text, type(e).__name__, e)
    """)
program("containers", "lists-and-dicts", """
    import torch, torch.nn as nn
    l = nn.ModuleList(nn.Linear(i + 1, 1) for i in range(3))
    print(l, l[1:], l[-1], len(l), l + [nn.ReLU()], l.pop(0), len(l))
    l[0] = nn.ReLU()
    l += [nn.Tanh()]
    l.insert(1, nn.Identity())
    print(l, [type(m).__name__ for m in l], "0" in dir(l))
    del l[1:]
    print(l)
    for text in ("l[5]", "l(1)", "l.extend(3)", "nn.ModuleList([1])", "l['0']"):
        try:
            eval(text)
            print("fine", text)
        except Exception as e:
            print(text, type(e).__name__, e)
    d = nn.ModuleDict([("a", nn.ReLU()), ("b", nn.Linear(1, 1))])
    d.update({"c": nn.Tanh()})
    print(d, list(d), d.keys(), [type(v).__name__ for v in d.values()], "a" in d, len(d), d.pop("a"), dict(d.items()))
    d.clear()
    print(d, len(d))
    """)
program("containers", "parameter-lists", """
    import torch, torch.nn as nn
    p = nn.ParameterList([torch.ones(2, 3), nn.Parameter(torch.zeros(1)), nn.Parameter(torch.tensor(1.))])
    print(p, [n for n, _ in p.named_parameters()], p[0].shape, p[-1], len(p), p[0:2])
    p.append(torch.ones(1))
    p[1] = torch.ones(4)
    print(len(p), p[1], [tuple(x.shape) for x in p])
    class M(nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = nn.ParameterList([nn.Parameter(torch.ones(1, 1)) for _ in range(2)])
    print(M(), list(M().state_dict()))
    """)
program("layers", "repr-of-activations", """
    import torch.nn as nn
    for m in (nn.ReLU(), nn.ReLU(inplace=True), nn.LeakyReLU(), nn.LeakyReLU(0.2, True), nn.ELU(), nn.GELU(), nn.GELU("tanh"),
              nn.SiLU(), nn.Sigmoid(), nn.Tanh(), nn.Softplus(),
              nn.GLU(), nn.Softmax(), nn.Softmax(dim=-1), nn.LogSoftmax(1)):
        print(m)
    """)
program("layers", "repr-of-the-rest", """
    import torch, torch.nn as nn
    for m in (nn.Identity(3), nn.Embedding(5, 2, padding_idx=-1), nn.Embedding(5, 2, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True, sparse=True),
              nn.Dropout(), nn.Dropout(0.25, True), nn.Dropout2d(), nn.LayerNorm(4), nn.LayerNorm([2, 3], 1e-6), nn.LayerNorm(torch.Size([3]), bias=False),
              nn.LayerNorm(4, elementwise_affine=False), nn.RMSNorm(4), nn.RMSNorm((2, 3), eps=1e-5), nn.GroupNorm(2, 4), nn.BatchNorm1d(3), nn.BatchNorm2d(3, momentum=None, affine=False), nn.Flatten(), nn.Flatten(0, 1),
              nn.CrossEntropyLoss(), nn.MSELoss(reduction="sum"), nn.NLLLoss(), nn.BCELoss(), nn.BCEWithLogitsLoss(), nn.KLDivLoss(reduction="batchmean"),
              nn.L1Loss(), nn.SmoothL1Loss(), nn.RNN(2, 3), nn.RNN(2, 3, nonlinearity="relu", bias=False), nn.LSTM(2, 3, num_layers=2, batch_first=True, dropout=0.1), nn.GRU(2, 3, bidirectional=True),
              nn.LSTMCell(2, 3), nn.GRUCell(2, 3, bias=False), nn.MultiheadAttention(4, 2), nn.MultiheadAttention(4, 2, bias=False, kdim=3)):
        print(m, [(n, tuple(p.shape)) for n, p in m.named_parameters()], [n for n, _ in m.named_buffers()])
    """)
program("layers", "constructor-errors", """
    import torch, torch.nn as nn
    for text in ("nn.Dropout(1.5)", "nn.Dropout(-0.1)", "nn.MultiheadAttention(5, 2)", "nn.MultiheadAttention(0, 2)", "nn.Embedding(3, 2, padding_idx=3)", "nn.Embedding(3, 2, padding_idx=-4)",
                 "nn.GroupNorm(3, 4)", "nn.LSTM(2, 0)", "nn.RNN(2, 3, nonlinearity='x')", "nn.Embedding.from_pretrained(torch.ones(3))", "nn.TransformerEncoderLayer(4, 2, activation='x')",
                 "nn.Linear(2)", "nn.Linear(2, 3, foo=1)", "nn.BatchNorm1d(2)(torch.ones(2))", "nn.LayerNorm(3)(torch.ones(2, 4))", "nn.Embedding(3, 2)(torch.tensor([3]))"):
        try:
            print(eval(text))
        except Exception as e:
            print(text, type(e).__name__, e)
    """)
for seed in (0, 123, 789):
    program("init", f"starting-values-{seed}", f"""
        import torch, torch.nn as nn
        torch.manual_seed({seed})
        print(nn.Linear(3, 2).state_dict(), nn.Linear(5, 1, bias=False).weight, nn.Linear(4, 2, dtype=torch.float64).weight)
        print(nn.Embedding(3, 4).weight, nn.Embedding(5, 4, padding_idx=1).weight, nn.LayerNorm(2).weight)
        print(nn.MultiheadAttention(4, 2).in_proj_weight, torch.rand(2))
        m = nn.MultiheadAttention(2, 1, kdim=3, vdim=1)
        print(m.state_dict(), torch.rand(1))
        print(nn.LSTM(2, 2).weight_hh_l0, nn.GRUCell(1, 1).bias_hh, nn.BatchNorm1d(2).weight, torch.rand(1))
        """)
program("init", "functions", """
    import torch, torch.nn as nn
    from torch.nn import init
    torch.manual_seed(42)
    w = torch.empty(3, 5)
    for f in (init.uniform_, init.normal_, init.zeros_, init.ones_, init.xavier_uniform_, init.xavier_normal_, init.kaiming_uniform_, init.kaiming_normal_, init.trunc_normal_):
        print(f.__name__, f(w))
    print(init.uniform_(w, -2, 3), init.normal_(w, mean=1.0, std=0.1), init.constant_(w, 0.3), init.xavier_uniform_(w, gain=2.0), init.xavier_normal_(w, gain=0.5))
    print(init.kaiming_uniform_(w, a=0.2, mode="fan_out"), init.kaiming_normal_(w, mode="fan_out", nonlinearity="relu"), init.kaiming_uniform_(w, nonlinearity="tanh"), init.trunc_normal_(w, std=0.02), init.trunc_normal_(w, 0.5, 0.5, 0.0, 1.0))
    print([init.calculate_gain(n) for n in ("linear", "conv1d", "sigmoid", "tanh", "relu", "leaky_relu", "selu")], init.calculate_gain("leaky_relu", 0.2))
    print(init._calculate_fan_in_and_fan_out(torch.empty(4, 3)), init._calculate_fan_in_and_fan_out(torch.empty(4, 3, 2, 2)))
    for text in ("init.xavier_uniform_(torch.empty(3))", "init.kaiming_uniform_(w, mode='x')", "init.calculate_gain('x')", "init.calculate_gain('leaky_relu', 'x')"):
        try:
            print(eval(text))
        except Exception as e:
            print(text, type(e).__name__, e)
    p = nn.Parameter(torch.empty(2, 2))
    print(init.xavier_uniform_(p), p.grad_fn, init.normal_(p) is p, torch.rand(1))
    """)
program("init", "orthogonal", """
    import torch
    from torch.nn import init
    torch.manual_seed(4)
    for shape in ((3, 3), (2, 4), (4, 2)):
        w = init.orthogonal_(torch.empty(shape), gain=2.0)
        print(w)
    """)
program("init", "applied-by-type", """
    import torch, torch.nn as nn
    torch.manual_seed(7)
    def start(m):
        if isinstance(m, nn.Linear):
            torch.nn.init.normal_(m.weight, mean=0.0, std=0.02)
            if m.bias is not None:
                torch.nn.init.zeros_(m.bias)
        elif isinstance(m, nn.Embedding):
            torch.nn.init.normal_(m.weight, mean=0.0, std=0.02)
    class Tiny(nn.Module):
        def __init__(self, vocab, d, heads):
            super().__init__()
            self.tok = nn.Embedding(vocab, d)
            self.pos = nn.Embedding(8, d)
            self.blocks = nn.Sequential(*[nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d), nn.Dropout(0.1)) for _ in range(2)])
            self.norm = nn.LayerNorm(d)
            self.head = nn.Linear(d, vocab, bias=False)
            self.head.weight = self.tok.weight
            self.apply(start)
        def forward(self, ids):
            x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))
            return self.head(self.norm(self.blocks(x)))
    net = Tiny(5, 4, 2).eval()
    print(net, sum(p.numel() for p in net.parameters()), len(list(net.parameters())), list(net.state_dict())[:4])
    print(net(torch.tensor([[0, 1, 2]])))
    """)
program("attention", "mha-forms", """
    import torch, torch.nn as nn
    torch.manual_seed(0)
    x = torch.randn(3, 2, 4)
    m = nn.MultiheadAttention(4, 2)
    out, w = m(x, x, x)
    print(m, out, w)
    out, w = m(x, x, x, average_attn_weights=False)
    print(out.shape, w)
    print(m(x, x, x, need_weights=False))
    print(m(x, x[:2], x[:2])[1], m(x[:1], x, x + 1)[0])
    m = nn.MultiheadAttention(4, 2, batch_first=True, bias=False, dropout=0.0)
    out, w = m(x, x, x)
    print(m, out, w.shape, m(x[0], x[0], x[0]))
    m = nn.MultiheadAttention(4, 2, kdim=3, vdim=5)
    out, w = m(x, torch.randn(2, 2, 3), torch.randn(2, 2, 5))
    print(out, w)
    """)
program("attention", "mha-masks", """
    import torch, torch.nn as nn
    torch.manual_seed(2)
    x = torch.randn(2, 4, 4)
    m = nn.MultiheadAttention(4, 2, batch_first=True)
    causal = torch.triu(torch.ones(4, 4), diagonal=1).bool()
    pad = torch.tensor([[False, False, False, True], [False, False, True, True]])
    print(m(x, x, x, attn_mask=causal))
    print(m(x, x, x, attn_mask=causal, is_causal=True, need_weights=False)[0])
    print(m(x, x, x, key_padding_mask=pad)[1], m(x, x, x, key_padding_mask=pad, attn_mask=causal)[1])
    print(m(x, x, x, attn_mask=torch.zeros(4, 4).masked_fill(causal, float("-inf")))[1])
    print(m(x, x, x, attn_mask=causal.expand(4, 4, 4), average_attn_weights=False)[1].shape)
    for kw in ({"attn_mask": causal[:2]}, {"is_causal": True}, {"key_padding_mask": pad[:, :2]}, {"attn_mask": torch.ones(4, 4, dtype=torch.int64)}, {"attn_mask": torch.ones(4).bool()}):
        try:
            print(m(x, x, x, **kw)[0].shape)
        except (RuntimeError, AssertionError) as e:
            print(type(e).__name__, e)
    for q, k in ((torch.ones(2), x), (x, x[0]), (x[..., :3], x), (x, x[:, :, :3])):
        try:
            print(m(q, k, k)[0].shape)
        except (RuntimeError, AssertionError) as e:
            print(type(e).__name__, e)
    m.eval()
    with torch.no_grad():
        print(m(x, x, x)[0], m(x, x, x, attn_mask=causal)[1], m(x, x, x, key_padding_mask=pad)[0])
    """)
program("attention", "mha-equals-hand-written", """
    import torch, torch.nn as nn
    torch.manual_seed(123)
    inputs = torch.rand(6, 3)
    batch = torch.stack((inputs, inputs), dim=0)
    m = nn.MultiheadAttention(3, 1, batch_first=True, bias=False)
    out, w = m(batch, batch, batch)
    q, k, v = (batch @ m.in_proj_weight.T).chunk(3, -1)
    hand = torch.softmax(q @ k.transpose(1, 2) / 3 ** 0.5, -1) @ v @ m.out_proj.weight.T
    print(torch.allclose(out, hand, atol=1e-6), out[0], w[0], sum(p.numel() for p in m.parameters()))
    print({n: tuple(p.shape) for n, p in m.named_parameters()}, m.state_dict().keys(), m.head_dim, m.batch_first, m._qkv_same_embed_dim)
    """)
program("transformer", "encoder", """
    import torch, torch.nn as nn
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(d_model=4, nhead=2, dim_feedforward=8, dropout=0.0, batch_first=True)
    x = torch.randn(2, 3, 4)
    print(layer, layer(x))
    enc = nn.TransformerEncoder(layer, num_layers=2, norm=nn.LayerNorm(4))
    print(enc, enc(x), enc(x, mask=nn.Transformer.generate_square_subsequent_mask(3)), sum(p.numel() for p in enc.parameters()))
    pre = nn.TransformerEncoderLayer(4, 2, 8, 0.0, activation="gelu", norm_first=True, bias=False, batch_first=True)
    print(pre(x), pre(x, src_key_padding_mask=torch.tensor([[False, False, True], [False, True, True]])))
    enc.eval()
    with torch.no_grad():
        print(enc(x))
    """)
program("transformer", "decoder-and-whole", """
    import torch, torch.nn as nn
    torch.manual_seed(5)
    layer = nn.TransformerDecoderLayer(4, 2, dim_feedforward=6, dropout=0.0, batch_first=True)
    tgt, memory = torch.randn(1, 3, 4), torch.randn(1, 2, 4)
    print(layer, layer(tgt, memory))
    dec = nn.TransformerDecoder(layer, 2)
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    print(mask, dec(tgt, memory, tgt_mask=mask))
    net = nn.Transformer(4, 2, 1, 1, 8, 0.0, batch_first=True)
    print(net, net(torch.randn(1, 2, 4), tgt), net(memory, tgt, tgt_mask=mask).shape)
    """)
program("layers", "recurrent-forward", """
    import torch, torch.nn as nn
    torch.manual_seed(2)
    x = torch.randn(4, 2, 3)
    for m in (nn.RNN(3, 2), nn.RNN(3, 2, nonlinearity="relu", batch_first=True), nn.GRU(3, 2, num_layers=2), nn.LSTM(3, 2, bidirectional=True), nn.LSTM(3, 2, bias=False)):
        with torch.no_grad():
            out, state = m(x)
        print(m, out, state)
    with torch.no_grad():
        print(nn.LSTM(3, 1)(x[:, 0]), nn.GRUCell(3, 2)(x[0]), nn.LSTMCell(3, 2)(x[0]))
    """)
program("layers", "convolutions", """
    import torch, torch.nn as nn
    torch.manual_seed(0)
    for m, shape in ((nn.Conv1d(2, 4, 3), (2, 2, 7)), (nn.Conv1d(2, 4, 3, padding=1, stride=2, dilation=2, groups=2, bias=False), (2, 2, 9)), (nn.Conv2d(3, 2, 2, stride=2), (1, 3, 4, 6)), (nn.Conv2d(3, 2, (3, 1), padding="same"), (3, 4, 6))):
        print(m, m(torch.randn(shape)).detach(), m.weight.shape)
    """)
program("layers", "batchnorm", """
    import torch, torch.nn as nn
    x = torch.tensor([[1., 2., 3.], [2., 4., 8.], [0., 1., 5.]])
    m = nn.BatchNorm1d(3)
    print(m, m(x).detach(), m.running_mean, m.running_var, m.num_batches_tracked, m.state_dict().keys())
    m.eval()
    print(m(x).detach(), nn.BatchNorm1d(3, affine=False, track_running_stats=False)(x))
    """)
program("layers", "activation-values", """
    import torch, torch.nn as nn
    x = torch.tensor([-2.0, -1.0, -0.5, 0.0, 0.25, 1.0, 4.0])
    for m in (nn.ReLU(), nn.LeakyReLU(0.1), nn.ELU(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Sigmoid(), nn.Tanh(),
              nn.Softplus(), nn.Softplus(2, 1), nn.Softmax(0), nn.LogSoftmax(-1)):
        print(type(m).__name__, m(x))
    print(nn.GLU()(x[:6]), nn.Flatten()(torch.ones(2, 3, 4)).shape, nn.Identity(9)(x) is x)
    y = torch.tensor([-1.0, 1.0])
    print(nn.ReLU(inplace=True)(y) is y, y)
    """)
program("layers", "losses", """
    import torch, torch.nn as nn
    torch.manual_seed(0)
    x, y = torch.randn(3, 4), torch.tensor([1, 0, 3])
    for red in ("mean", "sum", "none"):
        print(nn.CrossEntropyLoss(reduction=red)(x, y), nn.NLLLoss(reduction=red)(x.log_softmax(1), y), nn.MSELoss(reduction=red)(x, x * 2), nn.L1Loss(reduction=red)(x, x * 2), nn.SmoothL1Loss(reduction=red)(x, x * 3))
        print(nn.BCELoss(reduction=red)(x.sigmoid(), (x > 0).float()), nn.BCEWithLogitsLoss(reduction=red)(x, (x > 0).float()), nn.KLDivLoss(reduction=red)(x.log_softmax(1), x.softmax(1)))
    w = torch.tensor([1., 2., 3., 4.])
    print(nn.CrossEntropyLoss(weight=w)(x, y), nn.CrossEntropyLoss(weight=w), list(nn.CrossEntropyLoss(weight=w).state_dict()), nn.CrossEntropyLoss(ignore_index=0, label_smoothing=0.1)(x, y))
        """)
program("data", "loaders-draw-as-pytorch", """
    import torch
    from torch.utils.data import *
    torch.manual_seed(123)
    ds = TensorDataset(torch.arange(7), torch.arange(7.) * 2)
    for epoch in range(2):
        print([x.tolist() for x, y in DataLoader(ds, batch_size=3, shuffle=True)])
    print(torch.rand(2))
    print([x.tolist() for x, y in DataLoader(ds, batch_size=3, drop_last=True)], torch.rand(1))
    loader = DataLoader(ds, batch_size=2, shuffle=True, generator=torch.Generator().manual_seed(5))
    print([x.tolist() for x, y in loader], [x.tolist() for x, y in loader], len(loader), torch.rand(1))
    print(next(iter(DataLoader(ds, batch_size=4, shuffle=True))), torch.rand(1))
    a, b, c = random_split(ds, [0.5, 0.3, 0.2], generator=torch.Generator().manual_seed(1))
    print(list(a.indices), list(b.indices), list(c.indices), len(a), a[0])
    print(list(RandomSampler(range(4))), list(RandomSampler(range(3), replacement=True, num_samples=5)), list(BatchSampler(SequentialSampler(range(5)), 2, False)))
    for text in ("DataLoader(ds, batch_size=0)", "DataLoader(ds, batch_size=2, shuffle=True, sampler=[1])", "random_split(ds, [3, 3])", "TensorDataset(torch.ones(2), torch.ones(3))", "RandomSampler([])", "DataLoader(ds, num_workers=-1)", "Dataset()[0]"):
        try:
            print(eval(text))
        except Exception as e:
            print(text, type(e).__name__, e)
    """)
program("data", "padded-sequences", """
    import torch
    from torch.nn.utils.rnn import pad_sequence
    from torch.nn.utils import clip_grad_norm_
    rows = [torch.tensor([1, 2, 3]), torch.tensor([4]), torch.tensor([5, 6])]
    print(pad_sequence(rows), pad_sequence(rows, batch_first=True, padding_value=-1), pad_sequence(rows, True, padding_side="left"))
    net = torch.nn.Linear(2, 1)
    for p in net.parameters():
        torch.nn.init.ones_(p)
        p.grad = torch.full_like(p, 3.0)
    print(clip_grad_norm_(net.parameters(), 1.0), net.weight.grad, net.bias.grad)
    """)
program("data", "collating", """
    import torch
    from torch.utils.data import Dataset, DataLoader, IterableDataset, default_collate
    from collections import namedtuple
    P = namedtuple("P", "a b")
    print(default_collate([1, 2]), default_collate([1.5, 2.5]), default_collate([True, False]), default_collate(["a", "b"]), default_collate([(1, "x"), (2, "y")]), default_collate([{"k": 1, "t": torch.ones(2)}] * 2), default_collate([P(1, 2.0)] * 2), default_collate([[1, 2], [3, 4]]))
    class Stream(IterableDataset):
        def __iter__(self):
            return iter(range(5))
    print([b for b in DataLoader(Stream(), batch_size=2)], [b for b in DataLoader(Stream(), batch_size=None)], [b for b in DataLoader([1, 2, 3], batch_size=2, collate_fn=lambda b: b)])
    class Windows(Dataset):
        def __init__(self, ids, size, stride):
            self.rows = [(torch.tensor(ids[i:i + size]), torch.tensor(ids[i + 1:i + size + 1])) for i in range(0, len(ids) - size, stride)]
        def __len__(self):
            return len(self.rows)
        def __getitem__(self, i):
            return self.rows[i]
    for x, y in DataLoader(Windows(list(range(12)), 4, 2), batch_size=2, shuffle=False, drop_last=True, num_workers=0):
        print(x, y)
    for bad in ([1, None], [torch.ones(1), torch.ones(2)], [(1,), (1, 2)]):
        try:
            print(default_collate(bad))
        except Exception as e:
            print(type(e).__name__, str(e)[:90])
    """)
program("torch", "grad-modes", """
    import torch
    w = torch.ones(1, requires_grad=True)
    @torch.no_grad()
    def f(x):
        "what f does"
        return (x * 2).requires_grad
    @torch.no_grad
    def g(x):
        return (x * 2).requires_grad
    @torch.enable_grad()
    def h(x):
        return (x * 2).requires_grad
    @torch.inference_mode()
    def i(x):
        return (x * 2).requires_grad
    @torch.no_grad()
    def steps():
        yield (w * 1).requires_grad
        yield torch.is_grad_enabled()
    print(f(w), g(w), h(w), i(w), f.__name__, f.__doc__, (w * 2).requires_grad, list(steps()), torch.is_grad_enabled())
    with torch.no_grad():
        with torch.enable_grad():
            a = w * 2
        b = w * 2
        print(h(w), f(w))
    with torch.set_grad_enabled(False):
        c = w * 2
    torch.set_grad_enabled(False)
    d = w * 2
    torch.set_grad_enabled(True)
    with torch.autograd.no_grad(), torch.inference_mode(mode=False):
        e = w * 2
    print(a, b, c, d, e, w * 2)
    try:
        with torch.no_grad():
            raise ValueError("inside")
    except ValueError:
        print(torch.is_grad_enabled())
    """)
program("torch", "odds-and-ends", """
    import torch, io, random
    print(torch.finfo(torch.float32), torch.finfo(torch.float64).eps, torch.finfo(torch.float16).max, torch.finfo().min, torch.finfo(torch.bfloat16), torch.iinfo(torch.int32).max, torch.iinfo(torch.uint8))
    print(torch.cuda.is_available(), torch.cuda.device_count(), torch.backends.mps.is_available(), torch.backends.cudnn.deterministic)
    torch.cuda.manual_seed(1); torch.cuda.manual_seed_all(1); torch.backends.cudnn.benchmark = False; torch.use_deterministic_algorithms(False); torch.set_num_threads(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    print(device, torch.ones(1).to(device).device, torch.get_default_dtype(), torch.typename(torch.ones(1)), torch.typename(3), torch.is_tensor([1]))
    print(torch.ones(1).type(), torch.ones(1).long().type(), torch.ones(1).type(torch.int64), torch.ones(1).type("torch.DoubleTensor"), torch.tensor([True]).type())
    print(torch.as_tensor([1, 2]), torch.FloatTensor([1, 2]), torch.LongTensor([3]), torch.Tensor([1.5]), torch.Tensor(2, 3).shape, torch.is_floating_point(torch.ones(1)), torch.numel(torch.ones(2, 2)))
    state = torch.get_rng_state()
    a = torch.rand(2)
    torch.set_rng_state(state)
    print(torch.equal(a, torch.rand(2)), state.shape, state.dtype, torch.random.initial_seed() == torch.initial_seed())
    with torch.random.fork_rng():
        x = torch.rand(1)
    print(torch.equal(x, torch.rand(1)))
    buffer = io.BytesIO()
    torch.save({"w": torch.ones(2), "n": 3}, buffer)
    buffer.seek(0)
    print(torch.load(buffer))
    f = torch.compile(lambda x: x + 1)
    print(f(torch.ones(1)), torch.jit.script(torch.nn.Identity()) is not None, torch.ones(1).new_tensor([1, 2]), torch.ones(2).share_memory_())
    try:
        torch.testing.assert_close(torch.ones(2), torch.tensor([1., 1.5]))
    except AssertionError as e:
        print(e)
    try:
        getattr(torch.ones(2), "backward")()
    except RuntimeError as e:
        print(e)
    print(torch.strided, torch.contiguous_format, torch.ones(1).layout)
    """)
program("torch", "optimizers-without-gradients", """
    import torch, torch.nn as nn
    from torch.optim import lr_scheduler as lrs
    net = nn.Linear(2, 1)
    print(torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9), torch.optim.Adam(net.parameters()), torch.optim.AdamW([{"params": [net.weight]}, {"params": [net.bias], "weight_decay": 0.0}], lr=3e-4))
    opt = torch.optim.AdamW(net.parameters(), lr=0.1)
    opt.zero_grad()
    opt.step()
    print(opt.param_groups[0]["lr"], len(opt.param_groups), opt.state_dict()["param_groups"][0]["params"], opt.defaults["betas"])
    for make in (lambda o: lrs.StepLR(o, 2, 0.5), lambda o: lrs.CosineAnnealingLR(o, 5), lambda o: lrs.LinearLR(o), lambda o: lrs.LambdaLR(o, lambda e: 0.9 ** e), lambda o: lrs.OneCycleLR(o, 1.0, 10),
                 lambda o: lrs.CosineAnnealingWarmRestarts(o, 3), lambda o: lrs.ExponentialLR(o, 0.5), lambda o: lrs.ConstantLR(o), lambda o: lrs.MultiStepLR(o, [2, 4])):
        o = torch.optim.SGD([net.weight], lr=0.1)
        s = make(o)
        rates = []
        for _ in range(7):
            o.step()
            s.step()
            rates.append(round(s.get_last_lr()[0], 6))
        print(type(s).__name__, rates)
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    for make in (lambda: torch.optim.SGD([w], lr=0.1), lambda: torch.optim.SGD([w], lr=0.1, momentum=0.9, nesterov=True, weight_decay=0.1), lambda: torch.optim.Adam([w], lr=0.1), lambda: torch.optim.AdamW([w], lr=0.1, amsgrad=True)):
        o = make()
        for g in (1.0, -0.5):
            w.grad = torch.full((2,), g)
            o.step()
            print(w.detach())
        o.zero_grad()
        print(w.grad)
    for text in ("torch.optim.SGD([], lr=1)", "torch.optim.SGD(w, lr=1)", "torch.optim.SGD([w], lr=-1)", "torch.optim.Adam([w], betas=(1.0, 0.9))", "torch.optim.SGD([w * 2], lr=1)", "torch.optim.SGD([3], lr=1)"):
        try:
            eval(text)
        except Exception as e:
            print(text, type(e).__name__, e)
    """)
program("torch", "linalg", """
    import torch
    a = torch.tensor([[2.0, 1.0], [1.0, 4.0]])
    print(torch.linalg.norm(a), torch.linalg.norm(a, dim=1), torch.linalg.norm(a, ord=1, dim=0), torch.linalg.vector_norm(a), torch.linalg.vector_norm(a, ord=3, dim=-1, keepdim=True), torch.linalg.matrix_norm(a), torch.linalg.matrix_norm(a, ord=1), torch.linalg.norm(a, ord=float("inf")))
    print(torch.linalg.det(a), torch.linalg.inv(a), torch.linalg.solve(a, torch.tensor([1.0, 2.0])))
    q, r = torch.linalg.qr(a)
    print(q, r, torch.allclose(q @ r, a))
    """)
program("python", "classes-over-module", """
    import math
    from dataclasses import dataclass, field
    from typing import Optional, Tuple, List
    import torch, torch.nn as nn, torch.nn.functional as F
    @dataclass
    class Config:
        d: int = 4
        heads: int = 2
        drop: float = 0.0
        extras: List[int] = field(default_factory=list)
    class Causal(nn.Module):
        def __init__(self, cfg: Config, bias: Optional[bool] = False):
            super().__init__()
            assert cfg.d % cfg.heads == 0, "d must be a multiple of heads"
            self.cfg, self.heads, self.size = cfg, cfg.heads, cfg.d // cfg.heads
            self.qkv = nn.Linear(cfg.d, 3 * cfg.d, bias=bias)
            self.out = nn.Linear(cfg.d, cfg.d)
            self.drop = nn.Dropout(cfg.drop)
            self.register_buffer("mask", torch.triu(torch.ones(8, 8), diagonal=1).bool())
        def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
            b, t, d = x.shape
            q, k, v = self.qkv(x).view(b, t, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
            s = q @ k.transpose(-2, -1) / math.sqrt(self.size)
            s.masked_fill_(self.mask[:t, :t], -torch.inf)
            w = self.drop(torch.softmax(s, dim=-1))
            return self.out((w @ v).transpose(1, 2).contiguous().view(b, t, d)), w
    class Block(nn.Module):
        def __init__(self, cfg):
            super().__init__()
            self.norms = nn.ModuleList([nn.LayerNorm(cfg.d) for _ in range(2)])
            self.att = Causal(cfg)
            self.ff = nn.Sequential(nn.Linear(cfg.d, 4 * cfg.d), nn.GELU(), nn.Linear(4 * cfg.d, cfg.d))
        def forward(self, x):
            x = x + self.att(self.norms[0](x))[0]
            return x + self.ff(self.norms[1](x))
    torch.manual_seed(123)
    cfg = Config()
    net = nn.Sequential(*(Block(cfg) for _ in range(2)))
    x = torch.rand(1, 3, cfg.d)
    print(cfg, net, net(x), net[0].att(x)[1], f"{sum(p.numel() for p in net.parameters()):,}")
    print([f"{n}: {tuple(p.shape)}" for n, p in net.named_parameters() if "att" in n], list(net.state_dict())[:3])
    """)

program("python", "idioms-of-notebooks", """
    from __future__ import annotations
    import functools, itertools, math
    from typing import Callable, Dict, Generic, Optional, TypeVar, Union
    import torch
    from torch import Tensor, nn
    from torch.nn import Linear, Module, functional as F
    T = TypeVar("T")
    class Old(nn.Module):
        def __init__(self, n):
            super(Old, self).__init__()
            for i in range(n):
                setattr(self, f"head_{i}", nn.Linear(2, 1, bias=False))
            self.heads = [getattr(self, f"head_{i}") for i in range(n)]
        def forward(self, x: Tensor, mask: Tensor | None = None) -> Dict[str, Tensor]:
            return {f"h{i}": h(x) for i, h in enumerate(self.heads)}
    class Base(nn.Module):
        def __init__(self, *args, **kwargs):
            nn.Module.__init__(self)
            self.args, self.kwargs = args, kwargs
        def extra_repr(self) -> str:
            return ", ".join([*map(str, self.args), *(f"{k}={v}" for k, v in self.kwargs.items())])
    class Child(Base, Generic[T]):
        scale: float = 2.0
        def __init__(self, width: int, act: Optional[Callable] = None):
            super().__init__(width, act=type(act).__name__)
            self.act = act if act is not None else nn.Identity()
            self.out = functools.partial(nn.Linear, bias=False)(width, 1)
        def __len__(self):
            return 3
        def __getitem__(self, i):
            return i * 2
        def forward(self, x):
            if (n := x.shape[-1]) > 1:
                x = self.act(x) * self.scale
            return x, n
    torch.manual_seed(0)
    old, child = Old(2), Child(2, nn.Tanh())
    print(old, child, len(child), child[4], old(torch.ones(1, 2))["h1"].shape, child(torch.ones(1, 2)))
    for (name, p), i in zip(old.named_parameters(), itertools.count()):
        print(i, name, tuple(p.shape), p.numel() * p.element_size(), p.requires_grad, p.dtype, p.device)
    print(f"{sum(p.numel() for p in old.parameters()):>8,} parameters, {math.prod(old.head_0.weight.shape)}", [isinstance(m, (nn.Linear, nn.Tanh)) for m in child.modules()], hasattr(child, "bias"), bool(child), old.__class__.__name__)
    old.head_0.weight.data.fill_(0.5)
    with torch.no_grad():
        old.head_1.weight.copy_(old.head_0.weight)
        old.head_1.weight[0, 1] = 3
        old.head_1.weight.mul_(2).add_(1)
    print(old.head_1.weight, old.state_dict()["head_1.weight"].tolist(), [m for m in reversed(nn.ModuleList([nn.ReLU(), nn.Tanh()]))])
    class Counter(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("seen", torch.zeros(1, dtype=torch.long))
            self.cache = None
            self.k: Optional[Tensor] = None
        def forward(self, x):
            self.seen += x.numel()
            self.cache = x if self.cache is None else torch.cat([self.cache, x])
            self.k = x
            return self.cache.shape
    c = Counter()
    print(c(torch.ones(2)), c(torch.ones(3)), c.seen, c.state_dict(), c.cache is c._buffers.get("cache"), sorted(c.__dict__)[-4:])
    try:
        raise TypeError
    except TypeError:
        pass
    match c.seen.item():
        case 5:
            print("five")
        case _:
            print("other")
    """)
program("python", "stacked-heads", """
    import torch
    import torch.nn as nn
    class Head(nn.Module):
        def __init__(self, d_in, d_out, length, dropout, qkv_bias=False):
            super().__init__()
            self.d_out = d_out
            self.to_q = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.to_k = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.to_v = nn.Linear(d_in, d_out, bias=qkv_bias)
            self.dropout = nn.Dropout(dropout)
            self.register_buffer("mask", torch.triu(torch.ones(length, length), diagonal=1))
        def forward(self, x):
            b, n, d_in = x.shape
            k, q, v = self.to_k(x), self.to_q(x), self.to_v(x)
            scores = q @ k.transpose(1, 2)
            scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
            weights = self.dropout(torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1))
            return weights @ v
    class Wrapper(nn.Module):
        def __init__(self, d_in, d_out, length, dropout, heads):
            super().__init__()
            self.heads = nn.ModuleList([Head(d_in, d_out, length, dropout) for _ in range(heads)])
        def forward(self, x):
            return torch.cat([head(x) for head in self.heads], dim=-1)
    torch.manual_seed(123)
    x = torch.rand(2, 5, 3)
    net = Wrapper(3, 2, 5, 0.0, 2)
    out = net(x)
    print(out, out.shape, net)
    print(net.heads[0].mask, [n for n, _ in net.named_buffers()], sum(p.numel() for p in net.parameters()))
    with torch.no_grad():
        for h in net.heads:
            h.to_q.weight.zero_()
    print(net(x)[0, -1])
    """)


def main():
    torch.set_num_threads(1)
    cases = []
    for (family, name), text in PROGRAMS.items():
        out = io.StringIO()
        torch.manual_seed(0)
        with contextlib.redirect_stdout(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(text, name, "exec"), {"__name__": "__main__"})
        cases.append({"family": family, "name": name, "program": text, "stdout": out.getvalue()})
    doc = {"torch": torch.__version__.split("+")[0], "contract": "exact stdout", "cases": cases}
    json.dump(doc, sys.stdout, indent=0, ensure_ascii=False)


if __name__ == "__main__":
    main()
