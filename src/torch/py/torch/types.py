"""torch.types: names for annotations."""

from torch import Tensor, device as Device, dtype as _dtype

Number = (int, float, bool)
_int, _float, _bool = int, float, bool
_size = (list, tuple)
