"""numpy.typing: names for annotations."""

from typing import Any

ArrayLike = DTypeLike = Any
# Takes a dtype in brackets.
NDArray = list
