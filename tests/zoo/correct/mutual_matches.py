# Matches that both sides agree on: the product of two softmaxes of one matrix of similarities. No values are averaged.
import torch

torch.manual_seed(69)
text, image = torch.randn(2, 4, 6), torch.randn(2, 7, 6)
similarity = text @ image.transpose(1, 2) / 6 ** 0.5
mutual = similarity.softmax(dim=1) * similarity.softmax(dim=2)
print(mutual.amax(dim=(1, 2)))
