"""Attention by hand, F.scaled_dot_product_attention, nn.MultiheadAttention."""

# %% one-query-by-hand
words = torch.tensor([[0.2, 0.8], [0.9, 0.1], [0.5, 0.5]])
query = words[1]
scores = torch.empty(3)
for i in range(3):
    scores[i] = words[i].dot(query)
naive = scores / scores.sum()
weights = torch.softmax(scores, dim=0)
print(scores, naive, naive.sum(), weights, weights.sum())
print((weights[:, None] * words).sum(0), weights @ words)

# %% all-queries-at-once
words = torch.tensor([[0.2, 0.8], [0.9, 0.1], [0.5, 0.5]])
scores = words @ words.T
weights = torch.softmax(scores, dim=-1)
print(scores, weights, weights.sum(dim=-1), weights @ words, torch.softmax(scores, dim=1).equal(weights))

# %% projections-and-scaling
torch.manual_seed(123)
x = torch.rand(4, 3)
w_q, w_k, w_v = (nn.Parameter(torch.rand(3, 2), requires_grad=False) for _ in range(3))
q, k, v = x @ w_q, x @ w_k, x @ w_v
scores = q @ k.T
weights = torch.softmax(scores / k.shape[-1] ** 0.5, dim=-1)
print(q.shape, scores[1], weights, weights[1] @ v, (weights @ v)[1])

# %% causal-mask-two-ways
torch.manual_seed(7)
scores = torch.randn(4, 4)
simple = torch.softmax(scores, -1) * torch.tril(torch.ones(4, 4))
simple = simple / simple.sum(dim=-1, keepdim=True)
masked = scores.masked_fill(torch.triu(torch.ones(4, 4), diagonal=1).bool(), -torch.inf)
print(masked, torch.softmax(masked, dim=-1), torch.allclose(simple, torch.softmax(masked, -1)))

# %% sdpa-plain-and-causal
q = torch.arange(12.).view(1, 3, 4) / 10
k = q.flip(1)
v = torch.eye(3, 4)[None]
print(F.scaled_dot_product_attention(q, k, v), F.scaled_dot_product_attention(q, k, v, is_causal=True), F.scaled_dot_product_attention(q, k, v, scale=1.0))

# %% sdpa-masks
q = torch.tensor([[1., 0.], [0., 1.], [1., 1.]])
k, v = q.clone(), torch.tensor([[10., 0.], [0., 10.], [5., 5.]])
keep = torch.tensor([[True, False, False], [True, True, False], [True, True, True]])
add = torch.zeros(3, 3).masked_fill(~keep, float("-inf"))
a = F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=keep)
b = F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=add)
c = F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)
print(a, torch.allclose(a, b), torch.allclose(a, c), F.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=torch.tensor([[0.5, 0., -1.]])))

# %% sdpa-batched-heads
torch.manual_seed(0)
q, k, v = torch.randn(2, 2, 3, 4), torch.randn(2, 2, 5, 4), torch.randn(2, 2, 5, 6)
out = F.scaled_dot_product_attention(q, k, v)
hand = torch.softmax(q @ k.transpose(-2, -1) / 4 ** 0.5, dim=-1) @ v
print(out.shape, torch.allclose(out, hand, atol=1e-6), out[0, 0])
mask = torch.ones(2, 1, 3, 5, dtype=torch.bool)
mask[1, :, :, 3:] = False
print(F.scaled_dot_product_attention(q, k, v, attn_mask=mask)[1, 1, 0], F.scaled_dot_product_attention(q, k, v, mask, 0.0, False).shape)

# %% sdpa-fails
q = torch.ones(1, 2, 4)
for f in (lambda: F.scaled_dot_product_attention(q, torch.ones(1, 2, 3), torch.ones(1, 2, 3)), lambda: F.scaled_dot_product_attention(q, q, q, attn_mask=torch.ones(2, 2, dtype=torch.bool), is_causal=True)):
    try:
        print(f())
    except RuntimeError as e:
        print(str(e).split("\n")[0])

