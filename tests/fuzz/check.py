"""What must be true of every call, whatever it is given: run before the lines of generate.py.

A call gives tensors whose dtype, shape and values are in range, or raises an exception that PyTorch raises too. Its
inputs stay as they are unless it is in place. It ends within a second.
"""
import time
import torch
import torch.nn.functional as F

RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-(2**15), 2**15 - 1), "int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
RAISED = ("TypeError", "RuntimeError", "ValueError", "IndexError", "NotImplementedError", "OverflowError", "AssertionError", "LinAlgError", "_LinAlgError", "MemoryError", "OutOfMemoryError")


def mk(shape, dtype, seed, layout=""):
    """A tensor of small numbers that follow from the seed, in some layout."""
    count = 1
    for size in shape:
        count *= size
    wanted = getattr(torch, dtype)
    state, values = seed * 7919 + 11, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2147483648
        values.append((state >> 16) % 17 - 6)
    if dtype == "bool":
        values = [value > 0 for value in values]
    elif dtype == "uint8":
        values = [abs(value) for value in values]
    elif "float" in dtype:
        values = [value / 4 for value in values]
        if seed % 13 == 0 and count > 1:
            values[1] = float("nan")
        if seed % 17 == 0 and count > 2:
            values[2] = float("inf")
    x = torch.tensor(values, dtype=wanted).reshape(shape)
    if layout == "t" and len(shape) > 1:
        x = x.transpose(0, 1).contiguous().transpose(0, 1)
    elif layout == "step":
        x = torch.stack([x, x], -1)[..., 0]
    elif layout == "expand" and shape[0] > 0:
        x = x[:1].expand(shape)
    elif layout == "flip":
        x = torch.stack([x, x])[1]
    elif layout == "tail" and shape[0] > 0:
        x = torch.cat([x[:1], x])[1:]
    return x


def ix(shape, dtype, size, seed):
    """Small whole numbers below `size`; seldom one too many."""
    return (mk(shape, "int64", seed).abs() % (size + (seed % 7 == 0))).to(getattr(torch, dtype))


def parts(value):
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [part for item in value for part in parts(item)]
    return []


def flat(value):
    if isinstance(value, list):
        return [part for item in value for part in flat(item)]
    return [value]


def lists(x):
    """How many lists and numbers the tensor has as nested lists: an empty one may have many."""
    count = 1
    for size in x.shape:
        count *= max(size, 1)
    return count


def wrong(x):
    """What is wrong with a tensor, if anything."""
    dtype = str(x.dtype)[6:]
    count = 1
    for size in x.shape:
        if size < 0:
            return "a negative size"
        count *= size
    if count != x.numel() or len(x.stride()) != x.dim():
        return "sizes that do not fit"
    if lists(x) > 10**5:
        return None
    values = flat(x.tolist())
    if x.dim() and len(values) != count:
        return f"{len(values)} elements in {tuple(x.shape)}"
    if dtype in RANGES:
        low, high = RANGES[dtype]
        for value in values:
            if type(value) is not int or not low <= value <= high:
                return f"{value!r} in {dtype}"
    elif dtype == "bool":
        if any(type(value) is not bool for value in values):
            return "no bools"
    elif any(type(value) is not float for value in values):
        return "no floats"
    repr(x)
    return None


def told(value, depth=0):
    """A result in one line, to be compared."""
    if isinstance(value, torch.Tensor):
        if lists(value) > 200:
            return f"{str(value.dtype)[6:]}{tuple(value.shape)}"
        return f"{str(value.dtype)[6:]}{tuple(value.shape)}{value.tolist()}"
    if isinstance(value, (tuple, list)) and depth < 3:
        return "(" + ", ".join(told(item, depth + 1) for item in value[:20]) + ")"
    return repr(value)[:200]


def check(expression, **given):
    torch.manual_seed(1)
    before = {name: told(value) for name, value in given.items()}
    start = time.perf_counter()
    try:
        result = eval(expression, {"torch": torch, "F": F, "mk": mk}, dict(given))
    except Exception as error:
        result, raised = None, type(error).__name__
        print("raised", raised, str(error).split("\n")[0][:160])
        if raised not in RAISED:
            print("WRONG: an exception that PyTorch does not raise")
    else:
        try:
            for part in parts(result):
                text = wrong(part)
                if text:
                    print("WRONG:", text)
        except Exception as error:
            print("WRONG: a result that cannot be read:", type(error).__name__, error)
        print("gave", told(result))
    took = time.perf_counter() - start
    if took > SECONDS:
        print("WRONG: took", round(took, 1), "seconds")
    # Running statistics are changed where one of mean and variance is given too.
    in_place = any(mark in expression for mark in ("_(", "inplace=True", ", True)", "out=", "F.batch_norm("))
    for name, value in given.items():
        after = told(value)
        if after != before[name] and not in_place:
            print(f"WRONG: {name} was changed: {before[name]} to {after}")


SECONDS = 1.0
