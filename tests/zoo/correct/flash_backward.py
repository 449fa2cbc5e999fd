"""Attention in blocks, with a backward of its own, compared with autograd."""
import math
import torch


class FlashAttention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, Q, K, V, block):
        scale = 1 / math.sqrt(Q.shape[-1])
        m = torch.full(Q.shape[:-1] + (1,), -math.inf)
        l = torch.zeros(Q.shape[:-1] + (1,))
        O = torch.zeros(Q.shape[:-1] + (V.shape[-1],))
        for start in range(0, K.shape[-2], block):
            Kj, Vj = K[..., start:start + block, :], V[..., start:start + block, :]
            S = Q @ Kj.mT * scale
            m_new = torch.maximum(m, S.amax(-1, keepdim=True))
            alpha = torch.exp(m - m_new)
            P = torch.exp(S - m_new)
            l = l * alpha + P.sum(-1, keepdim=True)
            O = O * alpha + P @ Vj
            m = m_new
        O = O / l
        ctx.save_for_backward(Q, K, V, O, m + torch.log(l))
        ctx.scale = scale
        return O

    @staticmethod
    def backward(ctx, dO):
        Q, K, V, O, L = ctx.saved_tensors
        P = torch.exp(Q @ K.mT * ctx.scale - L)
        dV = P.mT @ dO
        dP = dO @ V.mT
        delta = (dO * O).sum(-1, keepdim=True)
        dS = P * (dP - delta)
        return dS @ K * ctx.scale, dS.mT @ Q * ctx.scale, dV, None


torch.manual_seed(0)
q = torch.randn(2, 3, 6, 5, requires_grad=True)
k = torch.randn(2, 3, 8, 5, requires_grad=True)
v = torch.randn(2, 3, 8, 7, requires_grad=True)
out = FlashAttention.apply(q, k, v, 3)
grads = torch.autograd.grad(out.square().sum(), (q, k, v))
plain = torch.softmax(q @ k.mT / math.sqrt(5), -1) @ v
right = torch.autograd.grad(plain.square().sum(), (q, k, v))
print(out.shape, torch.allclose(out, plain, atol=1e-5))
print([torch.allclose(a, b, atol=1e-4) for a, b in zip(grads, right)])
