class MyAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.n = num_heads
        self.c_attn = nn.Linear(d_in, 3 * d_out, bias=qkv_bias)
        self.c_proj = nn.Linear(d_out, d_out)
        self.attn_dropout = nn.Dropout(dropout)
        self.register_buffer("bias", torch.tril(torch.ones(context_length, context_length)).view(1, 1, context_length, context_length))

    def forward(self, x):
        B, T, C = x.size()
        qkv = self.c_attn(x)
        C = qkv.size(-1) // 3
        q, k, v = qkv.split(C, dim=2)
        k = k.view(B, T, self.n, C // self.n).transpose(1, 2)
        q = q.view(B, T, self.n, C // self.n).transpose(1, 2)
        v = v.view(B, T, self.n, C // self.n).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / (k.size(-1) ** 0.5))
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = self.attn_dropout(torch.softmax(att, dim=-1))
        y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y)
