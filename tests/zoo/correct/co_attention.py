"""Two sequences look at each other: one matrix of scores, normalised along either axis, once for each direction."""
import torch
import torch.nn as nn


class CoAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.W = nn.Parameter(torch.randn(d, d) / d)

    def forward(self, text, image):
        affinity = text @ self.W @ image.transpose(1, 2) / text.shape[-1] ** 0.5
        text_to_image = affinity.softmax(dim=2) @ image
        image_to_text = affinity.softmax(dim=1).transpose(1, 2) @ text
        return text_to_image, image_to_text


torch.manual_seed(68)
text, image = torch.randn(2, 4, 6), torch.randn(2, 7, 6)
a, b = CoAttention(6)(text, image)
print(a.shape, b.shape, f"{a.sum().item():.4f} {b.sum().item():.4f}")
