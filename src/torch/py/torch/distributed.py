"""torch.distributed: there is one process, and no group of them is ever made."""


def is_available():
    return True


def is_initialized():
    return False


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    raise ImportError(f"torch.distributed.{name} is not here: attn runs lessons in one process")
