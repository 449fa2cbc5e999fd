"""Hooks that run around the call of every module."""

# Pairs of "pre" or "post" and a hook.
everywhere = []


def _register(kind, hook):
    from torch.utils.hooks import RemovableHandle

    handle = RemovableHandle({})
    entry = (kind, hook)
    everywhere.append(entry)
    handle._undo = lambda: everywhere.remove(entry)
    return handle


def register_module_forward_pre_hook(hook):
    return _register("pre", hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    from torch._arguments import only_defaults

    only_defaults("register_module_forward_hook", with_kwargs=with_kwargs, always_call=always_call)
    return _register("post", hook)
