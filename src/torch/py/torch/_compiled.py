"""What torch.compile returns: a module around the module, a function around the function. Both compute as before."""

import functools

from torch.nn.modules.module import Module

_MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")

_BACKENDS = ("inductor", "eager", "aot_eager", "aot_eager_decomp_partition", "cudagraphs", "onnxrt", "openxla", "ts", "tvm")


class InvalidBackend(RuntimeError):
    __module__ = "torch._dynamo.exc"


def check(backend, mode, options):
    """Raises for what PyTorch refuses, and for a backend of the learner's own, which would not run."""
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified at the same time.")
    if mode is not None and mode not in _MODES:
        raise RuntimeError(f"Unrecognized mode={mode}, should be one of: {', '.join(_MODES)}")
    if isinstance(backend, str) and backend not in _BACKENDS:
        raise InvalidBackend(
            f"Invalid backend: {backend!r}, see `torch._dynamo.list_backends()` for available backends."
        )
    if not isinstance(backend, str):
        raise NotImplementedError(
            "a backend of your own is not part of attn, which compiles nothing: leave out backend="
        )


def compiled(model):
    """The module or the function as compiled."""
    assert callable(model)
    if isinstance(model, Module):
        return OptimizedModule(model)
    if isinstance(model, type):
        return model

    @functools.wraps(model)
    def call(*args, **kwargs):
        return model(*args, **kwargs)

    call._torchdynamo_orig_callable = getattr(model, "_torchdynamo_orig_callable", model)
    return call


class OptimizedModule(Module):
    """A compiled module: its attributes are those of the module, its parameters are named `_orig_mod.` and so on."""

    __module__ = "torch._dynamo.eval_frame"

    def __init__(self, mod):
        super().__init__()
        self.__dict__["_modules"]["_orig_mod"] = mod
        del self.__dict__["training"]

    @property
    def training(self):
        return self._orig_mod.training

    @training.setter
    def training(self, value):
        self._orig_mod.training = value

    def forward(self, *args, **kwargs):
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name):
        module = self.__dict__["_modules"]["_orig_mod"]
        return module if name == "_orig_mod" else getattr(module, name)

    def __setattr__(self, name, value):
        if name == "_orig_mod" or hasattr(type(self), name):
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __dir__(self):
        names = self._orig_mod.__dir__()
        return names + [name for name in super().__dir__() if name not in names]
