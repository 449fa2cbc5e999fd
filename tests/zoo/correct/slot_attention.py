"""Slot attention: slots compete for the inputs, so the softmax runs over the slots; the weights are then averaged over
the inputs. This axis is right here."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class SlotAttention(nn.Module):
    def __init__(self, num_slots=3, dim=8, iters=3, eps=1e-8):
        super().__init__()
        self.num_slots, self.iters, self.eps = num_slots, iters, eps
        self.scale = dim ** -0.5
        self.slots_mu = nn.Parameter(torch.randn(1, 1, dim))
        self.to_q, self.to_k, self.to_v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.update = nn.Linear(2 * dim, dim)
        self.norm_input, self.norm_slots = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, inputs):
        b, n, d = inputs.shape
        slots = self.slots_mu + 0.1 * torch.randn(b, self.num_slots, d)
        inputs = self.norm_input(inputs)
        k, v = self.to_k(inputs), self.to_v(inputs)
        for _ in range(self.iters):
            q = self.to_q(self.norm_slots(slots))
            dots = torch.einsum("bid,bjd->bij", q, k) * self.scale
            attn = dots.softmax(dim=1) + self.eps
            attn = attn / attn.sum(dim=-1, keepdim=True)
            updates = torch.einsum("bjd,bij->bid", v, attn)
            slots = torch.tanh(self.update(torch.cat([updates, slots], dim=-1)))
        return slots


torch.manual_seed(91)
slots = SlotAttention()(torch.randn(2, 10, 8))
print(slots.shape, f"{slots.sum().item():.3f}")
