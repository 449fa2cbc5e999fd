"""Preference training of a small decoder: SFT warm-up, a reward model, then DPO."""
import copy
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(21)
PAD, BOS, EOS, SEP = 0, 1, 2, 3
VOCAB, DIM, HEADS, MAXLEN = 24, 40, 4, 20


class SelfAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.out_proj = nn.Linear(dim, dim)

    def forward(self, x, attention_mask):
        bsz, seq, dim = x.shape
        q = self.q_proj(x).view(bsz, seq, self.heads, -1).transpose(1, 2)
        k = self.k_proj(x).view(bsz, seq, self.heads, -1).transpose(1, 2)
        v = self.v_proj(x).view(bsz, seq, self.heads, -1).transpose(1, 2)
        scores = q @ k.transpose(-1, -2) / math.sqrt(dim // self.heads)
        causal = torch.ones(seq, seq, dtype=torch.bool).tril()
        keep = causal[None, None] & attention_mask[:, None, None, :].bool()
        scores = scores.masked_fill(~keep, torch.finfo(scores.dtype).min)
        out = scores.softmax(dim=-1) @ v
        return self.out_proj(out.transpose(1, 2).reshape(bsz, seq, dim))


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.ln1, self.ln2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = SelfAttention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x, attention_mask):
        x = x + self.attn(self.ln1(x), attention_mask)
        return x + self.mlp(self.ln2(x))


class Backbone(nn.Module):
    def __init__(self, n_layers=2):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, DIM, padding_idx=PAD)
        self.pos = nn.Embedding(MAXLEN, DIM)
        self.blocks = nn.ModuleList([Block(DIM, HEADS) for _ in range(n_layers)])
        self.norm = nn.LayerNorm(DIM)

    def forward(self, ids, attention_mask):
        # left padding: positions count the real tokens only
        position_ids = (attention_mask.cumsum(dim=-1) - 1).clamp(min=0)
        x = self.tok(ids) + self.pos(position_ids)
        for block in self.blocks:
            x = block(x, attention_mask)
        return self.norm(x)


class PolicyModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.lm_head = nn.Linear(DIM, VOCAB, bias=False)

    def forward(self, ids, attention_mask):
        return self.lm_head(self.backbone(ids, attention_mask))


class RewardModel(nn.Module):
    def __init__(self, backbone):
        super().__init__()
        self.backbone = backbone
        self.v_head = nn.Linear(DIM, 1, bias=False)

    def forward(self, ids, attention_mask):
        hidden = self.backbone(ids, attention_mask)
        return self.v_head(hidden[:, -1])  # (bsz, 1)


# ------------------------------------------------------------------ data
def make_pair(gen):
    """Prompt: a few tokens. Preferred answer: the tokens in rising order; rejected: falling order."""
    n = int(torch.randint(3, 7, (1,), generator=gen))
    prompt = (4 + torch.randperm(VOCAB - 4, generator=gen)[:n]).tolist()
    head = [BOS] + prompt + [SEP]
    return head, sorted(prompt) + [EOS], sorted(prompt, reverse=True) + [EOS]


def collate(prompts, answers):
    """Left padding; response_mask is 1 on answer tokens."""
    rows = [p + a for p, a in zip(prompts, answers)]
    width = max(len(r) for r in rows)
    ids = torch.full((len(rows), width), PAD)
    attention_mask = torch.zeros(len(rows), width, dtype=torch.long)
    response_mask = torch.zeros(len(rows), width)
    for i, (row, answer) in enumerate(zip(rows, answers)):
        ids[i, width - len(row):] = torch.tensor(row)
        attention_mask[i, width - len(row):] = 1
        response_mask[i, width - len(answer):] = 1.0
    return ids, attention_mask, response_mask


def get_batch(gen, size=8):
    prompts, chosen, rejected = zip(*[make_pair(gen) for _ in range(size)])
    return collate(prompts, chosen), collate(prompts, rejected)


def sequence_logps(model, ids, attention_mask, response_mask):
    """Sum of the answer tokens' log-probabilities, one number per sequence."""
    logits = model(ids, attention_mask)[:, :-1]
    labels = ids[:, 1:]
    mask = response_mask[:, 1:]
    logps = torch.gather(logits.log_softmax(-1), 2, labels.unsqueeze(2)).squeeze(2)
    return (logps * mask).sum(-1)


gen = torch.Generator().manual_seed(0)
held_out = get_batch(torch.Generator().manual_seed(1), 48)

# ------------------------------------------------------------------ 1. SFT on both kinds of answers
policy = PolicyModel()
print("policy parameters:", sum(p.numel() for p in policy.parameters()))
optimizer = torch.optim.AdamW(policy.parameters(), lr=5e-3)
for step in range(20):
    chosen, rejected = get_batch(gen)
    tokens = chosen[2].sum() + rejected[2].sum()
    loss = -(sequence_logps(policy, *chosen).sum() + sequence_logps(policy, *rejected).sum()) / tokens
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(f"sft loss {loss.item():.4f}")

# ------------------------------------------------------------------ 2. reward model
reward_model = RewardModel(copy.deepcopy(policy.backbone))
rm_optimizer = torch.optim.AdamW(reward_model.parameters(), lr=2e-3)
for step in range(16):
    chosen, rejected = get_batch(gen)
    r_chosen = reward_model(chosen[0], chosen[1]).squeeze(-1)
    r_rejected = reward_model(rejected[0], rejected[1]).squeeze(-1)
    rm_loss = -F.logsigmoid(r_chosen - r_rejected).mean()
    rm_optimizer.zero_grad()
    rm_loss.backward()
    rm_optimizer.step()
with torch.no_grad():
    margin = reward_model(*held_out[0][:2]) - reward_model(*held_out[1][:2])
print(f"reward model loss {rm_loss.item():.4f}, held-out accuracy {(margin > 0).float().mean():.3f}")

# ------------------------------------------------------------------ 3. DPO
beta = 0.1
reference = copy.deepcopy(policy).eval()
for p in reference.parameters():
    p.requires_grad_(False)
dpo_optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-3)
for step in range(16):
    chosen, rejected = get_batch(gen)
    pi_chosen, pi_rejected = sequence_logps(policy, *chosen), sequence_logps(policy, *rejected)
    with torch.no_grad():
        ref_chosen, ref_rejected = sequence_logps(reference, *chosen), sequence_logps(reference, *rejected)
    logits = (pi_chosen - pi_rejected) - (ref_chosen - ref_rejected)
    loss = -F.logsigmoid(beta * logits).mean()
    dpo_optimizer.zero_grad()
    loss.backward()
    dpo_optimizer.step()
    if step % 5 == 0:
        print(f"dpo {step}: loss {loss.item():.4f} margin {(beta * logits).mean().item():.4f}")

policy.eval()
with torch.no_grad():
    wins = sequence_logps(policy, *held_out[0]) > sequence_logps(policy, *held_out[1])
    print(f"policy prefers the chosen answer: {wins.float().mean():.3f}")
    one, padded = collate([[BOS, 9, 5, SEP]], [[5, 9, EOS]]), held_out[0][0].shape[1]
    wide = [F.pad(t, (padded - t.shape[1], 0)) for t in one]
    a, b = sequence_logps(policy, *one), sequence_logps(policy, *wide)
print("padding changes nothing:", torch.allclose(a, b, atol=1e-4))
