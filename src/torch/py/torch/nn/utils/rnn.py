"""Pads sequences of different lengths to one batch, or packs them without padding, and undoes both."""

import torch
from torch._names import absent_in

from ._packed import PackedSequence, invert_permutation, pack_padded_sequence, pad_packed_sequence


def pad_sequence(sequences, batch_first=False, padding_value=0.0, padding_side="right"):
    """(T_i, ...) each -> (T, B, ...), or (B, T, ...) with batch_first; shorter sequences are padded."""
    if isinstance(sequences, torch.Tensor):
        sequences = sequences.unbind(0)
    if padding_side not in ("right", "left"):
        raise RuntimeError(f"padding_side should be either 'right' or 'left', got '{padding_side}'")
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    longest = max(sequence.size(0) for sequence in sequences)
    padded = []
    for sequence in sequences:
        rest = (longest - sequence.size(0), *sequence.shape[1:])
        filling = torch.full(rest, padding_value, dtype=sequence.dtype)
        padded.append(torch.cat([sequence, filling] if padding_side == "right" else [filling, sequence]))
    return torch.stack(padded, 0 if batch_first else 1)


def pack_sequence(sequences, enforce_sorted=True):
    """Sequences of different lengths -> a PackedSequence."""
    lengths = torch.as_tensor([sequence.size(0) for sequence in sequences])
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


__getattr__ = absent_in("torch.nn.utils.rnn", globals())
