"""Where ticks are: a terminal decides it by its width."""


class Locator:
    def __init__(self, *args, **words):
        pass


class MaxNLocator(Locator):
    pass


class MultipleLocator(Locator):
    pass


class FixedLocator(Locator):
    pass


class LogLocator(Locator):
    pass


class Formatter(Locator):
    pass


class FuncFormatter(Formatter):
    pass


class FormatStrFormatter(Formatter):
    pass


class ScalarFormatter(Formatter):
    pass


class PercentFormatter(Formatter):
    pass


class NullFormatter(Formatter):
    pass
