"""Dicts of tensors as bytes: the length of a header, the header as JSON, then the elements of each tensor."""

import io
import json
import math
import struct

import _torch
import torch
from torch._arguments import on_cpu
from torch._more import DTYPES

__all__ = ["load", "load_file", "save", "save_file", "safe_open", "load_model", "save_model"]


def _name(dtype):
    """What a file calls a dtype: `F32`, `BF16`, `U8`, `BOOL`."""
    return str(dtype)[6:].upper().replace("FLOAT", "F").replace("UINT", "U").replace("INT", "I")


_DTYPES = {_name(dtype): dtype for dtype in DTYPES}


def _failed(message):
    from . import SafetensorError

    return SafetensorError(message)


def save(tensors, metadata=None):
    """The bytes of a file with these tensors."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    header, parts, end = {}, [], 0
    if metadata is not None:
        header["__metadata__"] = dict(metadata)
    shared = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
        if not tensor.is_contiguous():
            raise ValueError(
                f"You are trying to save a non contiguous tensor: `{name}` which is not allowed. It either means you are "
                "trying to save tensors which are reference of each other in which case it's recommended to save only the "
                "full tensors, and reslice at load time, or simply call `.contiguous()` on your tensor to pack it before "
                "saving."
            )
        if tensor.numel():
            shared.setdefault(tensor.untyped_storage().data_ptr(), []).append(name)
    together = [set(names) for names in shared.values() if len(names) > 1]
    if together:
        raise RuntimeError(
            f"\n            Some tensors share memory, this will lead to duplicate memory on disk and potential differences "
            f"when loading them again: {together}.\n            A potential way to correctly save your model is to use "
            "`save_model`.\n            More information at https://huggingface.co/docs/safetensors/torch_shared_tensors\n"
            "            "
        )
    # The widest elements first, then by name, so that each tensor begins at a multiple of its width.
    for name, tensor in sorted(tensors.items(), key=lambda entry: (-entry[1].element_size(), entry[0])):
        data = _torch._storage_bytes(tensor.detach().clone())
        header[name] = {"dtype": _name(tensor.dtype), "shape": list(tensor.shape), "data_offsets": [end, end + len(data)]}
        parts.append(data)
        end += len(data)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(parts)


def _header(file):
    """The entries of a file, where the elements begin, and where they end."""
    size = file.seek(0, 2)
    file.seek(0)
    length = int.from_bytes(file.read(8), "little")
    try:
        header = json.loads(file.read(min(length, size)).decode())
    except ValueError:
        header = None
    if not isinstance(header, dict):
        raise _failed("Error while deserializing header: InvalidHeaderDeserialization")
    return header, 8 + length, size


def _tensor(file, start, end, name, entry):
    try:
        dtype, shape, (first, last) = _DTYPES[entry["dtype"]], entry["shape"], entry["data_offsets"]
        fits = 0 <= first <= last <= end - start and last - first == math.prod(shape) * dtype.itemsize
    except (KeyError, TypeError, ValueError):
        fits = False
    if not fits:
        raise _failed(f"Error while deserializing header: TensorInvalidInfo({name})")
    file.seek(start + first)
    return _torch._from_bytes(file.read(last - first), dtype).reshape(shape)


def _tensors(file):
    header, start, end = _header(file)
    return {name: _tensor(file, start, end, name, entry) for name, entry in header.items() if name != "__metadata__"}


def load(data):
    """The tensors of a file's bytes, by name."""
    return _tensors(io.BytesIO(data))


def save_file(tensors, filename, metadata=None):
    packed = save(tensors, metadata)
    with open(filename, "wb") as file:
        file.write(packed)


def load_file(filename, device="cpu"):
    on_cpu(device)
    with open(filename, "rb") as file:
        return _tensors(file)


def save_model(model, filename, metadata=None, force_contiguous=True):
    """Saves a module's state; of parameters that share memory the first one is saved."""
    state, seen = {}, {}
    metadata = dict(metadata or {})
    for name, tensor in model.state_dict().items():
        place = tensor.untyped_storage().data_ptr()
        if place in seen:
            metadata[name] = seen[place]
        else:
            seen[place] = name
            state[name] = tensor.contiguous() if force_contiguous else tensor
    save_file(state, filename, metadata or None)


def load_model(model, filename, strict=True, device="cpu"):
    """Loads a module's state; returns the names that are missing and those that are not expected."""
    state = load_file(filename, device)
    missing, unexpected = model.load_state_dict(state, strict=False)
    known = {tensor.untyped_storage().data_ptr() for name, tensor in model.state_dict().items() if name in state}
    own = model.state_dict()
    missing = [name for name in missing if own[name].untyped_storage().data_ptr() not in known]
    if strict and (missing or unexpected):
        raise RuntimeError(f"Error(s) in loading state_dict for {type(model).__name__}: missing {missing}, unexpected {unexpected}")
    return set(missing), list(unexpected)


class safe_open:
    """The tensors of a file, each read when it is asked for."""

    def __init__(self, filename, framework="pt", device="cpu"):
        if framework not in ("pt", "torch", "pytorch"):
            raise NotImplementedError(f"safe_open(framework={framework!r}): attn has torch alone")
        on_cpu(device)
        self._file = open(filename, "rb")
        self._entries, self._start, self._end = _header(self._file)
        self._metadata = self._entries.pop("__metadata__", None)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file.close()

    def keys(self):
        return sorted(self._entries)

    def metadata(self):
        return self._metadata

    def get_tensor(self, name):
        if name not in self._entries:
            raise _failed(f"File does not contain tensor {name}")
        return _tensor(self._file, self._start, self._end, name, self._entries[name])
