# Report: https://github.com/InseeFrLab/torchTextClassifiers/pull/92
# Fixed: True marks the words.
import torch
import torch.nn as nn
import torch.nn.functional as F


class LabelAttention(nn.Module):
    """One learned query for each label attends to the tokens of a text."""

    def __init__(self, num_labels, dim, n_head):
        super().__init__()
        self.n_head = n_head
        self.label_queries = nn.Parameter(torch.randn(num_labels, dim) * 0.02)
        self.key = nn.Linear(dim, dim)
        self.value = nn.Linear(dim, dim)
        self.proj = nn.Linear(dim, 1)

    def forward(self, tokens, attention_mask):
        B, T, C = tokens.shape
        L = self.label_queries.size(0)
        q = self.label_queries.expand(B, L, C)
        q = q.view(B, L, self.n_head, -1).transpose(1, 2)
        k = self.key(tokens).view(B, T, self.n_head, -1).transpose(1, 2)
        v = self.value(tokens).view(B, T, self.n_head, -1).transpose(1, 2)
        mask = attention_mask.ne(0)
        mask = mask[:, None, None, :].expand(B, 1, L, T)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        y = y.transpose(1, 2).reshape(B, L, C)
        return self.proj(y).squeeze(-1)


class TextClassifier(nn.Module):
    def __init__(self, vocab, dim, num_labels, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab, dim, padding_idx=pad_id)
        self.attention = LabelAttention(num_labels, dim, n_head=3)

    def forward(self, ids):
        attention_mask = (ids != self.pad_id).long()
        return self.attention(self.embed(ids), attention_mask)


if __name__ == "__main__":
    torch.manual_seed(9)
    model = TextClassifier(vocab=31, dim=15, num_labels=4)
    ids = torch.tensor(
        [[5, 12, 7, 30, 2, 0, 0, 0], [9, 3, 0, 0, 0, 0, 0, 0], [8, 1, 22, 6, 17, 4, 11, 0]]
    )
    logits = model(ids)
    print(logits.shape)
    print(logits)
