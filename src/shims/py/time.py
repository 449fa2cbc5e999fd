"""The interpreter's own clock, with a `sleep` that can be stopped."""

from _clock import *
from _pause import sleep
