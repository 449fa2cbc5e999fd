"""What torch.compile returns: a module around the module, a function around the function. Both compute as before."""

import functools

from torch.nn.modules.module import Module

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
