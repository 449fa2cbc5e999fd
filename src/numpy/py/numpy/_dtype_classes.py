"""The scalar classes of the dtypes of text and of Python objects."""


class str_(str):
    """A text from an array."""

    __module__ = "numpy"

    def __new__(cls, *args):
        # As in NumPy's fixed widths, zeros at the end are no text.
        return str.__new__(cls, str(*args).rstrip("\0"))

    def item(self):
        return str(self)

    tolist = item


class object_:
    """The class that stands for Python objects in `dtype=numpy.object_`."""

    __module__ = "numpy"


unicode_ = str_
