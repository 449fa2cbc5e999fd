"""`display`, and the wrappers that stand for pictures and markup, which a terminal shows as text."""

import builtins

display = builtins.display


class DisplayObject:
    def __init__(self, data=None, *args, **options):
        self.data = data

    def __repr__(self):
        return f"<IPython.core.display.{type(self).__name__} object>"


class HTML(DisplayObject):
    pass


class Markdown(DisplayObject):
    pass


class Latex(DisplayObject):
    pass


class Math(DisplayObject):
    pass


class Image(DisplayObject):
    pass


class SVG(DisplayObject):
    pass


class Pretty(DisplayObject):
    pass


class Javascript(DisplayObject):
    pass


def clear_output(wait=False):
    """Does nothing: output stays."""
