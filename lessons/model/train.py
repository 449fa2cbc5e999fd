"""Trains the small model and measures it. Needs PyTorch 2.6; attn does not run this file.

    python train.py              # trains, writes words.txt and model.safetensors, then measures
    python train.py --measure    # measures the model that is there: writes tests/golden/trained_model.json

Everything is drawn from stated seeds. The weights are rounded to half precision before anything is measured, so the
figures are those of the file. Each behaviour is measured on 100 sentences that were not trained on.
"""

import bisect
import json
import os
import random
import struct
import sys
import textwrap
import time

import torch
import torch.nn as nn
import torch.nn.functional as F

import sentences
from look import look, seen
from model import Model, Words

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS, BATCH, RATE = 2500, 64, 3e-3
TRAINING_SEED, SENTENCE_SEED, MEASURING_SEED = 2, 102, 2026
HEADS = [(layer, head) for layer in range(2) for head in range(4)]


def path(name):
    return os.path.join(HERE, name)


def texts():
    """The texts of one step."""
    return [sentences.sentence() for _ in range(BATCH)]


def batch(number):
    rows = [[number[word] for word in text] for text in texts()]
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [-100] * (longest - len(row)) for row in rows])


def train():
    words = sentences.vocabulary()
    number = {word: at for at, word in enumerate(words)}
    torch.manual_seed(TRAINING_SEED)
    random.seed(SENTENCE_SEED)
    model = Model(len(words))
    nn.init.normal_(model.word.weight, std=0.1)
    nn.init.normal_(model.place.weight, std=0.1)
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98))
    start = time.time()
    for step in range(STEPS):
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / 100) * (1 - step / STEPS)
        rows = batch(number)
        logits = model(rows[:, :-1].clamp(min=0))
        loss = F.cross_entropy(logits.flatten(0, 1), rows[:, 1:].flatten(), ignore_index=-100)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 250 == 0 or step == STEPS - 1:
            print(f"step {step}: loss {loss.item():.4f}, {time.time() - start:.0f} s", flush=True)
    with open(path("words.txt"), "w") as file:
        file.write("\n".join(textwrap.wrap(" ".join(words), 100)) + "\n")
    save(model.state_dict())


def save(state):
    header, parts, end = {}, [], 0
    for name in sorted(state):
        data = state[name].half().contiguous().numpy().tobytes()
        header[name] = {"dtype": "F16", "shape": list(state[name].shape), "data_offsets": [end, end + len(data)]}
        parts.append(data)
        end += len(data)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path("model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(parts))


def loaded():
    from safetensors.torch import load_file

    with open(path("words.txt")) as file:
        tokenizer = Words(file.read())
    model = Model(len(tokenizer.words))
    model.load_state_dict(load_file(path("model.safetensors")))
    return model.eval(), tokenizer


def trained_on():
    """All sentences of the training, in the order of the alphabet: they are drawn again."""
    random.seed(SENTENCE_SEED)
    return sorted({" ".join(one) for _ in range(STEPS) for one in texts()})


def unseen(kind, known, count=100):
    """Sentences of a behaviour of which none was trained on, each with the words that are right and the one that decides."""
    random.seed(MEASURING_SEED)
    found = {}
    while len(found) < count:
        words, _, answers, decides, *_ = sentences.BEHAVIOURS[kind]()
        text = " ".join(words) + " "
        at = bisect.bisect_left(known, text)
        if not (at < len(known) and known[at].startswith(text)):
            found[text] = (words, answers, decides)
    return list(found.values())


@torch.no_grad()
def measure():
    model, tokenizer = loaded()
    words = tokenizer.words
    number = {word: at for at, word in enumerate(words)}
    behaviours, known = {}, trained_on()
    for kind in sentences.BEHAVIOURS:
        cases = unseen(kind, known)

        def right(without=()):
            count, sure = 0, 0.0
            for text, answers, _ in cases:
                logits, _ = seen(model, [number[word] for word in text], without)
                shares = torch.softmax(logits[-1], dim=-1)
                count += words[shares.argmax()] in answers
                sure += sum(shares[number[word]].item() for word in answers)
            return count, round(sure / len(cases), 3)

        share = {head: 0.0 for head in HEADS}
        for text, _, decides in cases:
            _, caught = seen(model, [number[word] for word in text])
            for layer, head in HEADS:
                share[layer, head] += caught["weights", layer][head, -1, decides].item() / len(cases)
        count, sure = right()
        behaviours[kind] = {
            "cases": [[" ".join(text), " ".join(answers), decides] for text, answers, decides in cases],
            "right": count,
            "probability": sure,
            "share": {f"{layer + 1}.{head + 1}": round(share[layer, head], 3) for layer, head in HEADS},
            "right without": {f"{layer + 1}.{head + 1}": right([(layer, head)])[0] for layer, head in HEADS},
        }
        print(kind, {name: value for name, value in behaviours[kind].items() if name != "cases"}, flush=True)
    # Induction: lists of ten words, said twice. From a word's second place, the weight on the word after its first place.
    random.seed(MEASURING_SEED)
    induction = {head: 0.0 for head in HEADS}
    previous = {head: 0.0 for head in HEADS}
    right = 0
    for _ in range(100):
        listed = random.sample(sentences.LISTED, 10)
        text = listed + ["."] + listed
        logits, caught = seen(model, [number[word] for word in text])
        right += sum(words[logits[11 + at].argmax()] == listed[at + 1] for at in range(9))
        for layer, head in HEADS:
            weights = caught["weights", layer][head]
            induction[layer, head] += sum(weights[11 + at, at + 1].item() for at in range(9)) / 900
            previous[layer, head] += sum(weights[at, at - 1].item() for at in range(1, 21)) / 2000
    named = lambda scores: {f"{layer + 1}.{head + 1}": round(score, 3) for (layer, head), score in scores.items()}
    examples = [
        ["the river was wide and she sat on the bank and watched the", None, []],
        ["the money was wide and she sat on the bank and watched the", None, [(0, 0)]],
        ["the dog lay in the garden near the ball and anna said that it was", None, [(1, 0), (0, 2)]],
        ["anna stone met tom hill in the house and later anna", None, []],
        ["the keys on the table", 1, []],
        ["ball key hat bird cup . key", None, []],
    ]
    recorded = [
        {"sentence": text, "at": at, "without": without, "looked": look(model, tokenizer, text, at, without)}
        for text, at, without in examples
    ]
    document = {
        "parameters": sum(p.numel() for p in model.parameters()),
        "words": len(words),
        "behaviours": behaviours,
        "induction": {"right of 900": right, "score": named(induction), "previous word": named(previous)},
        "recorded": recorded,
    }
    print(json.dumps(document["induction"]))
    with open(path("../../tests/golden/trained_model.json"), "w") as file:
        json.dump(document, file)
        file.write("\n")


if __name__ == "__main__":
    torch.set_num_threads(1)
    if "--measure" not in sys.argv:
        train()
    measure()