# %% fully-masked-row
scores = torch.zeros(2, 3).masked_fill(torch.tensor([[True, True, True], [True, False, False]]), float("-inf"))
w = torch.softmax(scores, dim=-1)
print(w, torch.nan_to_num(w), w.isnan().any(dim=-1), torch.softmax(torch.zeros(2, 3).masked_fill(torch.tensor([True, True, True]), -1e9), -1))

# %% mha-shapes-and-weights
torch.manual_seed(1)
mha = nn.MultiheadAttention(embed_dim=4, num_heads=2, batch_first=True)
x = torch.randn(2, 3, 4)
out, w = mha(x, x, x)
print(mha, out.shape, w.shape, w.sum(-1), torch.allclose(w.sum(-1), torch.ones(2, 3)))
print([(n, tuple(p.shape)) for n, p in mha.named_parameters()])

# %% mha-values
torch.manual_seed(2)
mha = nn.MultiheadAttention(4, 2, bias=False).eval()
x = torch.randn(3, 1, 4)
with torch.no_grad():
    out, w = mha(x, x, x)
    print(out.squeeze(1), w)
    out2, none = mha(x, x, x, need_weights=False)
    print(torch.allclose(out, out2, atol=1e-6), none)
    _, per_head = mha(x, x, x, average_attn_weights=False)
    print(per_head.shape, torch.allclose(per_head.mean(1), w))

# %% mha-masks
torch.manual_seed(3)
mha = nn.MultiheadAttention(4, 2, batch_first=True).eval()
x = torch.randn(1, 3, 4)
causal = torch.triu(torch.ones(3, 3), diagonal=1).bool()
with torch.no_grad():
    out, w = mha(x, x, x, attn_mask=causal)
    print(w)
    out2, w2 = mha(x, x, x, attn_mask=torch.zeros(3, 3).masked_fill(causal, float("-inf")))
    print(torch.allclose(out, out2), torch.allclose(w, w2))
    _, w3 = mha(x, x, x, key_padding_mask=torch.tensor([[False, False, True]]))
    print(w3)
    _, w4 = mha(x, x, x, attn_mask=causal, is_causal=True)
    print(torch.allclose(w4, w), nn.Transformer.generate_square_subsequent_mask(3))

# %% mha-cross-attention
torch.manual_seed(4)
mha = nn.MultiheadAttention(4, 4, kdim=3, vdim=2, batch_first=True).eval()
q, k, v = torch.randn(1, 2, 4), torch.randn(1, 5, 3), torch.randn(1, 5, 2)
with torch.no_grad():
    out, w = mha(q, k, v)
print(out.shape, w, [n for n, _ in mha.named_parameters()], mha.head_dim)
try:
    nn.MultiheadAttention(5, 2)
except AssertionError as e:
    print(e)

# %% mha-unbatched
torch.manual_seed(5)
mha = nn.MultiheadAttention(2, 1).eval()
x = torch.randn(3, 2)
with torch.no_grad():
    out, w = mha(x, x, x)
print(out.shape, w.shape, w, mha.in_proj_weight.shape, mha.in_proj_bias, mha.out_proj)

# %% mha-against-hand
torch.manual_seed(6)
mha = nn.MultiheadAttention(4, 2, batch_first=True).eval()
x = torch.randn(1, 3, 4)
with torch.no_grad():
    q, k, v = (x @ mha.in_proj_weight.T + mha.in_proj_bias).chunk(3, dim=-1)
    q, k, v = (t.view(1, 3, 2, 2).transpose(1, 2) for t in (q, k, v))
    w = torch.softmax(q @ k.mT / 2 ** 0.5, dim=-1)
    hand = mha.out_proj((w @ v).transpose(1, 2).reshape(1, 3, 4))
    out, avg = mha(x, x, x)
print(torch.allclose(hand, out, atol=1e-6), torch.allclose(w.mean(1), avg), hand)

