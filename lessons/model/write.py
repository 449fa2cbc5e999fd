"""How `attn write` writes: token after token, each chosen by its probability.

Works with any model whose class is written as the chapter writes it: model.py, gpt2.py and llama.py.
"""

import torch


def chosen(logits, temperature=0.0, top_k=None, top_p=None):
    """The number of the next token: the most likely one, or one that is drawn."""
    if temperature <= 0.0:
        return logits.argmax().item()
    logits = logits / temperature
    if top_k is not None:
        logits = logits.masked_fill(logits < logits.topk(min(top_k, len(logits))).values[-1], -torch.inf)
    if top_p is not None:
        ordered, places = torch.softmax(logits, dim=-1).sort(descending=True)
        # A token stays while those before it have less than top_p together.
        logits[places[ordered.cumsum(dim=-1) - ordered >= top_p]] = -torch.inf
    return torch.multinomial(torch.softmax(logits, dim=-1), num_samples=1).item()


@torch.no_grad()
def written(model, numbers, tokens, stop=(), cached=True, **choice):
    """Yields one token after another. With the cache, which has the keys and values of all before it, each is read once."""
    caches = [{} for _ in model.blocks]
    texts = torch.tensor([numbers])
    for _ in range(min(tokens, model.context_length - len(numbers))):
        logits = model(texts, caches) if cached else model(texts)
        number = chosen(logits[0, -1], **choice)
        yield number
        if number in stop:
            return
        new = torch.tensor([[number]])
        texts = new if cached else torch.cat([texts, new], dim=1)


def told(tokenizer, before, stream, hidden=()):
    """The text of tokens as they come, each piece with how many tokens it is. A character of several tokens waits for its
    last. `before`: the tokens before the first, of which the last matters."""
    before, waiting = before[-1:], []
    for number in stream:
        if number in hidden:
            yield "", 1
            continue
        waiting.append(number)
        text = tokenizer.decode(before + waiting, clean_up_tokenization_spaces=False)
        if not text.endswith("\ufffd"):
            yield text[len(tokenizer.decode(before, clean_up_tokenization_spaces=False)) :], len(waiting)
            before, waiting = waiting, []
    if waiting:
        yield tokenizer.decode(waiting, clean_up_tokenization_spaces=False), len(waiting)
