"""What `attn look` shows of a model: next words, where each head looked, what heads do, and what a logit is made of.

It reads the model through hooks: the weights are what goes through `dropout`, a head is switched off in what goes into
`out_proj`. So it works with any class that is written as the chapter writes it: model.py, gpt2.py and llama.py.
"""

import json

import torch
import torch.nn as nn


class QuestionError(Exception):
    """What is asked does not fit the model."""


def rounded(values, digits=6):
    """The values of a tensor for JSON."""
    if isinstance(values, torch.Tensor):
        values = values.tolist()
    return [rounded(part, digits) for part in values] if isinstance(values, list) else round(values, digits)


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
        hooks.append(attention.W_query.register_forward_pre_hook(keep_input(("read", layer))))
        hooks.append(attention.dropout.register_forward_hook(keep(("weights", layer))))
        hooks.append(attention.W_value.register_forward_hook(keep(("values", layer))))
        hooks.append(block.network.register_forward_hook(keep(("network", layer))))
        if heads:
            hooks.append(attention.out_proj.register_forward_pre_hook(switch_off(heads, attention.head_dim)))
    hooks.append(model.blocks[0].register_forward_pre_hook(keep_input("words")))
    hooks.append(model.norm.register_forward_pre_hook(keep_input("end")))
    try:
        with torch.no_grad():
            logits = model(torch.tensor([numbers]))[0]
    finally:
        for hook in hooks:
            hook.remove()
    if not logits.isfinite().all():
        raise QuestionError("the model answers with logits that are no numbers (nan or inf): its weights are damaged")
    return logits, caught


