"""Whether what a program calls validation or test data are rows that it trains on."""

from collections import Counter

import torch
from _events import PADDED_BEFORE
from torch.utils.data import DataLoader, Dataset, Subset

# How many rows are kept, how many an evaluation needs to be judged, and from how many on a batch is no text that is written.
MOST_ROWS, FEWEST_ROWS, BATCH = 100_000, 16, 8
# The share of known rows from which on an evaluation is one of known rows: padding may hide what is equal.
KNOWN = 0.95
# The share of rows that a training by epochs reads equally often, at least.
EVENLY = 0.7
STATED = r"(?i)\b(val|valid|validation|held[- ]?out|dev)\b|\btest[ _-]*(loss|acc|accuracy|error|ppl|perplexity|mse|set)\b"


def note_rows(watch, module, args, frame):
    """Notes the rows that a call of a whole model is given: whether it is trained on them, or evaluated."""
    given = next((it for it in args if isinstance(it, torch.Tensor) and it.dim() >= 2 and it.dtype != torch.bool), None)
    if given is None or given.shape[0] < 2 or len(watch.trained_rows) > MOST_ROWS or len(watch.evaluated_rows) > MOST_ROWS:
        return
    if torch.is_grad_enabled():
        if module.training:
            watch.last_rows = rows_of(given, module)
            known = [it.padding_idx for it in module.modules() if isinstance(it, torch.nn.Embedding)]
            if watch.optimizers and any(it is not None and bool((given[:, 0] == it).any()) for it in known):
                PADDED_BEFORE.add(type(module))
            watch.trained_rows.update(watch.last_rows)
    elif given.shape[0] >= BATCH:
        watch.evaluated_rows.update(rows_of(given, module))
        watch.evaluated_at = watch.evaluated_at or frame


def rows_of(given, module):
    """What tells the rows of a batch apart. Of tokens padding is left out, at either end: there may be any number of it."""
    if given.is_floating_point():
        rows = given.detach().flatten(1).double()
        rows = rows * torch.arange(1, rows.shape[1] + 1, dtype=torch.float64).sqrt()
        return [(float(f"{it:.9g}"), given.shape[1:]) for it in rows.sum(1).tolist()]
    rows = given.flatten(1).tolist()
    paddings = {it.padding_idx for it in module.modules() if isinstance(it, torch.nn.Embedding) and it.padding_idx is not None}
    ends = Counter(row[at] for row in rows if len(row) > 2 for at, beside in ((0, 1), (-1, -2)) if row[at] == row[beside])
    paddings |= {it for it, count in ends.items() if 4 * count >= len(rows)}
    return [tuple(it for it in row if it not in paddings) for row in rows]


def note_targets(watch, targets):
    """Notes whether the targets of a loss are those of the loss before, and whether they are fewer than the rows just read."""
    rows, watch.last_rows = watch.last_rows, []
    if torch.is_grad_enabled():
        # Those of one batch are others in the next step.
        before, watch.last_targets = watch.last_targets, targets.detach().clone()
        watch.targets = len(targets) if targets.dim() == 1 and before is not None and torch.equal(before, targets) else 0
        # A loss of some of the rows: the others are read, as the other nodes of a graph are, and not learned.
        watch.trains_on_a_part |= targets.dim() == 1 and len(targets) < len(rows)


# Words in the names of variables that say what the data is for, and the fewest rows that are compared.
FOR_TRAINING, FOR_LATER, FEWEST_SHARED = ("train", "training"), ("val", "valid", "validation", "test", "dev", "holdout", "heldout"), 32


