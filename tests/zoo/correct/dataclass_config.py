from __future__ import annotations

from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass(frozen=True)
class AttentionConfig:
    n_head: int = 4
    dropout: float = 0.0
    bias: bool = False


@dataclass(frozen=True)
class ModelConfig:
    dim: int = 16
    depth: int = 2
    context: int = 8
    vocab: int = 20
    attention: AttentionConfig = field(default_factory=AttentionConfig)

    @property
    def head_dim(self) -> int:
        return self.dim // self.attention.n_head


class Attention(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.cfg = cfg
        self.query = nn.Linear(cfg.dim, cfg.dim, bias=cfg.attention.bias)
        self.key = nn.Linear(cfg.dim, cfg.dim, bias=cfg.attention.bias)
        self.value = nn.Linear(cfg.dim, cfg.dim, bias=cfg.attention.bias)
        self.output = nn.Linear(cfg.dim, cfg.dim, bias=cfg.attention.bias)
        self.dropout = nn.Dropout(cfg.attention.dropout)
        self.register_buffer("visible", torch.tril(torch.ones(cfg.context, cfg.context, dtype=torch.bool)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n, t, _ = x.shape
        shape = (n, t, self.cfg.attention.n_head, self.cfg.head_dim)
        q, k, v = (layer(x).view(shape).movedim(2, 1) for layer in (self.query, self.key, self.value))
        scores = q @ k.mT * self.cfg.head_dim ** -0.5
        scores = scores.masked_fill(self.visible[:t, :t].logical_not(), -float("inf"))
        mixed = self.dropout(scores.softmax(-1)) @ v
        return self.output(mixed.movedim(1, 2).flatten(2))


class Model(nn.Module):
    def __init__(self, cfg: ModelConfig):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.position = nn.Parameter(torch.zeros(cfg.context, cfg.dim))
        self.blocks = nn.ModuleList(
            nn.ModuleDict({"norm": nn.LayerNorm(cfg.dim), "attn": Attention(cfg)}) for _ in range(cfg.depth)
        )

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        x = self.embed(ids) + self.position[: ids.shape[1]]
        for block in self.blocks:
            x = x + block["attn"](block["norm"](x))
        return x @ self.embed.weight.T


def main() -> None:
    torch.manual_seed(0)
    cfg = ModelConfig()
    logits = Model(cfg)(torch.randint(cfg.vocab, (2, 6)))
    print(cfg)
    print(tuple(logits.shape), f"{logits.mean().item():.4f}")


if __name__ == "__main__":
    main()
