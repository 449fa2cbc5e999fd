class MyAttention(nn.Module):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads, qkv_bias=False):
        super().__init__()
        self.hd = d_out // num_heads
        lin = lambda: nn.ModuleList([nn.Linear(d_in, self.hd, bias=qkv_bias) for _ in range(num_heads)])
        self.q, self.k, self.v = lin(), lin(), lin()
        self.drop = nn.Dropout(dropout)
        self.proj = nn.Linear(d_out, d_out)

    def forward(self, x):
        t = x.size(1)
        keep = torch.tril(torch.ones(t, t, dtype=torch.bool))
        outs = []
        for q, k, v in zip(self.q, self.k, self.v):
            s = q(x) @ k(x).mT / self.hd ** 0.5
            s[:, ~keep] = float("-inf")
            outs.append(self.drop(s.softmax(-1)) @ v(x))
        return self.proj(torch.cat(outs, -1))
