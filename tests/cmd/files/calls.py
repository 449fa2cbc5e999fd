import torch


def f(x):
    q = x * 2
    q.add_(1)
    return q


def halved(x, times):
    q = x / 2
    return q if times == 1 else halved(q, times - 1)


xs = torch.arange(1., 4.)
outs = []
for t in range(3):
    y = f(xs[t:t + 1])
    outs.append(y)

filled = torch.zeros(3)
for t in range(3):
    filled[t] = halved(xs[t:t + 1], 2)[0]
cache = {'rows': (filled, y)}
