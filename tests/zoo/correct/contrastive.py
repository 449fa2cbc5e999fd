"""Scores that are no attention: CLIP's loss on the products of two sets of vectors, and a classifier's softmax."""
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(58)
image_net, text_net = nn.Linear(10, 6), nn.Linear(7, 6)
logit_scale = nn.Parameter(torch.tensor(2.0))
images, texts = torch.randn(5, 10), torch.randn(5, 7)
opt = torch.optim.Adam([*image_net.parameters(), *text_net.parameters(), logit_scale], lr=1e-2)
for _ in range(3):
    a, b = F.normalize(image_net(images), dim=-1), F.normalize(text_net(texts), dim=-1)
    logits = logit_scale.exp() * a @ b.T
    labels = torch.arange(5)
    loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"{loss.item():.4f}")
probabilities = torch.softmax(logits.detach(), dim=-1)
print(probabilities.argmax(-1).shape, probabilities.sum(-1))
