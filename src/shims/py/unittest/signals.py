"""What `unittest` does on Ctrl-C: nothing of its own, for attn stops the cell."""


def registerResult(result):
    pass


def removeResult(result):
    return False


def installHandler():
    pass


def removeHandler(method=None):
    return method
