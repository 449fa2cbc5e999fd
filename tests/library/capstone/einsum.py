class MyAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.h, self.w = num_heads, d_out // num_heads
        self.q = nn.Parameter(torch.randn(num_heads, d_in, self.w))
        self.k = nn.Parameter(torch.randn(num_heads, d_in, self.w))
        self.v = nn.Parameter(torch.randn(num_heads, d_in, self.w))
        self.bias = nn.Parameter(torch.zeros(3, num_heads, 1, self.w)) if qkv_bias else None
        self.o = nn.Parameter(torch.randn(num_heads, self.w, d_out))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        q, k, v = [torch.einsum("btd,hdw->bhtw", x, m) for m in (self.q, self.k, self.v)]
        if self.bias is not None:
            q, k, v = q + self.bias[0], k + self.bias[1], v + self.bias[2]
        s = torch.einsum("bhqw,bhkw->bhqk", q, k) * self.w**-0.5
        t = x.shape[1]
        s = s + torch.triu(torch.full((t, t), -torch.inf), diagonal=1)
        a = self.drop(s.softmax(dim=-1))
        return torch.einsum("bhqk,bhkw,hwo->bqo", a, v, self.o)
