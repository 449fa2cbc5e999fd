"""`torch.save` and `torch.load`: zip archives of a pickle and of the storages that its tensors share, as PyTorch's."""

import io
import pickle
from _compat_pickle import IMPORT_MAPPING, NAME_MAPPING
from collections import OrderedDict

import _archive
import _torch
import torch
from torch import _utils
from torch._arguments import hint, on_cpu, only_defaults
from torch._more import DTYPES

__all__ = ["save", "load", "add_safe_globals", "safe_globals"]

class _StorageType(type):
    """The class of a storage: files name it to say what a storage contains."""

    def __call__(cls, *args, **kwargs):
        raise NotImplementedError(f"torch.{cls.__name__} is not part of attn: a tensor does the same")


_STORAGE_OF = {
    dtype: _StorageType(f"{_torch._cpp_name(dtype)}Storage", (), {"__module__": "torch", "dtype": dtype}) for dtype in DTYPES
}
STORAGES = {storage.__name__: storage for storage in _STORAGE_OF.values()}


class _Storage:
    """The storage of a tensor while it is saved."""

    def __init__(self, tensor):
        self.tensor = tensor


class _Pickler(pickle._Pickler):
    def __init__(self, file, protocol):
        super().__init__(file, protocol)
        self.storages = {}

    def persistent_id(self, obj):
        if not isinstance(obj, _Storage):
            return None
        tensor, storage = obj.tensor, obj.tensor.untyped_storage()
        key, _ = self.storages.setdefault(storage.data_ptr(), (str(len(self.storages)), tensor))
        elements = storage.nbytes() // tensor.element_size()
        return ("storage", _STORAGE_OF[tensor.dtype], key, "cpu", elements)

    def reducer_override(self, obj):
        if isinstance(obj, torch.nn.Parameter):
            return _utils._rebuild_parameter, (obj.data, obj.requires_grad, OrderedDict())
        if isinstance(obj, torch.Tensor):
            if not obj.is_leaf:
                obj = obj.detach().requires_grad_()
            layout = obj.storage_offset(), tuple(obj.shape), obj.stride()
            return _utils._rebuild_tensor_v2, (_Storage(obj), *layout, obj.requires_grad, OrderedDict())
        if isinstance(obj, torch.Size):
            return torch.Size, (tuple(obj),)
        return NotImplemented

    def save(self, obj, save_persistent_id=True):
        if isinstance(obj, torch.dtype):
            self.write(pickle.GLOBAL + f"torch\n{str(obj).removeprefix('torch.')}\n".encode())
            return
        super().save(obj, save_persistent_id)


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, _disable_byteorder_record=False):
    """Writes `obj` to a file: a path, or an object with `write`."""
    only_defaults(
        "torch.save",
        pickle_module=None if pickle_module is pickle else pickle_module,
        _use_new_zipfile_serialization=not _use_new_zipfile_serialization,
        _disable_byteorder_record=_disable_byteorder_record,
    )
    buffer = io.BytesIO()
    pickler = _Pickler(buffer, pickle_protocol)
    pickler.dump(obj)
    entries = [("data.pkl", buffer.getvalue()), (".format_version", b"1"), (".storage_alignment", b"64"), ("byteorder", b"little")]
    entries += [("data/" + key, _torch._storage_bytes(tensor)) for key, tensor in pickler.storages.values()]
    entries.append(("version", b"3\n"))
    name = "archive"
    if not hasattr(f, "write"):
        from os import fsdecode, path

        name = path.splitext(path.basename(fsdecode(f)))[0] or name
    packed = _archive.pack((name + "/" + entry, data) for entry, data in entries)
    if hasattr(f, "write"):
        f.write(packed)
        return
    with open(f, "wb") as file:
        file.write(packed)


_safe = []


def add_safe_globals(safe_globals):
    """Lets `load` build objects of these classes, and call these functions, with `weights_only=True`."""
    _safe.extend(entry for entry in safe_globals if entry not in _safe)


class safe_globals:
    """`add_safe_globals` for the time of a `with`."""

    def __init__(self, safe_globals):
        self._more = safe_globals

    def __enter__(self):
        self._before = list(_safe)
        add_safe_globals(self._more)

    def __exit__(self, *error):
        _safe[:] = self._before


