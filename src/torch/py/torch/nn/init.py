"""Initial values of parameters; each function changes its tensor and returns it."""

import torch


def _quietly(fill):
    """`fill` runs without being recorded for gradients."""

    def filled(tensor, *args, **kwargs):
        with torch.no_grad():
            result = fill(tensor, *args, **kwargs)
        return tensor if result is None else result

    filled.__name__ = filled.__qualname__ = fill.__name__
    filled.__doc__ = fill.__doc__
    return filled


@_quietly
def uniform_(tensor, a=0.0, b=1.0, generator=None):
    """Uniform in [a, b)."""
    tensor.uniform_(a, b, generator=generator)


@_quietly
def normal_(tensor, mean=0.0, std=1.0, generator=None):
    """Normal with this mean and standard deviation."""
    tensor.normal_(mean, std, generator=generator)


@_quietly
def constant_(tensor, val):
    """Every element is val."""
    tensor.fill_(val)


@_quietly
def ones_(tensor):
    """Every element is 1."""
    tensor.fill_(1.0)


@_quietly
def zeros_(tensor):
    """Every element is 0."""
    tensor.zero_()


@_quietly
def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    """Normal with this mean and standard deviation, cut off to [a, b]."""
    import math

    def below(x):
        return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0

    low, high = below((a - mean) / std), below((b - mean) / std)
    tensor.uniform_(2 * low - 1, 2 * high - 1, generator=generator)
    tensor.erfinv_()
    tensor.mul_(std * math.sqrt(2.0))
    tensor.add_(mean)
    tensor.clamp_(min=a, max=b)


def calculate_gain(nonlinearity, param=None):
    """The factor by which a nonlinearity's input should be wider than its output."""
    linear = "linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d sigmoid".split()
    if nonlinearity in linear:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return 2.0**0.5
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return (2.0 / (1 + param**2)) ** 0.5
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor):
    """How many inputs each output of a weight has, and how many outputs each input."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    field = tensor.shape[2:].numel()
    return tensor.size(1) * field, tensor.size(0) * field


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def _xavier(tensor, gain):
    return gain * (2.0 / float(sum(_calculate_fan_in_and_fan_out(tensor)))) ** 0.5


def xavier_uniform_(tensor, gain=1.0, generator=None):
    """Uniform in +-gain * sqrt(6 / (fan_in + fan_out)). Glorot & Bengio 2010."""
    bound = 3.0**0.5 * _xavier(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain=1.0, generator=None):
    """Normal with standard deviation gain * sqrt(2 / (fan_in + fan_out)). Glorot & Bengio 2010."""
    return normal_(tensor, 0.0, _xavier(tensor, gain), generator)


def _kaiming(tensor, a, mode, nonlinearity):
    # Of a tensor without elements nothing is set.
    fan = _calculate_correct_fan(tensor, mode) if tensor.numel() else 1
    return calculate_gain(nonlinearity, a) / fan**0.5


def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Uniform in +-gain * sqrt(3 / fan). He et al. 2015."""
    bound = 3.0**0.5 * _kaiming(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    """Normal with standard deviation gain / sqrt(fan). He et al. 2015."""
    return normal_(tensor, 0.0, _kaiming(tensor, a, mode, nonlinearity), generator)


@_quietly
def orthogonal_(tensor, gain=1, generator=None):
    """Rows or columns that are orthogonal, of length gain. Saxe et al. 2013."""
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    flat = tensor.new_empty((rows, columns)).normal_(0, 1, generator=generator)
    if rows < columns:
        flat = flat.t()
    q, r = torch.linalg.qr(flat)
    q = q * torch.diag(r, 0).sign()
    if rows < columns:
        q = q.t()
    tensor.copy_(q.reshape(tensor.shape))
    tensor.mul_(gain)


_OLD = "uniform normal constant xavier_uniform xavier_normal kaiming_uniform kaiming_normal orthogonal".split()


# `from ... import` asks further for a name that it does not find in a package alone: `torch._names.imported` answers.
__path__ = []


def __getattr__(name):
    if name in _OLD:
        # The old names without underscore still work in PyTorch, with a warning.
        return globals()[name + "_"]
    from torch._names import missing

    raise missing("torch.nn.init", name, globals())
