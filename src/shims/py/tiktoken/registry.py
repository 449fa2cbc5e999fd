"""Encodings by their names."""

from .core import Encoding

_NAMES = ["gpt2", "r50k_base", "cl100k_base"]
_ABSENT = ["p50k_base", "p50k_edit", "o200k_base", "o200k_harmony"]
_built = {}


def list_encoding_names():
    return list(_NAMES)


def get_encoding(encoding_name):
    if not isinstance(encoding_name, str):
        raise ValueError(f"Expected a string in get_encoding, got {type(encoding_name)}")
    if encoding_name in _ABSENT:
        raise NotImplementedError(f"attn has the encodings {', '.join(_NAMES)}, not {encoding_name}")
    if encoding_name not in _NAMES:
        raise ValueError(f"Unknown encoding {encoding_name}. attn has {', '.join(_NAMES)}")
    if encoding_name not in _built:
        _built[encoding_name] = Encoding._named(encoding_name)
    return _built[encoding_name]
