"""The scalar classes of the dtypes of text, Python objects and bytes, and of dtypes that no array here has."""

import numpy


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


class bytes_(bytes):
    """The class of bytes in dtypes; attn has no arrays of them."""

    __module__ = "numpy"


string_, unicode_ = bytes_, str_


def _absent(name, base):
    """The class of scalars that only dtypes have here."""

    def refuse(cls, *args, **words):
        raise NotImplementedError(f"{name} numbers and arrays are not part of attn's numpy")

    made = type(name, (base,), {"__module__": "numpy", "__slots__": (), "__new__": refuse})
    return made


void = _absent("void", numpy.flexible)
uint16 = _absent("uint16", numpy.unsignedinteger)
uint32 = _absent("uint32", numpy.unsignedinteger)
uint64 = _absent("uint64", numpy.unsignedinteger)
