"""Encodings by the models that use them."""

from .registry import get_encoding

_MODELS = {
    "gpt2": "gpt2 gpt-2",
    "r50k_base": "davinci curie babbage ada text-davinci-001",
    "p50k_base": "text-davinci-002 text-davinci-003",
    "cl100k_base": "davinci-002 babbage-002 gpt-3.5 gpt-3.5-turbo gpt-35-turbo gpt-4 text-embedding-ada-002 text-embedding-3-small "
    "text-embedding-3-large",
    "o200k_base": "gpt-4o chatgpt-4o-latest gpt-4.1 o1 o3",
}
# Models whose names may go on: `gpt-4-0314`.
_DATED = "gpt-3.5-turbo gpt-35-turbo gpt-4 gpt-4o gpt-4.1 o1 o3".split()


def encoding_name_for_model(model_name):
    for encoding, models in _MODELS.items():
        for model in models.split():
            if model_name == model or model in _DATED and model_name.startswith(model + "-"):
                return encoding
    raise KeyError(
        f"Could not automatically map {model_name} to a tokeniser. "
        "Please use `tiktoken.get_encoding` to explicitly get the tokeniser you expect."
    ) from None


def encoding_for_model(model_name):
    return get_encoding(encoding_name_for_model(model_name))
