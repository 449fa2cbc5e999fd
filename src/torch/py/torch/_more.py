"""Names of `torch` that lessons seldom ask for: loaded when they do."""

import functools
from itertools import zip_longest

import _torch
import torch
from torch._arguments import hint, on_cpu, only_defaults

__all__ = (
    "BoolTensor ByteTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor ShortTensor CharTensor "
    "are_deterministic_algorithms_enabled as_tensor broadcast_shapes compile finfo from_numpy get_default_device logspace "
    "get_float32_matmul_precision get_num_threads get_rng_state iinfo is_floating_point pdist seed set_default_device "
    "set_float32_matmul_precision set_num_threads set_rng_state tensordot typename "
    "use_deterministic_algorithms"
).split()


def pdist(input, p=2):
    """The distance of each row to every later one."""
    rows, columns = torch.triu_indices(len(input), len(input), 1)
    return torch.cdist(input, input, p)[rows, columns]


def around(mode, function):
    """`function`, run within the context `mode`."""
    if isinstance(function, type):
        function.__init__ = around(mode, function.__init__)
        return function
    code = getattr(function, "__code__", None)
    if code is not None and code.co_flags & 0x20:  # A generator function.

        def wrapped(*args, **kwargs):
            given = function(*args, **kwargs)
            try:
                with mode:
                    value = next(given)
                while True:
                    sent = yield value
                    with mode:
                        value = given.send(sent)
            except StopIteration as stop:
                return stop.value

    else:

        def wrapped(*args, **kwargs):
            with mode:
                return function(*args, **kwargs)

    return functools.wraps(function)(wrapped)


def kind_of(dtype):
    """The old name for tensors of a dtype: torch.FloatTensor."""
    return f"torch.{_torch._cpp_name(dtype)}Tensor"


def typename(obj, /):
    """What an object is called in messages: a tensor's kind, or the dotted name of a class."""
    if isinstance(obj, torch.Tensor):
        return kind_of(obj.dtype)
    module = getattr(obj, "__module__", "") or ""
    name = getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
    if name is None:
        module, name = type(obj).__module__ or "", type(obj).__qualname__
    return name if module in ("", "builtins") else f"{module}.{name}"


# Making tensors the old way


_OPTIONS = (
    "TensorOptions(dtype={}, device=cpu, layout=Strided, requires_grad=false (default), pinned_memory=false (default), "
    "memory_format=(nullopt))"
)


class _LegacyType(type):
    """A class that makes tensors of a dtype, and that such tensors are instances of."""

    def __call__(cls, *data):
        if len(data) == 1 and not isinstance(data[0], int):
            if isinstance(data[0], torch.Size):
                return torch.empty(data[0], dtype=cls._dtype)
            if isinstance(data[0], torch.Tensor) and data[0].dtype is not cls._dtype:
                wanted, given = (_OPTIONS.format(CPP_NAMES[DTYPES.index(dtype)]) for dtype in (cls._dtype, data[0].dtype))
                raise TypeError(f"expected {wanted} (got {given})")
            return torch.tensor(data[0], dtype=cls._dtype)
        return torch.empty(*data or (0,), dtype=cls._dtype)

    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor) and instance.dtype is cls._dtype


DTYPES = (
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
    torch.bool,
)  # fmt: skip
CPP_NAMES = "float,double,c10::Half,c10::BFloat16,long int,int,short int,signed char,unsigned char,bool".split(",")
for _dtype in DTYPES:
    _name = f"{_torch._cpp_name(_dtype)}Tensor"
    globals()[_name] = _LegacyType(_name, (), {"__module__": "torch", "_dtype": _dtype})


def logspace(start, end, steps, base=10.0, *, dtype=None, requires_grad=False):
    """Powers of a base, whose exponents go from start to end in even steps."""
    exponents = torch.linspace(start, end, steps, dtype=torch.float64)
    return torch.pow(float(base), exponents).to(dtype or torch.get_default_dtype()).requires_grad_(requires_grad)


def as_tensor(data, dtype=None, device=None):
    """The data as a tensor; a tensor of that dtype is returned as it is."""
    on_cpu(device)
    if isinstance(data, torch.Tensor):
        return data if dtype is None else data.to(dtype)
    if hasattr(type(data), "_tensor"):
        return data._tensor if dtype is None else data._tensor.to(dtype)
    return torch.tensor(data, dtype=dtype)


