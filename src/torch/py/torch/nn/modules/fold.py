"""Images as columns of blocks, and back."""

from torch.nn import functional as F

from .module import Module


class _Blocks(Module):
    def _settings(self):
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"


class Unfold(_Blocks):
    """(N, C, H, W) -> (N, C * kernel, L): a column for each place of the kernel."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return self._settings()


class Fold(_Blocks):
    """(N, C * kernel, L) -> (N, C, H, W): blocks added where they overlap."""

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.output_size, self.kernel_size, self.dilation, self.padding, self.stride = (
            output_size, kernel_size, dilation, padding, stride
        )

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"output_size={self.output_size}, " + self._settings()
