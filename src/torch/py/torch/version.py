"""Which PyTorch attn follows."""

__version__ = "2.6.0"
cuda = None
hip = None
xpu = None
debug = False
git_version = "attn"
