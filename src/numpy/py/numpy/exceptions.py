"""numpy.exceptions"""

from numpy._exceptions import AxisError
