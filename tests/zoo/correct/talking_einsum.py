"""
Talking-Heads Attention (Shazeer, Lan, Cheng, Ding & Hou, 2020), full form:
h_k heads for queries/keys, h heads in the softmax and h_v heads for the values.
Everything is written with einsum, one letter per axis as in the paper's pseudo code:

    b batch   n queries   m memory positions   x / y model width
    i query-key heads   j softmax heads   l value heads   k / v head widths
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def _param(*shape, fan_in):
    return nn.Parameter(torch.randn(*shape) / math.sqrt(fan_in))


class TalkingHeadsAttention(nn.Module):
    def __init__(self, d_x, h_k=4, h=6, h_v=4, d_k=8, d_v=8):
        super().__init__()
        self.d_k = d_k
        self.P_q = _param(d_x, d_k, h_k, fan_in=d_x)
        self.P_k = _param(d_x, d_k, h_k, fan_in=d_x)
        self.P_v = _param(d_x, d_v, h_v, fan_in=d_x)
        self.P_o = _param(d_x, d_v, h_v, fan_in=d_v * h_v)
        self.P_l = _param(h_k, h, fan_in=h_k)      # mixes the logits
        self.P_w = _param(h, h_v, fan_in=h)        # mixes the weights

    def forward(self, X, M, keep=None):
        """X (b n x) asks, M (b m x) is read; keep (n m) is True where reading is allowed."""
        Q = torch.einsum("bnx,xki->bnki", X, self.P_q)
        K = torch.einsum("bmx,xki->bmki", M, self.P_k)
        V = torch.einsum("bmx,xvl->bmvl", M, self.P_v)
        J = torch.einsum("bnki,bmki->bnmi", Q, K) / math.sqrt(self.d_k)
        L = torch.einsum("bnmi,ij->bnmj", J, self.P_l)
        if keep is not None:
            # masking comes after the first talk: mixing -inf with finite numbers would give nan
            L = L.masked_fill(~keep[None, :, :, None], float("-inf"))
        W = L.softmax(dim=2)                        # over m
        U = torch.einsum("bnmj,jl->bnml", W, self.P_w)
        O = torch.einsum("bnml,bmvl->bnvl", U, V)
        Y = torch.einsum("bnvl,yvl->bny", O, self.P_o)
        return Y, W


def ordinary(att, X, M, keep):
    """Multi-head attention with att's projections and no talking."""
    Q = torch.einsum("bnx,xki->bink", X, att.P_q)
    K = torch.einsum("bmx,xki->bimk", M, att.P_k)
    V = torch.einsum("bmx,xvl->blmv", M, att.P_v)
    O = F.scaled_dot_product_attention(Q, K, V, attn_mask=keep)
    return torch.einsum("blnv,yvl->bny", O, att.P_o)


@torch.no_grad()
def main():
    torch.manual_seed(11)
    d = 24
    X = torch.randn(2, 7, d)
    causal = torch.ones(7, 7).tril().bool()

    talk = TalkingHeadsAttention(d)
    Y, W = talk(X, X, causal)
    print("output", tuple(Y.shape), "weights", tuple(W.shape))
    assert torch.allclose(W.sum(2), torch.ones(2, 7, 6), atol=1e-6)

    # nothing after position 3 may reach positions 0..3
    X2 = X.clone()
    X2[:, 4:] += 1.0
    Y2, _ = talk(X2, X2, causal)
    assert torch.allclose(Y[:, :4], Y2[:, :4], atol=1e-5)
    assert not torch.allclose(Y[:, 4:], Y2[:, 4:], atol=1e-5)

    # with both mixing matrices set to the identity nobody talks
    quiet = TalkingHeadsAttention(d, h_k=4, h=4, h_v=4)
    quiet.P_l.copy_(torch.eye(4))
    quiet.P_w.copy_(torch.eye(4))
    a, _ = quiet(X, X, causal)
    b = ordinary(quiet, X, X, causal)
    print("identity mixing is ordinary attention:", torch.allclose(a, b, atol=1e-5))
    assert torch.allclose(a, b, atol=1e-5)

    # reading from another sequence of another length
    Z, W = talk(X, torch.randn(2, 11, d))
    print("cross", tuple(Z.shape), tuple(W.shape))
    n_all = sum(p.numel() for p in talk.parameters())
    print(f"{n_all} parameters, of which {talk.P_l.numel() + talk.P_w.numel()} for talking")


if __name__ == "__main__":
    main()
