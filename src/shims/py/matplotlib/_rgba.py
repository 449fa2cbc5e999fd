"""Colours by name, as `#rrggbb`, and as numbers."""

_NAMES = {
    "b": "0000ff", "g": "008000", "r": "ff0000", "c": "00bfbf", "m": "bf00bf", "y": "bfbf00", "k": "000000",
    "w": "ffffff", "blue": "0000ff", "green": "008000", "red": "ff0000", "cyan": "00ffff", "magenta": "ff00ff",
    "yellow": "ffff00", "black": "000000", "white": "ffffff", "gray": "808080", "grey": "808080", "orange": "ffa500",
    "purple": "800080", "brown": "a52a2a", "pink": "ffc0cb", "navy": "000080", "teal": "008080", "lime": "00ff00",
}
_CYCLE = "1f77b4 ff7f0e 2ca02c d62728 9467bd 8c564b e377c2 7f7f7f bcbd22 17becf".split()
_TAB = "blue orange green red purple brown pink gray olive cyan".split()
_NAMES |= {"tab:" + name: code for name, code in zip(_TAB, _CYCLE)}


def to_rgba(c, alpha=None):
    """A colour as four numbers from 0 to 1."""
    if isinstance(c, str):
        code = _NAMES.get(c, c)
        if c[:1] == "C" and c[1:].isdigit():
            code = _CYCLE[int(c[1:]) % len(_CYCLE)]
        elif c[:1] == "#":
            code = c[1:] if len(c) > 5 else "".join(digit * 2 for digit in c[1:])
        try:
            parts = [int(code[at : at + 2], 16) / 255 for at in range(0, len(code), 2)]
        except ValueError:
            parts = []
        if len(parts) not in (3, 4):
            try:
                parts = [float(c)] * 3
            except ValueError:
                raise ValueError(f"{c!r} is not a valid value for color: attn knows the usual names and '#rrggbb'") from None
    else:
        parts = [float(part) for part in c]
    parts = parts if len(parts) == 4 else [*parts, 1.0]
    return (*parts[:3], parts[3] if alpha is None else float(alpha))
