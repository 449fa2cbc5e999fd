# %% order in memory
import numpy as np
c = np.arange(6).reshape(2, 3)
f = np.asfortranarray(c)
print(np.asfortranarray(f) is f, np.asfortranarray(c) is c, f.flags["F_CONTIGUOUS"], f.strides)
print(np.require(c, requirements=["C", "W"]) is c, np.require(c, np.float32, ["A", "O", "W", "F"]).flags["F_CONTIGUOUS"])
print(np.require(f, None, "C").flags["C_CONTIGUOUS"], np.require(f, None, "F") is f)
try:
    np.require(c, None, ["C", "F"])
except ValueError as error:
    print(error)
for order in "CF":
    a = np.array([[0, 1], [2, 3]], order=order)
    a.resize((2, 1))
    print(a.tolist(), a.flags["C_CONTIGUOUS"])
    b = np.array([[0, 1], [2, 3]], order=order)
    b.resize((2, 3))
    print(b.tolist())
print(type(c.flat), c.flat[4])
# %% whole numbers that stay whole
import numpy as np
print(repr(np.unwrap([0, 1, 2, -1, 0], period=4)), repr(np.unwrap([2, 3, 4, 5, 2, 3, 4, 5], period=4)))
print(repr(np.unwrap([0, 3, 1, 4, 2, 0], period=5)), repr(np.unwrap(np.array([1, 2, 6, 0]), period=7.0)))
print(np.unwrap(np.linspace(0, 12, 7) % (2 * np.pi)).round(3))
print(np.unwrap(np.array([[0, 3, 1], [2, 0, 2]]), axis=0, period=4))
print(repr(np.ldexp(5, np.arange(4))), repr(np.ldexp(300, np.arange(2))), repr(np.ldexp(70000, np.arange(2))))
print(repr(np.ldexp(np.array([1, 2], dtype=np.int8), 2)), repr(np.ldexp(-128, np.arange(2))), repr(np.ldexp(-129, np.arange(2))))
print(np.ldexp(0.5, 3), type(np.ldexp(5, 2)).__name__, repr(np.ldexp(np.arange(3, dtype=np.float32), 1)), repr(np.ldexp(np.arange(3), 1)))
# %% modes and kinds
import numpy as np
index = np.array([[3, 6, 6], [4, 5, 1]])
print(np.ravel_multi_index(index, (7, 6)), np.ravel_multi_index(index, (7, 6), order="F"))
print(np.ravel_multi_index(index, (4, 6), mode="clip"), np.ravel_multi_index(index, (4, 4), mode=("clip", "wrap")))
print(np.ravel_multi_index(index, (4, 4), mode=("wrap", "clip"), order="F"))
print(np.iscomplexobj([3, 1 + 0j, True]), np.iscomplexobj([[1, 2]]), np.isrealobj([3, 1 + 0j, True]), np.isrealobj(np.eye(2)))
