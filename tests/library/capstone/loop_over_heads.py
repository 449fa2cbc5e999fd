class MyAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        one = (d_in, d_out // num_heads, context_length, dropout, qkv_bias)
        self.heads = nn.ModuleList([CausalAttention(*one) for _ in range(num_heads)])
        self.out = nn.Linear(d_out, d_out, bias=False)

    def forward(self, x):
        return self.out(torch.cat([h(x) for h in self.heads], dim=-1))
