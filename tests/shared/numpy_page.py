import inspect
import numpy
from numpy import _methods

print("""# The part of NumPy that is here

Generated from the module itself (`src/numpy/`); `UPDATE=1 cargo test --release --test library page::` writes it again.

Dtypes, promotion, printing, random numbers and error messages are those of NumPy 1.26. Arrays lie over the memory of
tensors: `tensor.numpy()`, `torch.from_numpy` and `torch.as_tensor` share it. A name that is not here raises an
`AttributeError` that says so; an argument that is not in the list is an error too.

What differs: a slice with a negative step (`x[::-1]`) and `flip` have elements of their own, which follow those of the
array and the other way round; their `strides` and `flags` are those of a copy. Elements of
complex arrays compute as Python's numbers. `linalg.eigh` has the signs of LAPACK's algorithm for up to 25 rows, and `linalg.svd` may have other
signs than LAPACK.

There are no arrays of objects, of bytes, of unsigned integers wider than 8 bits, of dates or of records, no matrices, no masked arrays
and no other subclasses of `ndarray`. Complex arrays are for rotary positions: sums,
products, `exp`, `abs`, `angle` and what moves elements. Arrays of text are labels: they are made of
text alone, indexed, compared, sorted and printed, and `unique` takes them. Divisions by zero and overflows give NumPy's results
without its warnings; whole numbers divided by 0 are an error.
""")


NATIVE = type(numpy.sum)


def is_function(thing):
    return inspect.isfunction(thing) or isinstance(thing, NATIVE)


def arguments(thing):
    if isinstance(thing, NATIVE):
        return f"`{thing.__text_signature__}`"
    try:
        return f"`{inspect.signature(thing)}`"
    except (TypeError, ValueError):
        return ""


names = sorted(set(numpy.__dir__()))
ufuncs = sorted(name for name in names if isinstance(getattr(numpy, name, None), numpy.ufunc))
print("## Elementwise functions\n")
print("With `out` and `where`, and the methods `reduce`, `outer` and `at`.\n")
print(", ".join(f"`{name}`" for name in ufuncs) + "\n")
print("## Functions\n")
for name in sorted(name for name in names if is_function(getattr(numpy, name, None))):
    print(f"- `{name}` {arguments(getattr(numpy, name))}")
print("\n## Scalars and other names\n")
rest = [
    name
    for name in names
    if not is_function(getattr(numpy, name)) and name not in ufuncs and name not in ("linalg", "random", "testing")
]
print(", ".join(f"`{name}`" for name in rest))
print("\n## Methods of arrays\n")
methods = dict(_methods.METHODS)
methods.update({name: thing for name, thing in vars(numpy.ndarray).items() if isinstance(thing, NATIVE)})
for name in sorted(name for name in methods if not name.startswith("_")):
    print(f"- `{name}` {arguments(methods[name])}")
for place in ("linalg", "random", "testing"):
    module = getattr(numpy, place)
    print(f"\n## numpy.{place}\n")
    for name in sorted(vars(module)):
        thing = getattr(module, name)
        own = getattr(thing, "__module__", None) == f"numpy.{place}"
        if not name.startswith("_") and own and (inspect.isfunction(thing) or inspect.ismethod(thing)):
            print(f"- `{name}` {arguments(thing)}")
    classes = [name for name in sorted(vars(module)) if isinstance(getattr(module, name), type) and not name.startswith("_")]
    print("\nClasses: " + ", ".join(f"`{name}`" for name in classes if getattr(module, name).__module__ == f"numpy.{place}"))
print("\n## numpy.random.Generator, from `default_rng`\n")
for name in sorted(dir(numpy.random.Generator)):
    if not name.startswith("_"):
        print(f"- `{name}` {arguments(getattr(numpy.random.Generator, name))}")
