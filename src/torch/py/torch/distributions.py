"""torch.distributions, as far as sampling from a model needs it."""

import math
from functools import cached_property

import torch
from torch._arguments import hint
from torch._names import absent_in

# PyTorch has a folder of files here: `from torch.distributions.normal import Normal`.
__path__ = []
__all__ = ["Beta", "Categorical", "Distribution", "Normal", "kl_divergence"]


# What a parameter or a value has to be: the name of the constraint, and a test of each element.
_REAL = "Real()", lambda value: value == value
_POSITIVE = "GreaterThan(lower_bound=0.0)", lambda value: value > 0
_SIMPLEX = "Simplex()", lambda value: (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < 1e-6)
_REALS = "IndependentConstraint(Real(), 1)", lambda value: (value == value).all(-1)


class Distribution:
    """A distribution that can be drawn from: `sample(shape)`, and asked: `log_prob(value)`."""

    has_rsample = False
    _constraints = {}

    def _begin(self, validate_args):
        """Checks the parameters that were given."""
        hint(validate_args)
        self._validates = validate_args is not False
        for name, (constraint, fits) in self._constraints.items():
            value = self.__dict__.get(name)
            if value is not None and self._validates and not fits(value).all():
                raise ValueError(
                    f"Expected parameter {name} ({type(value).__name__} of shape {tuple(value.shape)}) of distribution {self!r} "
                    f"to satisfy the constraint {constraint}, but found invalid values:\n{value}"
                )

    def _check(self, value, support):
        """Checks a value whose probability is asked for."""
        if not self._validates:
            return
        if not isinstance(value, torch.Tensor):
            raise ValueError("The value argument to log_prob must be a Tensor")
        constraint, fits = support
        if not fits(value).all():
            raise ValueError(
                f"Expected value argument ({type(value).__name__} of shape {tuple(value.shape)}) to be within the support "
                f"({constraint}) of the distribution {self!r}, but found invalid values:\n{value}"
            )

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return self._draw((*sample_shape, *self.batch_shape))

    def rsample(self, sample_shape=()):
        raise NotImplementedError

    def __repr__(self):
        def shown(value):
            return f"{value}" if value.numel() == 1 else str(value.size())

        # A parameter that follows from another one is shown once something has asked for it.
        known = [f"{name}: {shown(self.__dict__[name])}" for name in self._shown if name in self.__dict__]
        return f"{type(self).__name__}({', '.join(known)})"


def _together(*values):
    """Numbers and tensors broadcast to one shape."""
    tensors = [value if isinstance(value, torch.Tensor) else torch.tensor(float(value)) for value in values]
    return torch.broadcast_tensors(*tensors)


def _inside(probs):
    """Probabilities that are neither 0 nor 1."""
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def _lazy(function):
    """A parameter that is computed when something first asks for it, with a gradient even within `no_grad`."""
    return cached_property(torch.enable_grad()(function))


class Normal(Distribution):
    """Normal with mean loc and standard deviation scale."""

    has_rsample = True
    _shown = ("loc", "scale")
    _constraints = {"loc": _REAL, "scale": _POSITIVE}

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _together(loc, scale)
        self.batch_shape = self.loc.shape
        self._begin(validate_args)

    mean = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale**2)

    def _draw(self, shape):
        return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape=()):
        shape = (*sample_shape, *self.batch_shape)
        zeros = torch.zeros(shape, dtype=self.loc.dtype)
        return self.loc + torch.normal(zeros, torch.ones_like(zeros)) * self.scale

    def log_prob(self, value):
        self._check(value, _REAL)
        off = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -off - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)


