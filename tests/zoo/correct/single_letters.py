import torch as t
import torch.nn.functional as f

t.manual_seed(88)
a = t.randn(2, 7, 6)
u, w, z = t.randn(3, 6, 6).unbind()

def g(a, m):
    return a @ m

def s(b, c, d):
    e = t.bmm(b, c.permute(0, 2, 1))
    e = e / 6 ** .5
    r = t.triu(t.ones(7, 7), 1) * -1e9
    e = f.softmax(e + r, 2)
    return t.bmm(e, d)

o = s(g(a, u), g(a, w), g(a, z))
print(o.shape, '%.3f' % o.sum())
