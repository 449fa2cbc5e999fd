"""A vision transformer on small random images: patches by unfold, a class token, no causal mask."""
import torch
import torch.nn as nn


class ViT(nn.Module):
    def __init__(self, image=8, patch=4, channels=3, dim=16, heads=2, classes=5):
        super().__init__()
        self.patch, self.heads = patch, heads
        n = (image // patch) ** 2
        self.embed = nn.Linear(channels * patch * patch, dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.randn(1, n + 1, dim) * 0.02)
        self.norm = nn.LayerNorm(dim)
        self.to_qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.head = nn.Linear(dim, classes)

    def patches(self, img):
        b, c = img.shape[:2]
        p = self.patch
        tiles = img.unfold(2, p, p).unfold(3, p, p)
        return tiles.permute(0, 2, 3, 1, 4, 5).reshape(b, -1, c * p * p)

    def attention(self, x):
        b, n, d = x.shape
        q, k, v = self.to_qkv(x).reshape(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        attn = torch.softmax(q @ k.transpose(-1, -2) / (d // self.heads) ** 0.5, dim=-1)
        return self.to_out((attn @ v).permute(0, 2, 1, 3).reshape(b, n, d))

    def forward(self, img):
        x = self.embed(self.patches(img))
        x = torch.cat([self.cls_token.expand(len(x), -1, -1), x], dim=1) + self.pos_embed
        x = x + self.attention(self.norm(x))
        return self.head(x[:, 0])


torch.manual_seed(4)
vit = ViT()
images, labels = torch.rand(4, 3, 8, 8), torch.tensor([0, 3, 1, 4])
opt = torch.optim.AdamW(vit.parameters(), lr=3e-3)
for _ in range(3):
    loss = nn.functional.cross_entropy(vit(images), labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.4f}")
print(vit(images).argmax(-1).shape)
