# %% order in memory
import numpy as np
c = np.arange(6).reshape(2, 3)
f = c.T
print(f.flags["F_CONTIGUOUS"], f.flags["C_CONTIGUOUS"], f.strides, f.copy().strides, np.copy(f).strides)
