"""Whether what a program calls validation or test data are rows that it trains on."""

import re
from collections import Counter

import torch

# How many rows are kept, how many an evaluation needs to be judged, and from how many on a batch is no text that is written.
MOST_ROWS, FEWEST_ROWS, BATCH = 100_000, 16, 8
# The share of known rows from which on an evaluation is one of known rows: padding may hide what is equal.
KNOWN = 0.95
# The share of rows that a training by epochs reads equally often, at least.
EVENLY = 0.7
STATED = re.compile(r"\b(val|valid|validation|held[- ]?out|dev)\b|\btest[ _-]*(loss|acc|accuracy|error|ppl|perplexity|mse|set)\b", re.IGNORECASE)


def note_rows(watch, module, args, frame):
    """Notes the rows that a call of a whole model is given: whether it is trained on them, or evaluated."""
    given = next((it for it in args if isinstance(it, torch.Tensor) and it.dim() >= 2 and it.dtype != torch.bool), None)
    if given is None or given.shape[0] < 2 or len(watch.trained_rows) > MOST_ROWS or len(watch.evaluated_rows) > MOST_ROWS:
        return
    if torch.is_grad_enabled():
        if module.training:
            watch.last_rows = rows_of(given, module)
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


def note_answers(watch, targets, at):
    """Notes which answer the loss has for each row that the model has just read."""
    rows, watch.last_rows = watch.last_rows, []
    if targets.dim() == 1 and len(rows) == len(targets) and not targets.is_floating_point() and torch.is_grad_enabled() and len(watch.answers) < MOST_ROWS:
        watch.answered_at = at
        for row, answer in zip(rows, targets.tolist()):
            # Another optimizer trains for other answers.
            watch.answers.setdefault((row, len(watch.optimizers)), []).append(answer)


def other_answers(watch):
    """Rows that are read again and have another answer then: inputs are shuffled, and answers are not, or otherwise."""
    again = [it for it in watch.answers.values() if len(it) > 1]
    changed = [it for it in again if len(set(it)) > 1]
    if len(again) >= 2 * FEWEST_ROWS and 3 * len(changed) >= len(again):
        observed = f"{len(again)} rows are read several times in the training, and {len(changed)} of them have another answer the next time."
        watch.add("samples-apart", watch.answered_at, observed, "shuffle rows and answers by the same index, or as pairs")


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
    if len(rows) < FEWEST_ROWS or not watch.steps or len(known) < KNOWN * len(rows) or max(often.values()) < EVENLY * len(watch.trained_rows):
        return
    at, code = watch.evaluated_at
    said = next(filter(None, map(STATED.search, texts_in(code))), None)
    if said is not None:
        observed = f"The program writes of \"{said[0]}\", and {len(known)} of the {len(rows)} rows that the model reads without gradients are rows that it is trained on."
        watch.add("trained-on-test", at, observed, "evaluate on rows that no training step reads: split first, then make a loader of each part")
