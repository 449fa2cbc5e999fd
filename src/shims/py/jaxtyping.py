"""jaxtyping: annotations that say which shape a tensor has. As there, nothing checks them without a type checker."""

__all__ = (
    "BFloat16 Bool Complex Complex128 Complex64 Float Float16 Float32 Float64 Inexact Int Int16 Int32 Int64 Int8 Integer "
    "Key Num Real Shaped UInt UInt16 UInt32 UInt64 UInt8"
).split()


class _Kind(type):
    """The type of `Float` and the others: `Float[Tensor, "batch tokens"]` says to readers which shape a Tensor has."""

    def __getitem__(cls, given):
        if not isinstance(given, tuple) or len(given) != 2:
            raise ValueError(
                "As of jaxtyping version 0.2.0, jaxtyping annotations must now include both an array type and a shape. "
                'For example `Float[Array, "foo bar"]`.'
            )
        array, shape = given
        if not isinstance(shape, str):
            raise ValueError("Shape specification must be a string. Axes should be separated with spaces.")
        return array


for _name in __all__:
    globals()[_name] = _Kind(_name, (), {"__module__": "jaxtyping"})
