"""What `attn look` shows of the model: next words, where each head looked, and what each part adds to a logit.

It reads the model through hooks: the weights are what goes through `dropout`, a head is switched off in what goes into
`out_proj`. So it works with any class that is written as the chapter writes it.
"""

import json

import torch


def rounded(tensor, digits=6):
    return [rounded(part, digits) for part in tensor] if tensor.dim() else round(tensor.item(), digits)


def seen(model, numbers, without=()):
    """Runs the model without the heads [(layer, head), ...] and returns its logits and what went through its parts."""
    caught, hooks = {}, []

    def keep(name):
        def kept(module, inputs, output):
            caught[name] = output[0]

        return kept

    def keep_input(name):
        def kept(module, inputs):
            caught[name] = inputs[0][0]

        return kept

    def switch_off(heads, size):
        def changed(module, inputs):
            context_vec = inputs[0].clone()
            for head in heads:
                context_vec[..., head * size : (head + 1) * size] = 0.0
            return (context_vec,)

        return changed

    for layer, block in enumerate(model.blocks):
        attention = block.attention
        heads = [head for at, head in without if at == layer]
        hooks.append(attention.dropout.register_forward_hook(keep(("weights", layer))))
        hooks.append(attention.W_value.register_forward_hook(keep(("values", layer))))
        hooks.append(attention.out_proj.register_forward_pre_hook(switch_off(heads, attention.head_dim)))
        hooks.append(block.network.register_forward_hook(keep(("network", layer))))
    hooks.append(model.blocks[0].register_forward_pre_hook(keep_input("words")))
    hooks.append(model.norm.register_forward_pre_hook(keep_input("end")))
    with torch.no_grad():
        logits = model(torch.tensor([numbers]))[0]
    for hook in hooks:
        hook.remove()
    return logits, caught


def parts(model, caught, at, answer, without=()):
    """What each part of the model adds to the logit of `answer` after the word `at`, above the mean of all words' logits."""
    norm = model.norm
    end = caught["end"][at]
    spread = (end.var(unbiased=False) + norm.eps) ** 0.5
    direction = model.answer.weight[answer] - model.answer.weight.mean(0)
    reads = direction * norm.weight / spread
    reads = reads - reads.mean()  # the last norm takes the mean away
    rows = [{"part": "word and place", "adds": caught["words"][at] @ reads}]
    constant = norm.bias @ direction
    for layer, block in enumerate(model.blocks):
        attention = block.attention
        for head in range(attention.num_heads):
            own = slice(head * attention.head_dim, (head + 1) * attention.head_dim)
            read = caught["values", layer][: at + 1, own] @ (attention.out_proj.weight[:, own].T @ reads)
            words = caught["weights", layer][head, at, : at + 1] * read
            if (layer, head) in without:
                words = words * 0.0
            rows.append({"layer": layer + 1, "head": head + 1, "adds": words.sum(), "words": rounded(words)})
        constant = constant + attention.out_proj.bias @ reads
        rows.append({"part": f"network of layer {layer + 1}", "adds": caught["network", layer][at] @ reads})
    rows.append({"part": "constants", "adds": constant})
    return [{**row, "adds": rounded(row["adds"])} for row in rows]


@torch.no_grad()
def look(model, words, sentence, at=None, without=(), answer=None):
    """All of it, as values for JSON. `at`: which word looks, from 0; the last one if None."""
    numbers = [words.index(word) for word in sentence]
    at = len(numbers) - 1 if at is None else at
    logits, caught = seen(model, numbers, without)
    probabilities = torch.softmax(logits[at], dim=-1)
    best = torch.topk(probabilities, 5).indices.tolist()
    chosen = best[0] if answer is None else words.index(answer)
    whole = torch.softmax(seen(model, numbers)[0][at], dim=-1) if without else probabilities
    listed = torch.topk(whole, 5).indices.tolist() if without else best
    listed = listed + [number for number in [chosen, *best] if number not in listed]
    return {
        "words": sentence,
        "at": at,
        "next": [
            {"word": words[number], "share": rounded(probabilities[number]), "whole": rounded(whole[number])}
            for number in dict.fromkeys(listed)
        ],
        "weights": [rounded(caught["weights", layer]) for layer in range(len(model.blocks))],
        "why": {
            "word": words[chosen],
            "logit": rounded(logits[at, chosen] - logits[at].mean()),
            "parts": parts(model, caught, at, chosen, without),
        },
    }
