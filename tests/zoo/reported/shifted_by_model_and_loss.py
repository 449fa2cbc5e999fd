# Expected: targets-not-shifted
# Report: https://github.com/huggingface/transformers/pull/37830
# Mistake: the model shifts logits and labels, and the loss function shifts the labels again.
import torch
import torch.nn as nn
import torch.nn.functional as F


def causal_lm_loss(logits, labels, ignore_index=-100):
    logits = logits.float()
    labels = F.pad(labels, (0, 1), value=ignore_index)
    shift_labels = labels[..., 1:].contiguous()
    return F.cross_entropy(
        logits.view(-1, logits.size(-1)), shift_labels.view(-1), ignore_index=ignore_index
    )


class ExpertLM(nn.Module):
    def __init__(self, vocab, dim, heads):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(vocab, dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.lm_head = nn.Linear(dim, vocab, bias=False)
        self.loss_function = causal_lm_loss

    def forward(self, input_ids, labels=None):
        b, t = input_ids.shape
        h = self.embed(input_ids)
        q, k, v = self.qkv(h).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        h = h + y.transpose(1, 2).reshape(b, t, -1)
        logits = self.lm_head(h)
        loss = None
        if labels is not None:
            shift_logits = logits[..., :-1, :].contiguous()
            shift_labels = labels[..., 1:].contiguous()
            loss = self.loss_function(shift_logits, shift_labels)
        return logits, loss


if __name__ == "__main__":
    torch.manual_seed(53)
    model = ExpertLM(vocab=13, dim=16, heads=2)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.03)
    ids = (torch.arange(9)[None] + torch.tensor([[0], [4], [7]])) % 13
    for step in range(25):
        logits, loss = model(ids, labels=ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", f"{loss.item():.4f}")
    print("after", ids[0, :5].tolist(), "comes", logits[0, 4].argmax().item())
