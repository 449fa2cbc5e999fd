"""Optimizers beyond Adam and SGD, optimizers of one's own, schedulers."""

# %% optimizer-of-ones-own
class Signs(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, beta=0.9):
        super().__init__(params, dict(lr=lr, beta=beta))
    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["mean"] = torch.zeros_like(p)
                state["step"] += 1
                state["mean"].mul_(group["beta"]).add_(p.grad, alpha=1 - group["beta"])
                p.add_(state["mean"].sign(), alpha=-group["lr"])
        return loss
w = nn.Parameter(torch.tensor([1.0, -2.0]))
o = Signs([w])
def closure():
    o.zero_grad()
    loss = (w ** 2).sum()
    loss.backward()
    return loss
print(o.step(closure), w)
print(o.step(closure), o.state[w], type(o.state).__name__)
s = torch.optim.lr_scheduler.StepLR(o, 1, 0.5)
for _ in range(3):
    o.step(closure)
    s.step()
    print(s.get_last_lr(), w.tolist())
kept = o.state_dict()
print(kept)
other = Signs([nn.Parameter(torch.zeros(2))])
other.load_state_dict(kept)
print(other.state_dict()["state"])

# %% optimizers-that-average
for make in (
    lambda p: torch.optim.RMSprop(p, lr=0.1, weight_decay=0.1),
    lambda p: torch.optim.RMSprop(p, lr=0.1, momentum=0.5, centered=True),
):
    w = nn.Parameter(torch.linspace(-1, 1, 5))
    o = make([w])
    for step in range(12):
        o.zero_grad()
        (w.sin() * torch.arange(5.0)).sum().backward()
        o.step()
    print(type(o).__name__, w.data, sorted(o.state[w]))
    print(o)

# %% schedules-of-all-kinds
L = torch.optim.lr_scheduler
def run(make, steps=9, optimizer=None):
    o = optimizer or torch.optim.SGD([{"params": [nn.Parameter(torch.ones(1))]}, {"params": [nn.Parameter(torch.ones(1))], "lr": 0.5}], lr=0.1, momentum=0.9)
    s = make(o)
    rates = []
    for _ in range(steps):
        rates.append([round(rate, 7) for rate in s.get_last_lr()])
        o.step()
        s.step()
    print(type(s).__name__, rates)
    print({name: value for name, value in s.state_dict().items() if "lambda" not in name})
    return s
run(lambda o: L.StepLR(o, 3, 0.5))
run(lambda o: L.MultiStepLR(o, [2, 5, 5], 0.3))
run(lambda o: L.ExponentialLR(o, 0.9))
run(lambda o: L.ConstantLR(o, 0.25, 4))
run(lambda o: L.LinearLR(o, 0.1, 0.8, 6))
run(lambda o: L.CosineAnnealingLR(o, 5, 0.01), 14)
run(lambda o: L.CosineAnnealingWarmRestarts(o, 3, 2, 0.01), 12)
run(lambda o: L.LambdaLR(o, [lambda e: 0.9 ** e, lambda e: 1 / (e + 1)]))
run(lambda o: L.OneCycleLR(o, [1.0, 2.0], total_steps=9))
run(lambda o: L.OneCycleLR(o, 1.0, epochs=3, steps_per_epoch=3, anneal_strategy="linear", pct_start=0.4))

# %% schedules-one-after-the-other
L = torch.optim.lr_scheduler
o = torch.optim.AdamW([nn.Parameter(torch.ones(1))], lr=1e-3)
s = L.SequentialLR(o, [L.LinearLR(o, 0.1, 1.0, 3), L.CosineAnnealingLR(o, 7)], milestones=[3])
for _ in range(10):
    print(s.get_last_lr(), end=" ")
    o.step()
    s.step()
print()
o = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
s = L.SequentialLR(o, [L.ConstantLR(o, 0.1, 2), L.ExponentialLR(o, 0.5), L.StepLR(o, 2)], [2, 5])
for _ in range(9):
    print(s.get_last_lr(), end=" ")
    o.step()
    s.step()
print()
kept = s.state_dict()
print(sorted(kept), len(kept["_schedulers"]))
s = L.CosineAnnealingWarmRestarts(o, 4, 2)
for epoch in (0, 0.5, 1.25, 4, 6.5, 13):
    s.step(epoch)
    print(round(o.param_groups[0]["lr"], 6), s.T_cur, s.T_i, end=" ")
