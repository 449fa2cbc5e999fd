"""Where ticks are: a terminal decides it by its width."""


class Locator:
    def __init__(self, *args, **words):
        pass


for _name in (
    "MaxNLocator MultipleLocator FixedLocator LogLocator Formatter FuncFormatter FormatStrFormatter ScalarFormatter "
    "PercentFormatter NullFormatter"
).split():
    globals()[_name] = type(_name, (Locator,), {})
