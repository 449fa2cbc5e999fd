# PyTorch's own layers: an encoder with padding and a decoder with a causal mask, both in eval mode.
import torch
import torch.nn as nn

torch.manual_seed(15)
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, dim_feedforward=16, batch_first=True), num_layers=2,
                                enable_nested_tensor=False)
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, dim_feedforward=16, batch_first=True), num_layers=1)
encoder.eval()
decoder.eval()
source, target = torch.randn(2, 6, 8), torch.randn(2, 4, 8)
padding = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
causal = torch.triu(torch.ones(4, 4), diagonal=1).bool()
memory = encoder(source, src_key_padding_mask=padding)
out = decoder(target, memory, tgt_mask=causal, memory_key_padding_mask=padding)
print(memory.shape, out.shape)
print(f"{out.abs().sum().item():.3f} {out[:, :, 0].sum().item():.3f}")
