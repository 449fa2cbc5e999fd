"""Whether `backward` of a torch.autograd.Function returns the gradients of what its `forward` computes: the function runs again
with its inputs moved a little, in double precision."""

import inspect

import torch
from _models import listed, place_of
from _probe_values import first_tensor

# The most functions, and elements of their inputs, that are examined.
MOST_FUNCTIONS, LARGEST = 8, 1 << 16
DIRECTIONS, MOVED = 3, 1e-6


def note_function(watch, cls, args):
    """Keeps what a function of the program's own is called with first."""
    if cls in watch.functions or len(watch.functions) >= MOST_FUNCTIONS or not torch.is_grad_enabled():
        return
    tensors = [it for it in args if isinstance(it, torch.Tensor)]
    if sum(it.numel() for it in tensors) <= LARGEST and any(it.requires_grad for it in tensors):
        watch.functions[cls] = [it.detach().clone().requires_grad_(it.requires_grad) if isinstance(it, torch.Tensor) else it for it in args]


def own_gradients(watch):
    for cls, args in list(watch.functions.items()):
        with torch.enable_grad(), torch.random.fork_rng():
            try:
                wrong = differing(cls, args)
            except Exception:
                continue
        if wrong:
            says, slope = wrong[0][1]
            observed = f"{cls.__name__}.forward ran again with input {wrong[0][0]} moved a little: the output changes by {slope:.4g} times the way, and by the gradient that backward returns it would be {says:.4g}. It differs for input{'s' if len(wrong) > 1 else ''} {listed([str(at) for at, _ in wrong])}, counted from 0."
            watch.add("gradient-differs", place_of(inspect.unwrap(cls.backward).__code__), observed, "torch.autograd.gradcheck in double precision; compare with the gradient of the same formula without the function")


def differing(cls, args):
    """The inputs whose gradient is wrong: their places, what the gradient says and how the output changes. None where all
    gradients are the right ones times one number, as where a gradient is reversed, or where one is made up on purpose."""
    given = [it.detach().double().requires_grad_(it.requires_grad) if isinstance(it, torch.Tensor) and it.is_floating_point() else it for it in args]
    wanted = [at for at, it in enumerate(given) if isinstance(it, torch.Tensor) and it.requires_grad]
    torch.manual_seed(0)
    out = first_tensor(cls.apply(*given))
    weights = torch.rand(out.shape, dtype=torch.float64)
    grads = torch.autograd.grad((out * weights).sum(), [given[at] for at in wanted], allow_unused=True)

    def slope(at, direction, by):
        moved = [it.detach() if isinstance(it, torch.Tensor) else it for it in given]
        ends = []
        for way in (by, -by):
            torch.manual_seed(0)
            ends.append((first_tensor(cls.apply(*moved[:at], moved[at] + way * direction, *moved[at + 1 :])) * weights).sum())
        return float(ends[0] - ends[1]) / (2 * by)

    pairs = {}
    for at, grad in zip(wanted, grads):
        pairs[at] = []
        for _ in range(DIRECTIONS):
            direction = torch.randn(given[at].shape, dtype=torch.float64)
            near, far = slope(at, direction, MOVED), slope(at, direction, 4 * MOVED)
            says = 0.0 if grad is None else float((grad * direction).sum())
            # No slope where there is a gradient: the gradient is a stand-in, as of a rounding.
            if abs(near - far) > 1e-3 * max(abs(near), abs(says)) or abs(near) <= 1e-6 * abs(says):
                return []
            pairs[at].append((says, near))
    largest = {at: max(abs(it) for pair in both for it in pair) for at, both in pairs.items()}
    says, slopes = ([pair[which] / (largest[at] or 1.0) for at, both in pairs.items() for pair in both] for which in (0, 1))
    total = sum(it * it for it in slopes)
    factor = sum(a * b for a, b in zip(says, slopes)) / total if total else 1.0
    if len(wanted) < 2 or all(abs(a - factor * b) <= 1e-3 for a, b in zip(says, slopes)):
        return []
    return [(at, both[0]) for at, both in pairs.items() if any(abs(a - b) > 1e-3 * largest[at] for a, b in both)]
