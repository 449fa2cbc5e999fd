"""Examples to a batch: tensors are stacked, numbers become tensors, containers are walked through."""

import torch


def default_convert(data):
    """One example, as it is: numbers in NumPy arrays would become tensors."""
    return data


def default_collate(batch):
    """A list of examples to one batch of the same form."""
    first = batch[0]
    if isinstance(first, torch.Tensor):
        return torch.stack(batch, 0)
    if hasattr(type(first), "_tensor"):
        return torch.stack([torch.as_tensor(example) for example in batch], 0)
    if hasattr(type(first), "_number"):
        return torch.tensor([torch.tensor(example) for example in batch], dtype=torch.tensor(first).dtype)
    if isinstance(first, float):
        return torch.tensor(batch, dtype=torch.float64)
    if isinstance(first, int):
        return torch.tensor(batch)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, dict):
        made = {key: default_collate([example[key] for example in batch]) for key in first}
        return made if type(first) is dict else type(first)(made)
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(part) for part in zip(*batch)))
    if isinstance(first, (tuple, list)):
        if not all(len(example) == len(first) for example in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(part) for part in zip(*batch)]
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; "
        f"found {type(first)}"
    )
