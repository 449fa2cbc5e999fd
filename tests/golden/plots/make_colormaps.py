"""Writes the colours of matplotlib's colour maps as attn keeps them, and what they are for a few numbers.

Usage: python make_colormaps.py, with matplotlib 3.8 or later. It writes src/shims/py/matplotlib/_colormap_data.py and
colormaps.txt beside itself.
"""
import pathlib
import pprint

import matplotlib
from matplotlib import _cm

HERE = pathlib.Path(__file__).resolve().parent
OUT = HERE.parents[2] / "src/shims/py/matplotlib/_colormap_data.py"
TABLES = "viridis plasma inferno magma cividis".split()
SEGMENTS = "gray hot jet".split()
# Maps between colours that are no 255th parts.
FRACTIONS = "bwr seismic".split()
# Maps between colours that are, and those that have only some colours.
POINTS = "Blues Greens Greys Purples YlGnBu YlOrRd RdBu RdYlBu RdYlGn Spectral tab10 tab20 Set1 Set2 Set3".split()
HEAD = '''"""The colours of colour maps. Written by tests/golden/plots/make_colormaps.py from matplotlib's own."""

# 256 colours: red, green and blue, each as five hexadecimal digits, in millionths.
TABLES = '''


def whole(value, by):
    assert round(value * by) / by == value, value
    return round(value * by)


def table(name):
    colors = matplotlib.colormaps[name].colors
    assert len(colors) == 256
    return "".join(f"{whole(part, 10**6):05x}" for color in colors for part in color)


def points(name):
    """The colours of a map that is drawn between a few of them, or has only them; None if there are others."""
    spec = _cm.datad[name]
    colors = spec["listed"] if "listed" in spec else spec
    if "red" in spec or not all(isinstance(color, tuple) and len(color) == 3 for color in colors):
        return None
    try:
        return "listed" in spec, "".join(f"{whole(part, 255):02x}" for color in colors for part in color)
    except AssertionError:
        return None


def segments(name):
    return {word[0]: tuple(tuple(float(part) for part in row) for row in _cm.datad[name][word]) for word in ("red", "green", "blue")}


def main():
    found = {name: points(name) for name in sorted(POINTS)}
    mixed = {name: both[1] for name, both in found.items() if both and not both[0]}
    listed = {name: both[1] for name, both in found.items() if both and both[0]}
    rows = {name: segments(name) for name in SEGMENTS}
    rows_of = {name: [tuple(float(part) for part in color) for color in _cm.datad[name]] for name in FRACTIONS}
    others = sorted(name for name in matplotlib.colormaps if not name.endswith("_r"))
    known = {*TABLES, *mixed, *listed, *rows, *rows_of}
    text = HEAD + pprint.pformat({name: table(name) for name in TABLES}, width=120, sort_dicts=False)
    text += "\n\n# Colours that others are mixed between, at equal distances: two hexadecimal digits for each part.\n"
    text += "MIXED = " + pprint.pformat(mixed, width=120)
    text += "\n\n# The same, as fractions.\nFRACTIONS = " + pprint.pformat(rows_of, width=120)
    text += "\n\n# Only these colours.\nLISTED = " + pprint.pformat(listed, width=120)
    text += "\n\n# Red, green and blue: places, and the value before and after each.\nSEGMENTS = "
    text += pprint.pformat(rows, width=120, compact=True)
    text += "\n\n# Other names of maps.\nALIASES = " + repr({"grey": "gray", "Grays": "Greys"})
    text += "\n\n# What matplotlib has besides.\nOTHERS = " + pprint.pformat(" ".join(n for n in others if n not in known and n not in ("grey", "Grays")), width=110)
    OUT.write_text(text + "\n")
    lines = []
    numbers = [0.0, 1 / 3, 0.5, 0.9, 3]
    for name in sorted(known):
        for form in (name, name + "_r"):
            colors = [matplotlib.colormaps[form](number) for number in numbers]
            parts = [" ".join(repr(float(part)) for part in color) for color in colors]
            lines.append(f"{form}: " + ", ".join(parts))
    (HERE / "colormaps.txt").write_text("\n".join(lines) + "\n")


main()
