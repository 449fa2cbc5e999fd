"""No classes: parameters in a dict and small pure functions."""
import math
import torch


def init(key_size, model_size):
    torch.manual_seed(64)
    shape = (model_size, model_size)
    return {name: torch.randn(shape) / math.sqrt(model_size) for name in ("query", "key", "value", "output")}


def split_heads(x, n):
    *lead, t, d = x.shape
    return x.reshape(*lead, t, n, d // n).swapaxes(-2, -3)


def merge_heads(x):
    *lead, n, t, d = x.shape
    return x.swapaxes(-2, -3).reshape(*lead, t, n * d)


def scaled_scores(q, k):
    return q @ k.swapaxes(-1, -2) / math.sqrt(k.shape[-1])


def hide_future(scores):
    t_q, t_k = scores.shape[-2:]
    visible = torch.tril(torch.ones(t_q, t_k, dtype=torch.bool))
    return torch.where(visible, scores, -torch.inf)


def attend(params, x, heads):
    q, k, v = (split_heads(x @ params[name], heads) for name in ("query", "key", "value"))
    weights = torch.softmax(hide_future(scaled_scores(q, k)), dim=-1)
    return merge_heads(weights @ v) @ params["output"]


params = init(4, 8)
x = torch.randn(2, 5, 8)
y = attend(params, x, heads=2)
print(y.shape, f"{y.sum():.4f}")
