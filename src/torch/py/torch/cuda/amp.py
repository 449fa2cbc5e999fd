"""torch.cuda.amp: the names of torch.amp."""

from torch.amp import GradScaler, autocast
