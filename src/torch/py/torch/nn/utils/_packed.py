"""Batches without padding: the rows of all sequences, step by step, longest sequence first."""

from collections import namedtuple

import torch

_UNSORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you do not "
    "need ONNX exportability."
)


class PackedSequence(namedtuple("PackedSequence_", "data batch_sizes sorted_indices unsorted_indices")):
    """`data` holds the first rows of all sequences, then the second ones, ...; `batch_sizes[t]` have a row t."""

    def __new__(cls, data, batch_sizes=None, sorted_indices=None, unsorted_indices=None):
        if batch_sizes is None:
            data, batch_sizes = data
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args, **kwargs):
        return self._replace(data=self.data.to(*args, **kwargs))


PackedSequence.__module__ = "torch.nn.utils.rnn"


def invert_permutation(permutation):
    """The permutation that undoes this one; None stands for no change."""
    if permutation is None:
        return None
    inverse = torch.empty_like(permutation)
    inverse[permutation] = torch.arange(permutation.numel())
    return inverse


def pack_padded_sequence(input, lengths, batch_first=False, enforce_sorted=True):
    """(T, B, ...) with `lengths` steps each -> the rows that are no padding. Undone by `pad_packed_sequence`."""
    lengths = torch.as_tensor(lengths, dtype=torch.int64)
    order = None
    if not enforce_sorted:
        lengths, order = torch.sort(lengths, descending=True)
        input = input.index_select(0 if batch_first else 1, order)
    if batch_first:
        input = input.transpose(0, 1)
    data, batch_sizes = _pack(input, lengths.tolist())
    return PackedSequence(data, batch_sizes, order)


def _pack(input, lengths):
    """The rows of (T, B, ...) by step, and how many there are of each step."""
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if len(lengths) != input.size(1):
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={input.size(1)})"
        )
    if lengths[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if any(next_ > length for length, next_ in zip(lengths, lengths[1:])):
        raise RuntimeError(_UNSORTED)
    sizes = [sum(length > step for length in lengths) for step in range(lengths[0])]
    data = torch.cat([input[step, :size] for step, size in enumerate(sizes)])
    return data, torch.tensor(sizes)


def pad_packed_sequence(sequence, batch_first=False, padding_value=0.0, total_length=None):
    """Packed rows -> (T, B, ...) with `padding_value` after the end of each sequence, and the lengths."""
    longest = sequence.batch_sizes.size(0)
    if total_length is not None:
        if total_length < longest:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {longest}"
            )
        longest = total_length
    sizes = sequence.batch_sizes.tolist()
    rows, data = sizes[0], sequence.data
    steps = list(data.split(sizes)) + [data[:0]] * (longest - len(sizes))
    padded = torch.stack([_filled(step, rows, padding_value) for step in steps])
    lengths = torch.tensor([sum(size > row for size in sizes) for row in range(rows)])
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def _filled(step, rows, value):
    """The rows of one step, then rows of `value`."""
    if step.size(0) == rows:
        return step
    return torch.cat([step, torch.full((rows - step.size(0), *step.shape[1:]), value, dtype=step.dtype)])
