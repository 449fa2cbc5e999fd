# %% order in memory
import numpy as np
c = np.arange(6).reshape(2, 3)
f = c.T
print(f.flags["F_CONTIGUOUS"], f.flags["C_CONTIGUOUS"], f.strides, f.copy().strides, np.copy(f).strides)
print(type(c.flat), c.flat[4])
# %% which are complex
import numpy as np
print(np.iscomplexobj([3, 1 + 0j, True]), np.iscomplexobj([[1, 2]]), np.isrealobj([3, 1 + 0j, True]), np.isrealobj(np.eye(2)))