print()
s = L.StepLR(o, 2, 0.5)
s.step(5)
print(s.get_last_lr())
s = L.ReduceLROnPlateau(o, patience=1, factor=0.1, min_lr=1e-3)
for loss in (1.0, 0.9, 0.95, 0.95, 0.95, 0.95, 0.95):
    s.step(loss)
    print(s.get_last_lr(), s.num_bad_epochs, end=" ")
print(s.best)
class Noam(L._LRScheduler):
    def __init__(self, optimizer, width, warm, last_epoch=-1):
        self.width, self.warm = width, warm
        super().__init__(optimizer, last_epoch)
    def get_lr(self):
        step = max(1, self._step_count)
        return [self.width ** -0.5 * min(step ** -0.5, step * self.warm ** -1.5) for _ in self.base_lrs]
n = Noam(o, 16, 4)
for _ in range(6):
    o.step()
    n.step()
print(n.state_dict())

# %% schedules-refused
L = torch.optim.lr_scheduler
o = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
for make in (
    lambda: L.StepLR(nn.Linear(1, 1), 2),
    lambda: L.LambdaLR(o, [abs, abs]),
    lambda: L.ConstantLR(o, 2.0),
    lambda: L.LinearLR(o, 0.0),
    lambda: L.LinearLR(o, 0.5, 2.0),
    lambda: L.OneCycleLR(o, 0.1),
    lambda: L.OneCycleLR(o, 0.1, total_steps=0),
    lambda: L.OneCycleLR(o, 0.1, total_steps=5, pct_start=2.0),
    lambda: L.OneCycleLR(o, [0.1, 0.2], total_steps=5),
    lambda: L.CosineAnnealingWarmRestarts(o, 0),
    lambda: L.SequentialLR(o, [L.StepLR(o, 1)], [1]),
    lambda: L.ReduceLROnPlateau(o, factor=1.0),
    lambda: L.StepLR(torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1), 2, last_epoch=3),
):
    try:
        make()
        print("fine")
    except Exception as error:
        print(type(error).__name__, error)

# %% interpolated-by-cubes
torch.manual_seed(0)
x = torch.arange(16.0).view(1, 1, 4, 4)
print(F.interpolate(x, size=(6, 6), mode="bicubic"))
print(F.interpolate(x, scale_factor=0.5, mode="bicubic", align_corners=True))
y = torch.randn(1, 2, 3, 3, dtype=torch.float64, requires_grad=True)
F.interpolate(y, size=(7, 5), mode="bicubic", align_corners=False).pow(2).sum().backward()
print(y.grad)

# %% anomaly-mode
x = torch.tensor([0.0, -1.0, 4.0], requires_grad=True)
def root(mode):
    x.grad = None
    with torch.autograd.set_detect_anomaly(mode):
        print(torch.is_anomaly_enabled())
        torch.sqrt(x).sum().backward()
root(False)
print(x.grad)
for act in (lambda: root(True), lambda: torch.where(x > 0, x, x / (x * 0)).prod().backward()):
    try:
        with torch.autograd.detect_anomaly():
            act()
    except RuntimeError as error:
        print(error)
print(torch.is_anomaly_enabled())
torch.autograd.set_detect_anomaly(True)
(x * 2).sum().backward()
torch.autograd.set_detect_anomaly(False)

# %% data-assigned-before-backward
x = torch.ones(3, requires_grad=True)
handle = x.register_hook(lambda grad: print("hook", grad))
y = (x * 2).sum()
x.data = x.data - 0.5
x.data = x.data * 3
y.backward()
print(x.grad, x)
y = (x * 4).sum()
x.data = torch.zeros(3)
print(torch.autograd.grad(y, x))
handle.remove()
((x + 1) * 2).sum().backward()
print(x.grad)
layer = nn.Linear(2, 1, bias=False)
layer.weight.data = torch.ones(1, 2)
out = layer(torch.tensor([[1.0, 2.0]])).sum()
for p in layer.parameters():
    p.data = p.data * 0
out.backward()
print(layer.weight.grad, layer.weight)

# %% written-without-gradients
w = torch.ones(3, requires_grad=True)
v = w.clone()
with torch.no_grad():
    v.mul_(2)
    v[0] = 7.0
print(v)
(v * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
print(w.grad)
mean, variance = torch.zeros(2, requires_grad=True), torch.tensor([0.0, 2.0], requires_grad=True)
print(mean.grad, variance.grad)
