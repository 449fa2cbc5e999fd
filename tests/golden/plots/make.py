"""Records what notebooks show of plots: `python make.py > recorded.txt`, with torch and matplotlib 3.9 or 3.10.

Addresses are left out; so is what newer versions call differently (`FillBetweenPolyCollection`, numpy's scalars).
"""

import pathlib
import re

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt

HERE = pathlib.Path(__file__).resolve().parent


def show():
    # As the inline backend does.
    for number in plt.get_fignums():
        print(repr(plt.figure(number)))
    plt.close("all")


plt.show = show
text = []
real = print


def print(*values):
    words = " ".join(map(str, values))
    words = re.sub(r" object at 0x[0-9a-f]+| at 0x[0-9a-f]+", " at 0x", words)
    words = words.replace("FillBetweenPolyCollection", "PolyCollection")
    real(re.sub(r"np\.float64\(([^()]*)\)", r"\1", words))


exec(compile((HERE / "plots.py").read_text(), "plots.py", "exec"))
show()
