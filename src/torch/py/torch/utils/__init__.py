"""torch.utils: data loading, and handles of hooks."""


def __getattr__(name):
    if name in ("data", "hooks", "checkpoint"):
        import importlib

        return importlib.import_module("torch.utils." + name)
    from torch._names import missing

    raise missing("torch.utils", name, ("data", "hooks", "checkpoint"))