def from_numpy(array):
    """The tensor on an array's elements: a change of one changes the other."""
    shared = getattr(type(array), "_tensor", None)
    if shared is None:
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    return array._tensor


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    shapes = [(shape,) if isinstance(shape, int) else tuple(shape) for shape in shapes]
    for size in (size for shape in shapes for size in shape):
        if size < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension ({size}): ({size})")
    sizes = [{*column} - {1} for column in zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)]
    if any(len(different) > 1 for different in sizes):
        raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single shape")
    return torch.Size([next(iter(different), 1) for different in reversed(sizes)])


def is_floating_point(input):
    return input.is_floating_point()


def seed():
    """Seeds the default generator; here always with the same number, so that runs repeat."""
    return torch.default_generator.seed()


def get_rng_state():
    return torch.default_generator.get_state()


def set_rng_state(new_state):
    torch.default_generator.set_state(new_state)


# What dtypes can hold


class _Info:
    def __init__(self, type=None):
        dtype = torch.get_default_dtype() if type is None else type
        if not isinstance(dtype, torch.dtype):
            raise TypeError(f"{self._kind}() argument must be torch.dtype, not {dtype.__class__.__name__}")
        known = self._table.get(str(dtype)[6:])
        if known is None:
            raise TypeError(self._wrong.format(dtype))
        self.dtype = str(dtype)[6:]
        self.bits = dtype.itemsize * 8
        self.__dict__.update(zip(self._fields, known))

    def __eq__(self, other):
        return type(self) is type(other) and self.dtype == other.dtype


class finfo(_Info):
    """The limits of a floating point dtype."""

    _kind = "finfo"
    _fields = ("resolution", "min", "max", "eps", "smallest_normal")
    _wrong = "torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{}'"
    _table = {
        "float32": (1e-6, -(2**128 - 2**104) * 1.0, (2**128 - 2**104) * 1.0, 2.0**-23, 2.0**-126),
        "float64": (1e-15, -1.7976931348623157e308, 1.7976931348623157e308, 2.0**-52, 2.0**-1022),
        "float16": (1e-3, -65504.0, 65504.0, 2.0**-10, 2.0**-14),
        "bfloat16": (1e-2, -(2**128 - 2**120) * 1.0, (2**128 - 2**120) * 1.0, 2.0**-7, 2.0**-126),
    }

    @property
    def tiny(self):
        return self.smallest_normal

    def __repr__(self):
        def short(value):
            return "%g" % value

        return (
            f"finfo(resolution={short(self.resolution)}, min={short(self.min)}, max={short(self.max)}, "
            f"eps={short(self.eps)}, smallest_normal={short(self.smallest_normal)}, tiny={short(self.tiny)}, "
            f"dtype={self.dtype})"
        )


class iinfo(_Info):
    """The limits of an integer dtype."""

    _kind = "iinfo"
    _fields = ("min", "max")
    _wrong = "torch.iinfo() requires an integer input type. Use torch.finfo to handle '{}'"
    _table = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)} | {"uint8": (0, 255)}

    def __repr__(self):
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"


get_num_threads, set_num_threads = _torch.get_num_threads, _torch.set_num_threads

# What there is nothing to set for: one device, one precision


def _setting(name, value):
    kept = [value]

    def get():
        return kept[0]

    def change(*values, **words):
        kept[0] = [*values, *words.values()][0]

    get.__name__ = get.__qualname__ = "get_" + name
    change.__name__ = change.__qualname__ = "set_" + name
    return get, change


get_float32_matmul_precision, set_float32_matmul_precision = _setting("float32_matmul_precision", "highest")
are_deterministic_algorithms_enabled, use_deterministic_algorithms = _setting("deterministic_algorithms", False)


def get_default_device():
    return torch.device("cpu")


def set_default_device(device):
    """The CPU is the only device; naming another raises."""
    on_cpu(device)


def compile(model=None, *, fullgraph=False, dynamic=None, backend="inductor", mode=None, options=None, disable=False):
    """The module or the function in a form that computes the same: attn's kernel is compiled already."""
    from torch._compiled import compiled

    hint(fullgraph, dynamic, mode, options)
    if not isinstance(backend, str):
        raise NotImplementedError("compile(): a backend of your own is not part of attn, which compiles nothing")

    def fn(model):
        return model if disable else compiled(model)

    fn.__module__ = "torch"
    return fn if model is None else fn(model)


compile.__module__ = "torch"


def tensordot(a, b, dims=2, out=None):
    """Products summed over dimensions: the last of `a` with the first of `b`, or those that two lists name."""
    only_defaults("tensordot", out=out)
    if isinstance(dims, _torch.Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        return _torch._call("tensordot", a, b, dims)
    first, second = ([axes] if isinstance(axes, int) else list(axes) for axes in dims)
    return _torch._call("tensordot", a, b, first, second)
