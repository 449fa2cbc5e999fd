"""Handles that remove hooks."""


class RemovableHandle:
    """What registering a hook returns: `remove()` removes the hook."""

    next_id = 0

    def __init__(self, hooks_dict, *, extra_dict=()):
        self.hooks = hooks_dict
        self.extra = extra_dict
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1

    def remove(self):
        self.hooks.pop(self.id, None)
        for more in self.extra:
            more.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.remove()


def add_hook(module, place, hook, prepend, flags):
    """Puts a hook into `module`'s dict named `place`, and its flags beside it."""
    hooks = module.__dict__[place]
    handle = RemovableHandle(hooks, extra_dict=[module.__dict__[name] for name in flags])
    others = list(hooks.items()) if prepend else []
    if prepend:
        hooks.clear()
    hooks[handle.id] = hook
    hooks.update(others)
    for name, on in flags.items():
        if on:
            module.__dict__[name][handle.id] = True
    return handle
