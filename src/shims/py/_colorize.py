"""Text without colours: for `argparse`, `unittest` and the other modules that would colour what they print."""


class _Plain:
    """A theme whose colours are all empty."""

    def __getattr__(self, name):
        return self if name in ("argparse", "unittest") else ""


def can_colorize(*, file=None):
    return False


def decolor(text):
    return text


def get_theme(*, tty_file=None, force_color=False, force_no_color=False):
    return _Plain()


def get_colors(colorize=False, *, file=None):
    return _Plain()
