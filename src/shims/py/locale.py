"""The C locale, the only one that attn has."""

LC_CTYPE, LC_NUMERIC, LC_TIME, LC_COLLATE, LC_MONETARY, LC_MESSAGES, LC_ALL = range(7)


class Error(Exception):
    pass


def setlocale(category, locale=None):
    if locale not in (None, "", "C", "POSIX", "en_US.UTF-8", "C.UTF-8", ("C", None)):
        raise Error("unsupported locale setting")
    return "C"


def getlocale(category=LC_CTYPE):
    return (None, None)


def getencoding():
    return "utf-8"


def getpreferredencoding(do_setlocale=True):
    return "utf-8"