class _Unpickler(pickle._Unpickler):
    def __init__(self, file, storages, weights_only):
        super().__init__(file, encoding="utf-8")
        self._storages, self._weights_only = storages, weights_only
        self._loaded = {}

    def find_class(self, module, name):
        if module == "torch" and name in STORAGES:
            return STORAGES[name]
        if not self._weights_only:
            return super().find_class(module, name)
        # The names of Python 2, which early protocols write.
        module, name = NAME_MAPPING.get((module, name), (IMPORT_MAPPING.get(module, module), name))
        full = f"{module}.{name}"
        if module == "torch" and isinstance(getattr(torch, name, None), torch.dtype):
            return getattr(torch, name)
        found = _ALLOWED.get(full)
        if found is not None:
            return found
        for entry in _safe:
            entry, own = entry if isinstance(entry, tuple) else (entry, f"{entry.__module__}.{entry.__qualname__}")
            if own == full:
                return entry
        raise pickle.UnpicklingError(
            f"Unsupported global: GLOBAL {full} was not an allowed global by default. Please use "
            f"`torch.serialization.add_safe_globals([{name}])` or the "
            f"`torch.serialization.safe_globals([{name}])` context manager to allowlist this global "
            "if you trust this class/function."
        )

    def persistent_load(self, saved_id):
        kind, storage, key, _, elements = saved_id
        if kind != "storage" or storage not in STORAGES.values():
            raise pickle.UnpicklingError(f"Unknown typename for persistent_load: {kind}")
        if key not in self._loaded:
            data = self._storages.get("data/" + key)
            if data is None or len(data) != elements * storage.dtype.itemsize:
                raise RuntimeError(f"PytorchStreamReader failed locating file data/{key}: file not found")
            self._loaded[key] = _torch._from_bytes(data, storage.dtype)
        return self._loaded[key]


_ALLOWED = {
    "collections.OrderedDict": OrderedDict,
    "collections.Counter": __import__("collections").Counter,
    "collections.defaultdict": __import__("collections").defaultdict,
    "builtins.set": set,
    "builtins.complex": complex,
    "builtins.bytearray": bytearray,
    "_codecs.encode": __import__("codecs").encode,
    "torch.Size": torch.Size,
    "torch.Tensor": torch.Tensor,
    "torch.device": torch.device,
    "torch.nn.parameter.Parameter": torch.nn.Parameter,
    "torch._utils._rebuild_tensor_v2": _utils._rebuild_tensor_v2,
    "torch._utils._rebuild_parameter": _utils._rebuild_parameter,
}

_FAILED = (
    "Weights only load failed. This file can still be loaded, to do so you have two options, \x1b[1mdo those steps only "
    "if you trust the source of the checkpoint\x1b[0m. \n\t(1) In PyTorch 2.6, we changed the default value of the "
    "`weights_only` argument in `torch.load` from `False` to `True`. Re-running `torch.load` with `weights_only` set to "
    "`False` will likely succeed, but it can result in arbitrary code execution. Do it only if you got the file from a "
    "trusted source.\n\t(2) Alternatively, to load with `weights_only=True` please check the recommended steps in the "
    "following error message.\n\tWeightsUnpickler error: {}\n\nCheck the documentation of torch.load to learn more about "
    "types accepted by default with weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


def load(f, map_location=None, pickle_module=None, *, weights_only=True, mmap=None, **kwargs):
    """What `save` wrote to a file: a path, or an object with `read`."""
    only_defaults("torch.load", pickle_module=None if pickle_module is pickle else pickle_module)
    hint(mmap, kwargs)
    if isinstance(map_location, dict):
        for device in map_location.values():
            on_cpu(device)
    elif isinstance(map_location, (str, torch.device)):
        on_cpu(map_location)
    elif map_location is not None and not callable(map_location):
        raise TypeError(f"map_location should be a device, a string, a dict or a function, not {type(map_location).__name__}")
    if hasattr(f, "read"):
        start = f.tell() if hasattr(f, "tell") else 0
        data = f.read()
        if not data:
            raise EOFError("Ran out of input" + (": buffer.seek(0) goes to its start" if start else ""))
    else:
        with open(f, "rb") as file:
            data = file.read()
    if data[:4] != b"PK\x03\x04":
        raise NotImplementedError("torch.load: this is no zip archive; attn reads files of PyTorch 1.6 and later")
    try:
        entries = _archive.unpack(data)
    except ValueError as error:
        raise RuntimeError(f"PytorchStreamReader failed reading zip archive: {error}") from None
    entries = {name.partition("/")[2]: contents for name, contents in entries.items()}
    if "data.pkl" not in entries:
        raise RuntimeError("PytorchStreamReader failed locating file data.pkl: file not found")
    if entries.get("byteorder", b"little") != b"little":
        raise NotImplementedError("torch.load: attn reads files of little-endian machines only")
    unpickler = _Unpickler(io.BytesIO(entries["data.pkl"]), entries, weights_only)
    try:
        return unpickler.load()
    except pickle.UnpicklingError as error:
        if weights_only:
            raise pickle.UnpicklingError(_FAILED.format(error)) from None
        raise