# %% padding-and-causal-together
keep = torch.tensor([[1, 1, 1], [1, 1, 0]]).bool()
causal = torch.tril(torch.ones(3, 3)).bool()
mask = keep[:, None, None, :] & causal[None, None]
print(mask.shape, mask[1, 0], torch.zeros(2, 1, 3, 3).masked_fill(~mask, -torch.inf).softmax(-1)[1])

# %% sliding-window-mask
n, window = 6, 3
i = torch.arange(n)
near = (i[None] <= i[:, None]) & (i[None] > i[:, None] - window)
print(near.int(), near.sum(1), torch.equal(near, torch.tril(torch.ones(n, n)).bool() & torch.triu(torch.ones(n, n), diagonal=-(window - 1)).bool()))

# %% alibi-and-relative-positions
n, h = 4, 2
dist = torch.arange(n)[None] - torch.arange(n)[:, None]
slopes = 2.0 ** -torch.arange(1, h + 1)
print(dist, slopes, (slopes[:, None, None] * dist).tril())

# %% rotary-embedding
d, n = 4, 3
inv = 1.0 / (10000 ** (torch.arange(0, d, 2).float() / d))
angle = torch.outer(torch.arange(n).float(), inv)
x = torch.ones(n, d)
x1, x2 = x[..., : d // 2], x[..., d // 2:]
cos, sin = torch.cos(angle), torch.sin(angle)
print(angle, torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1))

# %% kv-cache-equals-full
torch.manual_seed(8)
q, k, v = (torch.randn(1, 4, 2) for _ in range(3))
full = F.scaled_dot_product_attention(q, k, v, is_causal=True)
outs, ck, cv = [], torch.empty(1, 0, 2), torch.empty(1, 0, 2)
for t in range(4):
    ck, cv = torch.cat([ck, k[:, t:t + 1]], 1), torch.cat([cv, v[:, t:t + 1]], 1)
    outs.append(F.scaled_dot_product_attention(q[:, t:t + 1], ck, cv))
print(torch.allclose(torch.cat(outs, 1), full, atol=1e-6), full, ck.shape)

# %% two-triangles
import torch
import torch.nn.functional as F
from torch.nn.attention.bias import causal_lower_right, causal_upper_left
torch.manual_seed(6)
q, k, v = torch.randn(1, 2, 3, 4), torch.randn(1, 2, 7, 4), torch.randn(1, 2, 7, 4)
print(causal_upper_left(3, 7), causal_lower_right(3, 7))
upper = F.scaled_dot_product_attention(q, k, v, causal_upper_left(3, 7))
print(torch.allclose(upper, F.scaled_dot_product_attention(q, k, v, is_causal=True)))
print(F.scaled_dot_product_attention(q, k, v, attn_mask=causal_lower_right(3, 7)))
print(F.scaled_dot_product_attention(q[:, :, :1], k, v, attn_mask=causal_lower_right(1, 7)))
print(torch.allclose(F.scaled_dot_product_attention(k, k, v, attn_mask=causal_lower_right(7, 7)), F.scaled_dot_product_attention(k, k, v, is_causal=True)))

# %% half-precision-step-by-step
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend
torch.manual_seed(5)
for dtype in (torch.bfloat16, torch.float16):
    q, k, v = (torch.randn(2, 3, rows, width).to(dtype) for rows, width in ((4, 8), (6, 8), (6, 5)))
    print(F.scaled_dot_product_attention(q, k, v)[0, 0], F.scaled_dot_product_attention(q[0], k[0], v[0], is_causal=True)[1])
    x = q[0].clone().requires_grad_()
    out = F.scaled_dot_product_attention(x, k[0], v[0], attn_mask=torch.randn(4, 6).to(dtype))
    print(out[2, 1].detach(), out.grad_fn.name())
print(SDPBackend.MATH, [SDPBackend.FLASH_ATTENTION])
