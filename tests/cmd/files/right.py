# %%
import torch, math
import torch.nn as nn
import torch.nn.functional as F
torch.manual_seed(0)
# minGPT-like
class CSA(nn.Module):
    def __init__(self, C=16, H=4, T=8, p=0.1):
        super().__init__()
        self.c_attn = nn.Linear(C, 3*C); self.c_proj = nn.Linear(C, C)
        self.attn_drop = nn.Dropout(p); self.resid = nn.Dropout(p)
        self.register_buffer("bias", torch.tril(torch.ones(T, T)).view(1, 1, T, T))
        self.H, self.C = H, C
    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.C, dim=2)
        k = k.view(B, T, self.H, C // self.H).transpose(1, 2)
        q = q.view(B, T, self.H, C // self.H).transpose(1, 2)
        v = v.view(B, T, self.H, C // self.H).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        att = self.attn_drop(att)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid(self.c_proj(y))
m = CSA(); opt = torch.optim.AdamW(m.parameters(), lr=1e-3)
# %%
for step in range(5):
    x = torch.randn(2, 8, 16)
    loss = (m(x) - x).pow(2).mean()
    pass
m.eval()
with torch.no_grad(): print(m(torch.randn(2, 5, 16)).shape)
# %%
# rasbt combined qkv
class Comb(nn.Module):
    def __init__(s, d_in, d_out, num_heads, T):
        super().__init__(); s.h=num_heads; s.hd=d_out//num_heads; s.d=d_out
        s.qkv = nn.Linear(d_in, 3*d_out); s.proj = nn.Linear(d_out,d_out)
        s.register_buffer("mask", torch.triu(torch.ones(T,T),1))
    def forward(s, x):
        b, t, _ = x.shape
        qkv = s.qkv(x).view(b, t, 3, s.h, s.hd).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        sc = q @ k.transpose(-2, -1)
        sc = sc.masked_fill(s.mask.bool()[:t,:t], -torch.inf)
        w = torch.softmax(sc / k.shape[-1]**-0.5 if False else sc / k.shape[-1]**0.5, dim=-1)
        c = (w @ v).transpose(1,2).reshape(b, t, s.d)
        return s.proj(c)
Comb(6, 8, 2, 5)(torch.rand(3, 5, 6))
# %%
# padding mask, cross attention, -1e9
q = torch.rand(2, 4, 5, 8); k = torch.rand(2, 4, 7, 8); v = torch.rand(2,4,7,8)
pad = torch.tensor([[0,0,0,0,0,1,1],[0,0,0,0,0,0,0]]).bool()[:, None, None, :]
s = torch.matmul(q, k.transpose(-2,-1)) / math.sqrt(8)
s = s.masked_fill(pad, -1e9)
a = s.softmax(-1)
o = torch.matmul(a, v)
o.transpose(1,2).reshape(2,5,32).shape
# %%
# loops as in the book
inputs = torch.rand(6,3)
res = torch.empty(6,6)
for i, a in enumerate(inputs):
    for j, b in enumerate(inputs):
        res[i,j] = torch.dot(a,b)
w = torch.softmax(res, dim=-1)
ctx = w @ inputs
q2 = inputs[1]
w2 = torch.softmax(inputs @ q2, dim=0)
c2 = torch.zeros(3)
for i, x in enumerate(inputs): c2 += w2[i]*x
# classification then embedding average
logits = torch.rand(4, 10); E = torch.rand(10, 3)
soft = logits.softmax(-1) @ E
# temperature sampling
p = torch.softmax(logits / 0.7, dim=-1); torch.multinomial(p, 1)
# relative bias
S = (torch.rand(6,4) @ torch.rand(4,6)) / 2 + torch.rand(6,6)
(torch.softmax(S, -1) @ torch.rand(6,4)).shape
# alibi-ish 0/1 distances? additive mask
M = torch.zeros(6,6).masked_fill(torch.triu(torch.ones(6,6),1).bool(), float('-inf'))
(torch.softmax(S + M, -1) @ torch.rand(6,4)).shape
# %%
enc = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2)
enc(torch.rand(2, 5, 8), mask=nn.Transformer.generate_square_subsequent_mask(5))
enc.eval()(torch.rand(2, 5, 8))
# %%
x1 = torch.rand(1, 4, 8)
F.scaled_dot_product_attention(x1, x1, x1, is_causal=True, dropout_p=0.0)
# sliding window mask
band = (torch.arange(6)[:,None] - torch.arange(6)[None,:])
band = (band < 0) | (band > 2)
(torch.softmax(S.masked_fill(band, -torch.inf), -1) @ torch.rand(6,4))
# top-k
v_, i_ = torch.topk(S, 3); (torch.softmax(torch.full_like(S, -torch.inf).scatter(-1, i_, v_), -1) @ torch.rand(6,4))
# talking heads / distill
(torch.softmax(S, -1)[2] @ torch.rand(6,4))
torch.softmax(S, dim=0).sum(0)
