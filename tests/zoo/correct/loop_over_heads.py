# Plain loops: over the batch, over the heads, over the queries.
import torch

torch.manual_seed(19)
batch, tokens, width, heads = 2, 4, 6, 2
size = width // heads
x = torch.randn(batch, tokens, width)
W_q, W_k, W_v, W_o = [torch.randn(width, width) / width ** 0.5 for _ in range(4)]

result = torch.zeros(batch, tokens, width)
for b in range(batch):
    Q = x[b] @ W_q
    K = x[b] @ W_k
    V = x[b] @ W_v
    joined = []
    for h in range(heads):
        cols = slice(h * size, (h + 1) * size)
        rows = []
        for t in range(tokens):
            scores = K[:t + 1, cols] @ Q[t, cols] / size ** 0.5
            weights = torch.softmax(scores, dim=0)
            rows.append(weights @ V[:t + 1, cols])
        joined.append(torch.stack(rows))
    result[b] = torch.cat(joined, dim=1) @ W_o

print(result.shape)
print(result[0])