def shared_rows(watch, frame, at):
    """Variables whose names say that one is for training and the other is not, and that have the same rows: the same places of one
    tensor, or the same objects."""
    named = {}
    while frame is not None:
        named = {**frame.f_locals, **named}
        frame = frame.f_back
    words = {name: set("".join("_" if it.isdecimal() else it for it in name.lower()).split("_")) for name in named}
    for_training = [it for it in named if words[it].intersection(FOR_TRAINING) and not words[it].intersection(FOR_LATER)]
    for_later = [it for it in named if words[it].intersection(FOR_LATER) and not words[it].intersection(FOR_TRAINING)]
    texts = [(name, other) for name in for_training for other in for_later if isinstance(named[name], str) and isinstance(named[other], str)]
    for name, other in texts:
        text, later = named[name], named[other]
        # What a text that repeats itself has twice is not found at its end first.
        if len(later) >= FEWEST_SHARED and text.find(later) == len(text) - len(later):
            watch.add("trained-on-test", at, f"{name} ends with the {len(later)} characters of {other}.", f"split first: {name} ends where {other} begins")
            return
    trained = [(name, rows) for name in for_training for rows in places_of(named[name]) if rows]
    counted = [(name, places) for name in for_later for places in [rows_named(named[name], watch.targets)] if places]
    if any(rows_named(named[name], watch.targets) for name in for_training) and counted:
        name, places = counted[0]
        observed = f"The loss counts all {watch.targets} targets, and {len(places)} of them are those of {name}."
        watch.add("trained-on-test", at, observed, "count those of the training alone: F.cross_entropy(logits[train], targets[train])")
        return
    for name, rows in [(name, rows) for name in for_later for rows in places_of(named[name]) if len(rows) >= FEWEST_SHARED]:
        other, shared = max(((other, len(rows & known)) for other, known in trained), key=lambda it: it[1], default=(None, 0))
        if shared >= max(FEWEST_SHARED, len(rows) // 10):
            observed = f"{name} has {len(rows)} elements, and {shared} of them are elements of {other} too: not equal ones, the same."
            watch.add("trained-on-test", at, observed, f"split first: {other} ends where {name} begins")
            return


def rows_named(value, count):
    """The places that an index or a mask takes of so many rows, if it is one that leaves some out."""
    if not isinstance(value, torch.Tensor) or value.dim() != 1 or value.is_floating_point() or not count:
        return set()
    if value.dtype == torch.bool:
        value = value.nonzero().flatten() if len(value) == count else value[:0]
    places = set(value.tolist())
    return places if 4 <= len(places) == len(value) < count and min(places) >= 0 and max(places) < count else set()


def places_of(value):
    """The rows of some data, each known by the place of its numbers in memory or by what object it is: a set for each of its parts."""
    if isinstance(value, DataLoader):
        value = value.dataset
    if isinstance(value, Subset):
        return [{(id(value.dataset), at) for at in value.indices}]
    if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
        value = torch.from_numpy(value) if value.ndim and value.dtype.kind in "fi" else None
    if isinstance(value, torch.Tensor):
        if value.dim() == 0 or not value.numel() or not value.is_contiguous():
            return []
        memory, start, size = value.untyped_storage().data_ptr(), value.storage_offset(), value.stride(0)
        return [{(memory, start + at * size) for at in range(min(len(value), MOST_ROWS))}]
    if isinstance(value, (list, tuple)):
        ids = {id(it) for it in value[:MOST_ROWS] if isinstance(it, (str, list, tuple, dict, torch.Tensor)) and len(it) > 1}
        # What a list has twice was drawn from a few, and drawn again for other lists.
        return [ids] if len(ids) == min(len(value), MOST_ROWS) else []
    if isinstance(value, Dataset):
        return [rows for part in vars(value).values() if not isinstance(part, Dataset) for rows in places_of(part)]
    return []


def texts_in(code):
    """The texts in a program's code, and in that of its functions."""
    for part in code.co_consts:
        if isinstance(part, str):
            yield part
        elif hasattr(part, "co_consts"):
            yield from texts_in(part)


def trained_on(watch):
    """Nearly all rows without gradients are rows of the training, and the program writes that they are others. Only where most
    rows of the training were read equally often: of random places in a text that repeats itself all rows are alike."""
    rows, often = watch.evaluated_rows, Counter(watch.trained_rows.values())
    known = rows & watch.trained_rows.keys()
    if len(rows) < FEWEST_ROWS or not watch.steps or watch.trains_on_a_part or len(known) < KNOWN * len(rows) or max(often.values()) < EVENLY * len(watch.trained_rows):
        return
    import re

    at, code = watch.evaluated_at
    said = next(filter(None, (re.search(STATED, text) for text in texts_in(code))), None)
    if said is not None:
        observed = f"The program writes of \"{said[0]}\", and {len(known)} of the {len(rows)} rows that the model reads without gradients are rows that it is trained on."
        watch.add("trained-on-test", at, observed, "evaluate on rows that no training step reads: split first, then make a loader of each part")
