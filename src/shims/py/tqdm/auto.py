"""The same `tqdm`."""

from . import tqdm, trange
