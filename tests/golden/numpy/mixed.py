# %% scalars-keep-their-dtype
import numpy as np
import torch
for value in (np.float64(1.5), np.float32(1.5), np.float16(1.5), np.int64(3), np.int32(3), np.bool_(True), np.uint8(3)):
    for make in (torch.tensor, torch.as_tensor):
        print(make(value), make([value, value]).dtype, make([[value], [2.5]]).dtype)
print(torch.tensor([1.0, np.float64(2)]).dtype, torch.tensor([np.int64(2), 1.5]).dtype)
print(torch.tensor([np.float32(2), np.float64(1)]).dtype, torch.full((2,), np.float64(2)).dtype)
print(torch.tensor((np.mean([1, 2]), np.std([1, 2]))), torch.tensor(np.sqrt(16)))
print(torch.tensor([np.array([1., 2.]), np.array([3., 4.])]), torch.FloatTensor([np.float64(1)]))
print(torch.tensor([torch.tensor(1.0, dtype=torch.float64), 2]), torch.tensor([torch.tensor(1), 2.5]))

# %% functions-of-tensors
import numpy as np
import torch
t = torch.tensor([[1., 2.], [3., 4.]])
for f in (np.exp, np.sqrt, np.sin, np.log, np.abs, np.square, np.tanh, np.sign, np.floor, np.isnan, np.isfinite):
    print(f.__name__, f(t))
for f in (np.argmax, np.round, np.transpose, np.cumsum, np.squeeze, np.ravel, np.argsort):
    print(f.__name__, f(t))
print(np.add(t, t), np.add(t, 1), np.add(np.ones((2, 2)), t), np.maximum(t, 2), np.greater(t, 2), np.power(t, 2))
print(np.matmul(t, t), np.clip(t, 1, 2), np.reshape(t, (4,)), np.repeat(t, 2), np.take(t, [0]), np.swapaxes(t, 0, 1))
print(np.exp(t[0, 0]), np.log(t.mean()), np.exp(t.long()), np.exp(t.double()).dtype, np.round(t / 3, 2))
print(np.dot(t, t), np.linalg.norm(t), np.concatenate([t, t]), np.where(t > 2, t, 0), np.allclose(t, t))

# %% operators-between-them
import numpy as np
import torch
t, a, i = torch.tensor([[1., 2.], [3., 4.]]), np.array([[2., 1.], [3., 5.]]), np.array([[1, 2], [3, 4]])
print(t + a, t - a, t * a, t / a, t // a, t % a, t ** a, t @ a, a / t)
print(t == a, a == t, t != a, t + i, t * i, t == i)
for op in ("a * t", "a - t", "a @ t", "t < a", "a >= t"):
    try:
        print(eval(op))
    except TypeError:
        print(op, "TypeError")
g = t.clone().requires_grad_()
print(g == a)
for op in ("g * a", "np.sin(g)", "np.asarray(g)"):
    try:
        print(eval(op))
    except RuntimeError as error:
        print(error)

# %% each-as-the-index-of-the-other
import numpy as np
import torch
t, a = torch.tensor([[1., 2.], [3., 4.]]), np.array([[2., 1.], [3., 5.]])
print(t[np.array([0, 1])], t[np.array([True, False])], t[np.int64(1)], t[np.array([0, 1]), np.array([1, 0])])
print(a[t > 2], a[torch.tensor([1])], a[torch.tensor(1)], a[t.long()[0] - 1])
t[np.array([0])] = 9.0
a[torch.tensor([True, False])] = 7.0
print(t, a)
