"""The similarity of vectors."""

from torch.nn import functional as F

from .module import Module


class CosineSimilarity(Module):
    """x1 . x2 / (|x1| |x2|) along dim."""

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
