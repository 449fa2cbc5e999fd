"""The same functions as `os.path`."""

from os.path import *