def parts(model, caught, at, answer, without=()):
    """What each part of the model adds to the logit of `answer` after the word `at`, above the mean of all words' logits."""
    norm = model.norm
    centred = isinstance(norm, nn.LayerNorm)  # RMS norm takes no mean away, and has no bias
    end = caught["end"][at]
    spread = ((end - end.mean() if centred else end).pow(2).mean() + norm.eps) ** 0.5
    direction = model.answer.weight[answer] - model.answer.weight.mean(0)
    reads = direction * norm.weight / spread
    if centred:
        reads = reads - reads.mean()
    constant = norm.bias @ direction if centred else torch.tensor(0.0)
    rows = [{"part": "word and place" if hasattr(model, "place") else "word", "adds": caught["words"][at] @ reads}]
    for layer, block in enumerate(model.blocks):
        attention = block.attention
        heads, size = attention.num_heads, attention.head_dim
        # Several heads of queries may share one of values.
        values = caught["values", layer][: at + 1].unflatten(-1, (attention.num_kv_heads, size))
        values = values.repeat_interleave(heads // attention.num_kv_heads, dim=1)  # (T, H, head_dim)
        toward = (reads @ attention.out_proj.weight).view(heads, size)
        words = caught["weights", layer][:, at, : at + 1] * (values * toward).sum(dim=-1).T  # (H, T)
        for head in range(heads):
            own = words[head] * 0.0 if (layer, head) in without else words[head]
            rows.append({"layer": layer + 1, "head": head + 1, "adds": own.sum(), "words": rounded(own)})
        if attention.out_proj.bias is not None:
            constant = constant + attention.out_proj.bias @ reads
        rows.append({"part": f"network of layer {layer + 1}", "adds": caught["network", layer][at] @ reads})
    if constant != 0.0:
        rows.append({"part": "constants", "adds": constant})
    return [{**row, "adds": rounded(row["adds"])} for row in rows]


def weight_parts(model, caught, layer, head, at, to):
    """One weight, down to the query and the key: the score of each word that may be looked at, and for `to` the products."""
    attention = model.blocks[layer].attention
    queries, keys, _ = attention.heads(caught["read", layer][None])
    query = queries[0, head, at]
    keys = keys[0, head // (attention.num_heads // attention.num_kv_heads), : at + 1]
    return {
        "layer": layer + 1,
        "head": head + 1,
        "to": to,
        "weight": rounded(caught["weights", layer][head, at, to]),
        "query": rounded(query),
        "key": rounded(keys[to]),
        "products": rounded(keys @ query),
        "weights": rounded(caught["weights", layer][head, at, : at + 1]),
    }


def behaviours(weights, numbers):
    """How much of its weight each head of a layer gives, on average over the words that look: to the word before, to the
    first word, and to earlier words that are the same as the one that looks (None if no word comes again)."""
    numbers = torch.tensor(numbers)
    if len(numbers) == 1:
        return [None, None, None]
    same = (numbers[:, None] == numbers).tril(diagonal=-1)
    again = same.any(dim=1)
    before = weights.diagonal(-1, 1, 2).mean(dim=-1)
    rows = [before, weights[:, 1:, 0].mean(dim=-1)]
    rows.append((weights * same).sum(dim=-1)[:, again].mean(dim=-1) if again.any() else None)
    return [None if row is None else rounded(row) for row in rows]


def induction(model, length=24, seed=0):
    """For each layer and head the weight that goes from the second copy of random words to the word after the first copy of
    the one that looks: what a head needs to go on with a text that it has seen before."""
    length = min(length, model.context_length // 2)
    if length < 2:
        return [[None] * block.attention.num_heads for block in model.blocks]
    random = torch.randint(0, model.word.num_embeddings, (length,), generator=torch.Generator().manual_seed(seed)).tolist()
    _, caught = seen(model, random * 2)
    layers = range(len(model.blocks))
    return [rounded(caught["weights", layer].diagonal(1 - length, 1, 2)[:, 1:].mean(dim=-1)) for layer in layers]


def does(model, caught, numbers, at):
    """What each head does, and which word the word `at` looks at most."""
    repeats, layers = induction(model), []
    for layer in range(len(model.blocks)):
        weights = caught["weights", layer]
        columns = [*behaviours(weights, numbers), repeats[layer]]
        columns = [column or [None] * len(weights) for column in columns]
        most = weights[:, at, : at + 1].max(dim=-1)
        columns += [most.indices.tolist(), rounded(most.values)]
        names = ["previous", "first", "same", "induction", "most", "weight"]
        layers.append([dict(zip(names, row)) for row in zip(*columns)])
    return layers


def pieces(tokenizer, numbers):
    """Each token as text, with signs for spaces, line ends and tabs; one that is a part of a character, or nothing that can be
    shown, as its number."""
    signs = str.maketrans({" ": "·", "\n": "↵", "\t": "⇥"})
    texts = [(number, tokenizer.decode([number]).translate(signs)) for number in numbers]
    shown = lambda text: text != "" and text.isprintable() and "\ufffd" not in text
    return [text if shown(text) else f"<{number}>" for number, text in texts]


def number_of(tokenizer, word):
    """The number of a next word; in a text it mostly begins with a space."""
    word = word.translate(str.maketrans({"·": " ", "↵": "\n", "⇥": "\t"}))
    for text in dict.fromkeys([" " + word.lstrip(" "), word]):
        numbers = tokenizer.encode(text, add_special_tokens=False)
        if len(numbers) == 1:
            return numbers[0]
    raise QuestionError(f"`{word}` is no single token but {len(numbers)}: {' '.join(pieces(tokenizer, numbers))}")


@torch.no_grad()
def look(model, tokenizer, text, at=None, without=(), answer=None, maps=None, to=None):
    """All of it, as values for JSON. `at`: which word looks, from 0; the last one if None. `maps`: the heads whose maps are
    wanted; all if None. `to`: a layer, a head and a word there whose weight is worked out."""
    numbers = tokenizer.encode(text)
    if not 0 < len(numbers) <= model.context_length:
        raise QuestionError(f"the text has {len(numbers):,} tokens; the model reads 1 to {model.context_length:,}")
    at = len(numbers) - 1 if at is None else at
    logits, caught = seen(model, numbers, without)
    probabilities = torch.softmax(logits[at], dim=-1)
    best = torch.topk(probabilities, 5).indices.tolist()
    chosen = best[0] if answer is None else number_of(tokenizer, answer)
    whole = torch.softmax(seen(model, numbers)[0][at], dim=-1) if without else probabilities
    listed = torch.topk(whole, 5).indices.tolist() if without else best
    listed = list(dict.fromkeys(listed + [chosen, *best]))
    names = pieces(tokenizer, listed)
    layers = [(layer, range(block.attention.num_heads)) for layer, block in enumerate(model.blocks)]
    shown = lambda layer, head: rounded(caught["weights", layer][head]) if maps is None or (layer, head) in maps else []
    read = tokenizer.decode(numbers[: at + 1], skip_special_tokens=True, clean_up_tokenization_spaces=False)
    found = {
        "text": read,
        "words": pieces(tokenizer, numbers),
        "at": at,
        "next": [
            {"word": name, "share": rounded(probabilities[number]), "whole": rounded(whole[number])}
            for number, name in zip(listed, names)
        ],
        "weights": [[shown(layer, head) for head in heads] for layer, heads in layers],
        "heads": does(model, caught, numbers, at),
        "why": {
            "word": names[listed.index(chosen)],
            "logit": rounded(logits[at, chosen] - logits[at].mean()),
            "parts": parts(model, caught, at, chosen, without),
        },
    }
    if to is not None:
        layer, head, word = to
        found["weight"] = weight_parts(model, caught, layer, head, at, word)
    return found
