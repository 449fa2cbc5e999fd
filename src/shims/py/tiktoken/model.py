"""Encodings by the models that use them."""

from .registry import get_encoding

_ENCODINGS = {
    "gpt2": "gpt2",
    "gpt-2": "gpt2",
    "davinci": "r50k_base",
    "curie": "r50k_base",
    "babbage": "r50k_base",
    "ada": "r50k_base",
    "text-davinci-001": "r50k_base",
    "text-davinci-002": "p50k_base",
    "text-davinci-003": "p50k_base",
    "davinci-002": "cl100k_base",
    "babbage-002": "cl100k_base",
    "gpt-3.5": "cl100k_base",
    "gpt-3.5-turbo": "cl100k_base",
    "gpt-35-turbo": "cl100k_base",
    "gpt-4": "cl100k_base",
    "text-embedding-ada-002": "cl100k_base",
    "text-embedding-3-small": "cl100k_base",
    "text-embedding-3-large": "cl100k_base",
    "gpt-4o": "o200k_base",
    "chatgpt-4o-latest": "o200k_base",
    "gpt-4.1": "o200k_base",
    "o1": "o200k_base",
    "o3": "o200k_base",
}
_PREFIXES = {
    "o1-": "o200k_base",
    "o3-": "o200k_base",
    "gpt-4o-": "o200k_base",
    "gpt-4.1-": "o200k_base",
    "gpt-4-": "cl100k_base",
    "gpt-3.5-turbo-": "cl100k_base",
    "gpt-35-turbo-": "cl100k_base",
}


def encoding_name_for_model(model_name):
    if model_name in _ENCODINGS:
        return _ENCODINGS[model_name]
    for prefix, name in _PREFIXES.items():
        if model_name.startswith(prefix):
            return name
    raise KeyError(
        f"Could not automatically map {model_name} to a tokeniser. "
        "Please use `tiktoken.get_encoding` to explicitly get the tokeniser you expect."
    ) from None


def encoding_for_model(model_name):
    return get_encoding(encoding_name_for_model(model_name))
