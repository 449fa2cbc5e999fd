"""The names that layers have in errors of their arguments."""

# Base classes whose `__init__` their subclasses have in PyTorch too.
_SHARED = ("RNNBase", "_BatchNorm")


def own_name(cls):
    """Gives a layer an `__init__` with its name, where PyTorch's class has one of its own and this class takes its base's."""
    made = cls.__init__
    base = made.__qualname__.removesuffix(".__init__")
    if cls.__module__.startswith("torch.") and base not in (cls.__name__, "Module", *_SHARED):
        own = type(made)(made.__code__, made.__globals__, "__init__", made.__defaults__, made.__closure__)
        own.__kwdefaults__ = made.__kwdefaults__
        own.__qualname__ = f"{cls.__name__}.__init__"
        cls.__init__ = own
