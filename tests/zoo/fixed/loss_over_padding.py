# Report: https://github.com/huggingface/trl/pull/1625
# Fixed: the labels of padding are those that the loss leaves out.
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD_ID = 0
LABEL_PAD = -100


class PolicyLM(nn.Module):
    def __init__(self, vocab, dim, heads):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.lm_head = nn.Linear(dim, vocab)

    def forward(self, ids, attention_mask):
        b, t = ids.shape
        h = self.embed(ids)
        q, k, v = self.qkv(h).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        causal = torch.ones(t, t, dtype=torch.bool).tril()
        keep = causal & attention_mask[:, None, None, :].bool()
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
        return self.lm_head(h + self.proj(y.transpose(1, 2).reshape(b, t, -1)))


def collate(sequences):
    n = max(len(s) for s in sequences)
    ids = torch.full((len(sequences), n), PAD_ID)
    mask = torch.zeros(len(sequences), n, dtype=torch.long)
    for row, seq in enumerate(sequences):
        ids[row, : len(seq)] = torch.tensor(seq)
        mask[row, : len(seq)] = 1
    return ids, mask


def nll_loss(model, ids, attention_mask):
    logits = model(ids, attention_mask)
    labels = torch.where(attention_mask == 1, ids, LABEL_PAD)
    logits = logits[:, :-1].reshape(-1, logits.size(-1))
    labels = labels[:, 1:].reshape(-1)
    return F.cross_entropy(logits, labels, ignore_index=LABEL_PAD)


if __name__ == "__main__":
    torch.manual_seed(67)
    model = PolicyLM(vocab=25, dim=21, heads=3)
    sequences = [[4, 9, 3], [8, 8, 14, 2, 19, 23, 6, 11], [7, 1, 20, 5, 16]]
    ids, mask = collate(sequences)
    loss = nll_loss(model, ids, mask)
    loss.backward()
    print(ids.shape, "loss", f"{loss.item():.4f}")
    print("grad", f"{model.lm_head.weight.grad.norm().item():.4f}")
