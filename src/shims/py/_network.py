"""Downloads: there are none. The error has the address, and what to do instead."""


def refused(function, address):
    name = str(address).split("?")[0].rstrip("/").rpartition("/")[2] or "the file"
    return PermissionError(
        f"{function}({str(address)!r}): attn has no network. Download it yourself (as {name}, beside the notebook), read "
        "it with open(), and run with --allow-read"
    )


def refusing(module, *names):
    """Functions of `module` that take an address and refuse it."""

    def function(name):
        def refuse(address, *args, **kwargs):
            raise refused(f"{module}.{name}", getattr(address, "full_url", address))

        refuse.__name__ = refuse.__qualname__ = name
        return refuse

    return map(function, names)
