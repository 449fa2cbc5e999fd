"""What the targets of a loss have to do with what the model read."""

import torch
from torch import nn


def in_the_input(watch, targets, ignored, at):
    """Targets of some places only, as of masked words, that the input has at the same places."""
    counted = targets != ignored
    if not bool(counted.any()) or bool(counted.all()):
        return
    for tokens in watch.tokens:
        if tokens.numel() == targets.numel() and tokens is not targets and tokens.data_ptr() != targets.data_ptr():
            if is_next(tokens, targets, counted):
                continue
            same = tokens.reshape(-1)[counted.reshape(-1)] == targets.reshape(-1)[counted.reshape(-1)]
            other = tokens.reshape(-1)[~counted.reshape(-1)]
            # A tenth of masked words is usually left as it is. Padding is left out too: it stands at one end of a text.
            has_words = len(other.unique()) > 2 or scattered(counted)
            if len(same) >= 8 and 2 * int(same.sum()) > len(same) and has_words:
                observed = f"The loss counts {len(same)} of {targets.numel()} places, and at {int(same.sum())} of them the model reads the token that it is to predict."
                watch.add("targets-in-input", at, observed, "copy the targets before tokens are replaced: labels = inputs.clone(), then inputs[masked] = MASK")


def is_next(tokens, targets, counted):
    """Whether the targets that count are the next tokens, which may be the same ones again."""
    if tokens.dim() != 2 or tokens.shape[1] < 2:
        return False
    targets, counted = targets.reshape(tokens.shape)[:, :-1], counted.reshape(tokens.shape)[:, :-1]
    return bool(counted.any()) and torch.equal(tokens[:, 1:][counted], targets[counted])


def of_loss(watch, logits, targets, ignored, at):
    """Looks at the targets of a loss that has just been computed."""
    if targets.is_floating_point() or not torch.is_grad_enabled() or ignored is None:
        return
    if watch.steps < 4:
        read_by_decoder(watch, targets, ignored, at)
        in_the_input(watch, targets, ignored, at)
        padded_ends(watch, targets, ignored, at)
    if len(watch.losses) < 8 and logits.dim() >= 2:
        if all(at != known[0] for known in watch.losses):
            watch.losses.append((at, logits.shape[1], targets.detach().clone(), ignored))


def no_logarithms(watch, loss, input, axis, at):
    """What a loss takes as logarithms of probabilities, along an axis: their exponentials sum to 1 in no row."""
    sums = input.detach().exp().sum(axis).reshape(-1) if input.dim() > max(axis, 0) else input.new_ones(1)
    if len(sums) and bool(torch.isfinite(sums).all()) and not bool(((sums - 1).abs() < 0.05).any()):
        observed = f"The exponentials of what {loss} takes sum to {float(sums[0]):.3g} in the first row, and to 1 in none of {len(sums)}: its numbers are no logarithms of probabilities."
        watch.add("softmax-before-loss", at, observed, f"F.{loss}(F.log_softmax(logits, dim={axis}), ...)")


def scattered(counted):
    """Whether places that count and others take turns in a text."""
    rows = counted.reshape(-1, counted.shape[-1])
    return bool(((rows[:, 1:] != rows[:, :-1]).sum(dim=1) >= 3).any())


def read_by_decoder(watch, targets, ignored, at):
    """A decoder, which reads after an encoder, reads at each place the token that it has to predict there. The encoder may read
    the targets, as where a text is to be copied."""
    read = [numbers for numbers, _ in watch.looked_up if numbers.dim() == 2 and numbers.shape[1] > 1]
    if len(read) < 2 or read[-1].numel() != targets.numel():
        return
    counted = targets.reshape(-1) != ignored
    first, last = (numbers.reshape(-1) for numbers in (read[0], read[-1]))
    given, wanted = last[counted], targets.reshape(-1)[counted]
    is_copy = torch.equal(first, last)
    if not is_copy and len(wanted) >= 8 and len(wanted.unique()) > 2 and torch.equal(given, wanted):
        observed = f"The decoder reads {len(wanted)} tokens, and each is the one that it has to predict at that place."
        watch.add("targets-in-input", at, observed, "give it the tokens before: target[:, :-1], and predict target[:, 1:]")


def padded_ends(watch, targets, ignored, at):
    """Texts of different length that end with the same token again and again, which stands nowhere else: padding, and the loss
    counts it."""
    shapes = {tokens.shape for tokens in watch.tokens if tokens.dim() == 2 and tokens.numel() == targets.numel()}
    if len(shapes) != 1:
        return
    rows = targets.reshape(shapes.pop())
    last, counts = rows[:, -1].unique(return_counts=True)
    token = int(last[counts.argmax()])
    is_token = rows == token
    runs = is_token.flip(1).int().cumprod(1).sum(1)
    is_end = int(is_token.sum()) == int(runs.sum())
    others = rows[~is_token]
    # In numbers that are sorted, the largest stands at the end of each row.
    if bool((rows.diff() >= 0).all()) or bool((rows.diff() <= 0).all()):
        return
    if token == ignored or not is_end or len(rows) < 4 or len(others.unique()) < 4:
        return
    if int(runs.max()) >= 3 and len(runs.unique()) >= 3:
        observed = f"{int(runs.sum())} of {targets.numel()} targets are token {token}. It fills the ends of texts of different length, up to {int(runs.max())} times, and stands nowhere else: it is padding, and the loss counts it."
        watch.add("padding-in-loss", at, observed, f"ignore_index={token}; if the token ends a text too, the first one of each may count")


def padding_in_loss(watch, at, classes, targets, ignored):
    """An embedding of the vocabulary that the loss predicts says which token is padding, and targets have it."""
    for _, _, module in watch.reached.values():
        for part in module.modules():
            padding = getattr(part, "padding_idx", None)
            if not isinstance(part, nn.Embedding) or padding is None or part.num_embeddings != classes or padding == ignored:
                continue
            count = int((targets == padding).sum())
            if count:
                observed = f"{count} of {targets.numel()} targets are {padding}, which the embedding says is padding, and the loss counts them."
                watch.add("padding-in-loss", at, observed, f"ignore_index={padding}")
                return
        return
