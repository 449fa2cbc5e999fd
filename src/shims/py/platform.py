"""Fixed answers about the machine: a lesson must not depend on it."""


def system():
    return "Linux"


def machine():
    return "x86_64"


def processor():
    return ""


def release():
    return ""


def version():
    return ""


def node():
    return "attn"


def python_version():
    import sys

    return ".".join(map(str, sys.version_info[:3]))


def python_implementation():
    return "RustPython"


def platform(aliased=False, terse=False):
    return "attn"
