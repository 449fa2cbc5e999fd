"""torch.utils.data: datasets, and loaders that iterate over them in batches."""

from bisect import bisect_right
from itertools import accumulate, islice, repeat

import torch
from torch._arguments import hint
from torch.utils.data._utils.collate import default_collate, default_convert

__all__ = (
    "BatchSampler ConcatDataset DataLoader Dataset IterableDataset RandomSampler Sampler SequentialSampler Subset SubsetRandomSampler TensorDataset "
    "WeightedRandomSampler default_collate default_convert random_split"
).split()


class _Generic:
    """What can be written with a type in brackets, as `Dataset[int]`."""

    def __class_getitem__(cls, item):
        return cls


class Dataset(_Generic):
    """Examples by index: subclasses define `__getitem__` and `__len__`."""

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Examples one after the other: subclasses define `__iter__`."""

    def __iter__(self):
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")


class TensorDataset(Dataset):
    """Example i is row i of each tensor."""

    def __init__(self, *tensors):
        assert all(tensors[0].size(0) == tensor.size(0) for tensor in tensors), "Size mismatch between tensors"
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


class ConcatDataset(Dataset):
    """The examples of several datasets, one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        assert self.datasets, "datasets should not be an empty iterable"
        self.cumulative_sizes = list(accumulate(map(len, self.datasets)))

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if -index > len(self):
            raise ValueError("absolute value of index should not exceed dataset length")
        index += len(self) if index < 0 else 0
        at = bisect_right(self.cumulative_sizes, index)
        return self.datasets[at][index - ([0, *self.cumulative_sizes][at])]


class Subset(Dataset):
    """The examples of a dataset that have these numbers."""

    def __init__(self, dataset, indices):
        self.dataset = dataset
        self.indices = indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=None):
    """Subsets of these lengths, or fractions, drawn at random."""
    if abs(sum(lengths) - 1) < 1e-9 and sum(lengths) <= 1 + 1e-9:
        fractions, lengths = lengths, []
        for place, fraction in enumerate(fractions):
            if fraction < 0 or fraction > 1:
                raise ValueError(f"Fraction at index {place} is not between 0 and 1")
            lengths.append(int(len(dataset) * fraction))
        for place in range(len(dataset) - sum(lengths)):
            lengths[place % len(lengths)] += 1
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = torch.randperm(sum(lengths), generator=generator or torch.default_generator).tolist()
    ends = [sum(lengths[: end + 1]) for end in range(len(lengths))]
    return [Subset(dataset, order[end - length : end]) for end, length in zip(ends, lengths)]


def _fresh_seed(generator=None):
    """One draw of 64 bits, as each iterator takes it."""
    return int(torch.empty((), dtype=torch.int64).random_(generator=generator).item())


class Sampler(_Generic):
    """Numbers of examples, in some order."""

    def __init__(self, data_source=None):
        pass


