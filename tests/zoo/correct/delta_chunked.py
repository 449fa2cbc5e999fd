"""DeltaNet: the recurrent form, and the chunked form with the WY representation."""
import torch
import torch.nn.functional as F


def delta_recurrent(q, k, v, beta):
    b, h, t, d = q.shape
    S = torch.zeros(b, h, d, v.shape[-1])
    outs = []
    for i in range(t):
        ki, vi = k[:, :, i], v[:, :, i]
        old = torch.einsum("bhd,bhde->bhe", ki, S)
        S = S + torch.einsum("bhd,bhe->bhde", ki, (vi - old) * beta[:, :, i, None])
        outs.append(torch.einsum("bhd,bhde->bhe", q[:, :, i], S))
    return torch.stack(outs, 2)


def delta_chunked(q, k, v, beta, chunk=4):
    b, h, t, d = q.shape
    v_beta, k_beta = v * beta[..., None], k * beta[..., None]
    S = torch.zeros(b, h, d, v.shape[-1])
    out = torch.zeros_like(v)
    eye = torch.eye(chunk)
    for start in range(0, t, chunk):
        part = slice(start, start + chunk)
        qi, ki = q[:, :, part], k[:, :, part]
        lower = (k_beta[:, :, part] @ ki.mT).tril(-1)
        attn = torch.linalg.inv(eye + lower)
        u, w = attn @ v_beta[:, :, part], attn @ k_beta[:, :, part]
        new = u - w @ S
        local = (qi @ ki.mT).tril()
        out[:, :, part] = qi @ S + local @ new
        S = S + ki.mT @ new
    return out


torch.manual_seed(1)
q, k = torch.randn(2, 3, 12, 5), F.normalize(torch.randn(2, 3, 12, 5), dim=-1)
v, beta = torch.randn(2, 3, 12, 7), torch.rand(2, 3, 12)
one, two = delta_recurrent(q, k, v, beta), delta_chunked(q, k, v, beta)
print(one.shape, torch.allclose(one, two, atol=1e-4))
