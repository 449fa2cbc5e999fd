"""SASRec: self-attentive sequential recommendation with sampled negatives, HR@5 / NDCG@5 on the last item."""
import argparse
import math
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--maxlen", type=int, default=10)
parser.add_argument("--hidden", type=int, default=24)
parser.add_argument("--blocks", type=int, default=2)
parser.add_argument("--heads", type=int, default=2)
parser.add_argument("--dropout", type=float, default=0.1)
parser.add_argument("--l2_emb", type=float, default=1e-4)
parser.add_argument("--clip", type=float, default=0.05)
parser.add_argument("--steps", type=int, default=46)
args = parser.parse_args([])

random.seed(2)
np.random.seed(2)
torch.manual_seed(2)
N_USERS, N_ITEMS = 160, 30  # item ids start at 1, 0 is padding


def simulate_user():
    """users walk around the catalogue in steps that repeat"""
    item, stride = random.randint(1, N_ITEMS), random.choice([1, 2, 3])
    hist = []
    for _ in range(random.randint(6, 14)):
        hist.append(item)
        item = (item - 1 + stride) % N_ITEMS + 1
        if random.random() < 0.05:
            item = random.randint(1, N_ITEMS)
    return hist


users = [simulate_user() for _ in range(N_USERS)]


def sample(u):
    """left-padded (seq, pos, neg); the last item of a user is kept for the test"""
    hist = users[u][:-1]
    seq = np.zeros(args.maxlen, dtype=np.int64)
    pos = np.zeros(args.maxlen, dtype=np.int64)
    neg = np.zeros(args.maxlen, dtype=np.int64)
    seen = set(users[u])
    nxt, i = hist[-1], args.maxlen - 1
    for it in reversed(hist[:-1]):
        seq[i], pos[i] = it, nxt
        while True:
            t = np.random.randint(1, N_ITEMS + 1)
            if t not in seen:
                break
        neg[i] = t
        nxt, i = it, i - 1
        if i < 0:
            break
    return seq, pos, neg


class SASAttention(nn.Module):
    def __init__(self, dim, heads, dropout):
        super().__init__()
        self.heads, self.hd = heads, dim // heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, q_in, kv_in, blocked):
        B, T, D = q_in.shape
        q = self.q_proj(q_in).view(B, T, self.heads, self.hd).transpose(1, 2)
        k = self.k_proj(kv_in).view(B, T, self.heads, self.hd).transpose(1, 2)
        v = self.v_proj(kv_in).view(B, T, self.heads, self.hd).transpose(1, 2)
        w = q @ k.transpose(-1, -2) / math.sqrt(self.hd)
        w = w.masked_fill(blocked, -1e9)
        w = self.drop(F.softmax(w, dim=-1))
        return (w @ v).transpose(1, 2).reshape(B, T, D)


class PointWiseFeedForward(nn.Module):
    def __init__(self, dim, dropout):
        super().__init__()
        self.conv1 = nn.Conv1d(dim, dim, 1)
        self.conv2 = nn.Conv1d(dim, dim, 1)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        h = F.relu(self.conv1(x.transpose(1, 2)))
        return self.drop(self.conv2(h).transpose(1, 2))


class SASRec(nn.Module):
    def __init__(self, args):
        super().__init__()
        D = args.hidden
        self.item_emb = nn.Embedding(N_ITEMS + 1, D, padding_idx=0)
        self.pos_emb = nn.Embedding(args.maxlen, D)
        self.emb_drop = nn.Dropout(args.dropout)
        self.attn_norms = nn.ModuleList(nn.LayerNorm(D) for _ in range(args.blocks))
        self.attns = nn.ModuleList(SASAttention(D, args.heads, args.dropout) for _ in range(args.blocks))
        self.ff_norms = nn.ModuleList(nn.LayerNorm(D) for _ in range(args.blocks))
        self.ffs = nn.ModuleList(PointWiseFeedForward(D, args.dropout) for _ in range(args.blocks))
        self.last_norm = nn.LayerNorm(D)

    def encode(self, seq):
        T = seq.size(1)
        x = self.item_emb(seq) * math.sqrt(self.item_emb.embedding_dim)
        x = self.emb_drop(x + self.pos_emb(torch.arange(T)))
        future = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        padded = (seq == 0)[:, None, None, :]
        # a position always sees itself, so that the rows of the padding are not empty
        blocked = future | (padded & ~torch.eye(T, dtype=torch.bool))
        for n1, attn, n2, ff in zip(self.attn_norms, self.attns, self.ff_norms, self.ffs):
            x = x + attn(n1(x), x, blocked)
            x = x + ff(n2(x))
        return self.last_norm(x)

    def forward(self, seq, pos, neg):
        h = self.encode(seq)
        return (h * self.item_emb(pos)).sum(-1), (h * self.item_emb(neg)).sum(-1)

    def predict(self, seq):
        h = self.encode(seq)[:, -1]
        return h @ self.item_emb.weight[1:].t()


model = SASRec(args)
nn.init.normal_(model.item_emb.weight[1:].detach(), std=0.1)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, betas=(0.9, 0.98))
bce = nn.BCEWithLogitsLoss()

model.train()
for step in range(args.steps):
    batch = [sample(u) for u in np.random.choice(N_USERS, 48, replace=False)]
    seq, pos, neg = (torch.from_numpy(np.stack(a)) for a in zip(*batch))
    pos_logits, neg_logits = model(seq, pos, neg)
    real = pos != 0
    loss = bce(pos_logits[real], torch.ones_like(pos_logits[real]))
    loss = loss + bce(neg_logits[real], torch.zeros_like(neg_logits[real]))
    loss = loss + args.l2_emb * model.item_emb.weight.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), args.clip)
    optimizer.step()
    if step % 15 == 0 or step == args.steps - 1:
        print(f"round {step:3d} loss {loss.item():.4f}")

model.eval()
seqs = np.zeros((N_USERS, args.maxlen), dtype=np.int64)
for u, hist in enumerate(users):
    h = hist[:-1][-args.maxlen:]
    seqs[u, -len(h):] = h
target = torch.tensor([h[-1] for h in users]) - 1
with torch.no_grad():
    scores = model.predict(torch.from_numpy(seqs))
own = scores.gather(1, target[:, None])
rank = (scores > own).sum(dim=1)
hit = (rank < 5).float()
ndcg = torch.where(rank < 5, 1.0 / torch.log2(rank.float() + 2.0), torch.zeros(N_USERS))
print("scores", tuple(scores.shape))
print(f"HR@5 {hit.mean():.3f}  NDCG@5 {ndcg.mean():.3f}  mean rank {rank.float().mean():.2f}")