class SequentialSampler(Sampler):
    """0, 1, 2, ..."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """All numbers in random order, or numbers drawn with replacement."""

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        total = len(self.data_source)
        generator = self.generator
        if generator is None:
            generator = torch.Generator()
            generator.manual_seed(_fresh_seed())
        if self.replacement:
            left = self.num_samples
            while left > 0:
                count = min(left, 32)
                drawn = torch.randint(high=total, size=(32,), dtype=torch.int64, generator=generator)
                yield from drawn.tolist()[:count]
                left -= count
            return
        for _ in range(self.num_samples // total):
            yield from torch.randperm(total, generator=generator).tolist()
        yield from torch.randperm(total, generator=generator).tolist()[: self.num_samples % total]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Some numbers in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        return (self.indices[at] for at in torch.randperm(len(self.indices), generator=self.generator).tolist())

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Numbers that are drawn as often as their weights say."""

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        self.weights = torch.as_tensor(weights, dtype=torch.double)
        if self.weights.dim() != 1:
            shape = tuple(self.weights.shape)
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {shape}")
        self.num_samples, self.replacement, self.generator = num_samples, replacement, generator

    def __iter__(self):
        return iter(torch.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist())

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Another sampler's numbers, a list for each batch."""

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        numbers = iter(self.sampler)
        while batch := list(islice(numbers, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self):
        full, rest = divmod(len(self.sampler), self.batch_size)
        return full + (1 if rest and not self.drop_last else 0)


class DataLoader(_Generic):
    """A dataset in batches: in order, or shuffled anew in each pass. Workers are not started: one thread loads."""

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
        in_order=True,
    ):
        if num_workers < 0:
            raise ValueError(
                "num_workers option should be non-negative; use num_workers=0 to disable multiprocessing."
            )
        hint(multiprocessing_context, pin_memory_device, in_order, prefetch_factor, persistent_workers)
        if num_workers and (worker_init_fn is not None or isinstance(dataset, IterableDataset)):
            # Each worker would see the whole stream, and its function would run in it: other examples would come out.
            what = "worker_init_fn" if worker_init_fn is not None else "num_workers over an IterableDataset"
            raise NotImplementedError(f"DataLoader(): {what} is not part of attn, which has no workers; use num_workers=0")
        self.dataset = dataset
        self.num_workers = num_workers
        self.pin_memory = pin_memory
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.generator = generator
        self._iterable = isinstance(dataset, IterableDataset)
        if self._iterable:
            if shuffle:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified shuffle option, but got shuffle={shuffle}"
                )
            if sampler is not None:
                raise ValueError(
                    f"DataLoader with IterableDataset: expected unspecified sampler option, but got sampler={sampler}"
                )
        if sampler is not None and shuffle:
            raise ValueError("sampler option is mutually exclusive with shuffle")
        if batch_sampler is not None:
            if batch_size != 1 or shuffle or sampler is not None or drop_last:
                raise ValueError(
                    "batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last"
                )
            batch_size, drop_last = None, False
        elif batch_size is None and drop_last:
            raise ValueError(
                "batch_size=None option disables auto-batching and is mutually exclusive with drop_last"
            )
        if sampler is None:
            if self._iterable:
                sampler = repeat(None)
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None and batch_sampler is None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        if collate_fn is None:
            collate_fn = default_collate if batch_sampler is not None else default_convert
        self.collate_fn = collate_fn

    def __iter__(self):
        # Each pass draws a seed for its workers, whether there are any or not.
        numbers = iter(self.sampler if self.batch_sampler is None else self.batch_sampler)
        _fresh_seed(self.generator)
        return self._batches(numbers)

    def _batches(self, numbers):
        if self._iterable:
            yield from map(self.collate_fn, self._stream())
            return
        for index in numbers:
            if self.batch_sampler is None:
                yield self.collate_fn(self.dataset[index])
            elif hasattr(self.dataset, "__getitems__"):
                yield self.collate_fn(self.dataset.__getitems__(index))
            else:
                yield self.collate_fn([self.dataset[i] for i in index])

    def _stream(self):
        """Examples one after the other, or in lists."""
        return self.dataset if self.batch_size is None else BatchSampler(self.dataset, self.batch_size, self.drop_last)

    def __len__(self):
        if self._iterable:
            return len(self._stream())
        return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


# The modules whose names PyTorch shows.
for _home, _names in (
    ("dataset", (Dataset, IterableDataset, TensorDataset, Subset)),
    ("sampler", (Sampler, SequentialSampler, RandomSampler, SubsetRandomSampler, WeightedRandomSampler, BatchSampler)),
    ("dataloader", (DataLoader,)),
):
    for _class in _names:
        _class.__module__ = "torch.utils.data." + _home


def get_worker_info():
    """None: examples are loaded where the loop runs."""
    return None


def __getattr__(name):
    if name in ("dataset", "dataloader", "sampler", "_utils"):
        # PyTorch's own files: what they define is all here.
        import sys

        return sys.modules[__name__]
    from torch._names import missing

    raise missing("torch.utils.data", name, __all__)