class Categorical(Distribution):
    """Class i at probability probs[i]; logits are log-probabilities up to a constant."""

    _shown = ("probs", "logits")
    _constraints = {"probs": _SIMPLEX, "logits": _REALS}

    def __init__(self, probs=None, logits=None, validate_args=None):
        if (probs is None) == (logits is None):
            raise ValueError("Either `probs` or `logits` must be specified, but not both.")
        name, given = ("probs", probs) if logits is None else ("logits", logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if probs is not None:
            self.probs = probs / probs.sum(-1, keepdim=True)
        else:
            self.logits = logits - logits.logsumexp(dim=-1, keepdim=True)
        self.batch_shape = given.shape[:-1]
        self._begin(validate_args)

    probs = _lazy(lambda self: torch.softmax(self.logits, dim=-1))
    logits = _lazy(lambda self: torch.log(_inside(self.probs)))

    def _draw(self, shape):
        flat = self.probs.reshape(-1, self.probs.size(-1))
        count = math.prod(shape) // max(flat.size(0), 1)
        return torch.multinomial(flat, count, True).T.reshape(shape)

    def log_prob(self, value):
        last = (self.probs if "probs" in self.__dict__ else self.logits).shape[-1] - 1
        support = f"IntegerInterval(lower_bound=0, upper_bound={last})"
        self._check(value, (support, lambda value: (value % 1 == 0) & (value >= 0) & (value <= last)))
        value = value.long().unsqueeze(-1)
        value, logits = torch.broadcast_tensors(value, self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        return -(self.logits.clamp(min=torch.finfo(self.logits.dtype).min) * self.probs).sum(-1)


class Beta(Distribution):
    """Beta of two concentrations: by which shares two samples are mixed."""

    _shown = ("concentration1", "concentration0")
    _constraints = {"concentration1": _POSITIVE, "concentration0": _POSITIVE}

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = _together(concentration1, concentration0)
        self.batch_shape = self.concentration1.shape
        self._begin(validate_args)

    mean = property(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))

    def __repr__(self):
        return "Beta()"

    def _draw(self, shape):
        both = torch.stack([self.concentration1, self.concentration0], -1).expand(*shape, 2)
        least = torch.finfo(torch.float64).tiny
        drawn = [max(_gamma(alpha), least) for alpha in both.reshape(-1).tolist()]
        drawn = torch.tensor(drawn, dtype=torch.float64).reshape(both.shape)
        shares, info = (drawn[..., 0] / drawn.sum(-1)).to(both.dtype), torch.finfo(both.dtype)
        return shares.clamp(min=info.tiny, max=1 - info.eps / 2)


def _gamma(alpha):
    """A gamma variate. Source: ATen's `sample_gamma`, after Marsaglia and Tsang (2000); its constants are single precision."""
    uniform = lambda: 1 - torch.rand((), dtype=torch.float64).item()
    scale = 1.0
    if alpha < 1:
        scale, alpha = uniform() ** (1 / alpha), alpha + 1
    d = alpha - 0.3333333432674408
    c = 1 / math.sqrt(9 * d)
    while True:
        x = torch.randn((), dtype=torch.float64).item()
        y = 1 + c * x
        if y <= 0:
            continue
        v, u, xx = y * y * y, uniform(), x * x
        if u < 1 - 0.03310000151395798 * xx * xx or math.log(u) < 0.5 * xx + d * (1 - v + math.log(v)):
            return scale * d * v


def kl_divergence(p, q):
    """KL(p || q) = sum of p log(p / q), for two distributions of one kind."""
    kinds = {type(p), type(q)}
    if kinds == {Categorical}:
        parts = p.probs * (p.logits - q.logits)
        parts = parts.masked_fill((q.probs == 0).expand_as(parts), math.inf)
        return parts.masked_fill((p.probs == 0).expand_as(parts), 0).sum(-1)
    if kinds == {Normal}:
        ratio = (p.scale / q.scale).pow(2)
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())
    raise NotImplementedError(
        f"kl_divergence(): attn has it for two of Categorical or of Normal, not for {type(p).__name__} and "
        f"{type(q).__name__}"
    )


__getattr__ = absent_in("torch.distributions", __all__)
