"""How a module is shown: its own text, and the modules inside it."""


def indented(text, spaces):
    first, *rest = text.split("\n")
    return "\n".join([first, *(" " * spaces + line for line in rest)])


def shown(module):
    extra = module.extra_repr()
    extra = extra.split("\n") if extra else []
    inside = [f"({name}): {indented(repr(child), 2)}" for name, child in module._modules.items()]
    if len(extra) == 1 and not inside:
        body = extra[0]
    elif extra or inside:
        body = "\n  " + "\n  ".join(extra + inside) + "\n"
    else:
        body = ""
    return f"{module._get_name()}({body})"


def unusual(module, **usual):
    """The settings of a module that are not as usual: `, stride=2`."""
    settings = {name: getattr(module, name) for name in usual}
    return "".join(f", {name}={value}" for name, value in settings.items() if value != usual[name])
