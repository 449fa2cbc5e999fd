"""The same names as `typing`."""

from typing import *
from typing import Annotated, Literal, NotRequired, Protocol, Required, Self, TypedDict, runtime_checkable
