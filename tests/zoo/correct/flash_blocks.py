"""Attention in blocks with a running maximum and a running sum, as FlashAttention computes it."""
import torch


def flash_attention(Q, K, V, block_q=3, block_k=2, causal=True):
    N, d = Q.shape
    scale = d ** -0.5
    O = torch.zeros_like(V)
    for i in range(0, N, block_q):
        Qi = Q[i:i + block_q] * scale
        m = torch.full((Qi.shape[0], 1), float("-inf"))
        l = torch.zeros(Qi.shape[0], 1)
        acc = torch.zeros(Qi.shape[0], V.shape[1])
        for j in range(0, N, block_k):
            if causal and j > i + Qi.shape[0] - 1:
                break
            S = Qi @ K[j:j + block_k].T
            if causal:
                rows = torch.arange(i, i + S.shape[0])[:, None]
                cols = torch.arange(j, j + S.shape[1])[None, :]
                S = S.masked_fill(cols > rows, float("-inf"))
            m_new = torch.maximum(m, S.max(dim=1, keepdim=True).values)
            P = torch.exp(S - m_new)
            correction = torch.exp(m - m_new)
            l = l * correction + P.sum(dim=1, keepdim=True)
            acc = acc * correction + P @ V[j:j + block_k]
            m = m_new
        O[i:i + block_q] = acc / l
    return O


torch.manual_seed(17)
Q, K, V = torch.randn(10, 4), torch.randn(10, 4), torch.randn(10, 4)
out = flash_attention(Q, K, V)
mask = torch.ones(10, 10).triu(1).bool()
plain = torch.softmax((Q @ K.T / 2.0).masked_fill(mask, -torch.inf), dim=-1) @ V
print(out.shape, torch.allclose(out, plain, atol=1e-5))
print(torch.allclose(flash_attention(Q, K, V, causal=False), torch.softmax(Q @ K.T / 2.0, dim=-1) @ V, atol=1e-5))
