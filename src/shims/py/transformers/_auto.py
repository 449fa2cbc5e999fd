"""Tokenizers from local folders: which files are read, and which class they ask for."""

import json
import os

import _files

from ._fast import PreTrainedTokenizerFast
from ._pipeline import Pipeline
from ._special import AddedToken

_END = "<|endoftext|>"


class GPT2TokenizerFast(PreTrainedTokenizerFast):
    model_input_names = ["input_ids", "attention_mask"]
    _defaults = {"unk_token": _END, "bos_token": _END, "eos_token": _END, "add_prefix_space": False}


class Qwen2TokenizerFast(PreTrainedTokenizerFast):
    model_input_names = ["input_ids", "attention_mask"]
    _defaults = {"eos_token": _END, "pad_token": _END}


_CLASSES = {
    one.__name__.removesuffix("Fast"): one for one in (PreTrainedTokenizerFast, GPT2TokenizerFast, Qwen2TokenizerFast)
}
# By `model_type` of config.json.
_MODELS = {"gpt2": "GPT2Tokenizer", "qwen2": "Qwen2Tokenizer"}
# Where files of the hub are kept, and what else changes nothing for a local folder.
_ABOUT_THE_HUB = {
    "cache_dir",
    "force_download",
    "local_files_only",
    "token",
    "use_auth_token",
    "revision",
    "resume_download",
    "proxies",
    "trust_remote_code",
    "use_fast",
}
_OPTIONS = set(PreTrainedTokenizerFast.SPECIAL_TOKENS_ATTRIBUTES) | {
    "model_max_length",
    "padding_side",
    "truncation_side",
    "model_input_names",
    "clean_up_tokenization_spaces",
    "add_prefix_space",
    "split_special_tokens",
    "chat_template",
}


def _folder(name):
    """The folder of this name. Errors: there is none, with what to do."""
    name = os.fspath(name)
    if _files.home() is not None and os.path.isdir(name):
        return name
    if name.startswith((".", "/", "~")) or name.count("/") > 1:
        # Without permission, or without the folder, this says so.
        os.listdir(name)
        raise OSError(f"{name} is not a folder")
    own = ". GPT-2's own tokens are in attn: tiktoken.get_encoding('gpt2')" if name.endswith("gpt2") else ""
    raise OSError(
        f"We couldn't connect to 'https://huggingface.co' to load this file: attn has no network, and '{name}' is not the "
        f"path to a local folder that it may read. Download tokenizer.json and tokenizer_config.json of "
        f"https://huggingface.co/{name} yourself, into a folder {name.rpartition('/')[2]} beside the notebook, and run "
        f"with --allow-read{own}"
    )


def _text(folder, name):
    path = os.path.join(folder, name)
    if not os.path.isfile(path):
        return None
    with open(path, encoding="utf-8") as file:
        return file.read()


def _json(folder, name):
    text = _text(folder, name)
    return {} if text is None else json.loads(text)


def _token(value):
    """A special token as a file writes it."""
    if not isinstance(value, dict):
        return value
    value = {key: one for key, one in value.items() if key != "__type"}
    return AddedToken(**value)


def _class_of(folder, config):
    name = config.get("tokenizer_class")
    if name is None:
        model = _json(folder, "config.json")
        name = model.get("tokenizer_class") or _MODELS.get(model.get("model_type"))
        if name is None and model.get("model_type"):
            raise NotImplementedError(f"attn does not have the tokenizer of the model type '{model['model_type']}'")
    if name is None:
        raise OSError(
            f"{folder} does not appear to have a file named tokenizer_config.json with a `tokenizer_class`, or config.json "
            "with a `model_type`: they name the class of the tokenizer"
        )
    if name.removesuffix("Fast") not in _CLASSES:
        names = ", ".join(one.__name__ for one in _CLASSES.values())
        raise NotImplementedError(f"attn does not have {name}; it has {names}")
    return _CLASSES[name.removesuffix("Fast")]


def _gpt2(vocab, merges, options):
    """GPT-2's tokenizer.json, for its files vocab.json and merges.txt."""
    if options.get("add_bos_token"):
        raise NotImplementedError("attn's GPT2TokenizerFast does not have add_bos_token=True")
    level = {"type": "ByteLevel", "add_prefix_space": options.get("add_prefix_space", False)}
    merges = [line for line in merges.splitlines() if line and not line.startswith("#version")]
    return {
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": level,
        "post_processor": None,
        "decoder": level,
        "model": {"type": "BPE", "vocab": json.loads(vocab), "merges": merges},
    }


def _tokenizer(cls, folder, options):
    text = _text(folder, "tokenizer.json")
    if text is not None:
        return Pipeline(json.loads(text))
    if _text(folder, "added_tokens.json") is not None:
        raise NotImplementedError("attn reads added tokens from tokenizer.json, not from added_tokens.json")
    vocab, merges = _text(folder, "vocab.json"), _text(folder, "merges.txt")
    if cls is GPT2TokenizerFast and vocab is not None and merges is not None:
        return Pipeline(_gpt2(vocab, merges, options))
    raise OSError(
        f"Can't load tokenizer for '{folder}': it has no tokenizer.json, which attn reads (nor vocab.json and merges.txt of "
        "GPT-2)"
    )


def loaded(cls, name, init_inputs, kwargs):
    """The tokenizer of a folder; its class is what the folder asks for if `cls` is None."""
    if init_inputs:
        raise NotImplementedError("attn's from_pretrained takes options by name only")
    if kwargs.get("use_fast") is False:
        raise NotImplementedError("attn has fast tokenizers only, not use_fast=False")
    for option in kwargs:
        if option not in _OPTIONS and option not in _ABOUT_THE_HUB:
            raise NotImplementedError(f"attn's from_pretrained does not have {option}")
    folder = _folder(name)
    config = _json(folder, "tokenizer_config.json")
    if cls is None:
        cls = _class_of(folder, config)
    options = dict(config)
    described = {int(number): _token(token) for number, token in options.pop("added_tokens_decoder", {}).items()}
    if not described:
        for option, value in _json(folder, "special_tokens_map.json").items():
            options[option] = value
    by_text = {str(token): token for token in described.values()}
    options.update({option: value for option, value in kwargs.items() if option in _OPTIONS})
    for option in PreTrainedTokenizerFast.SPECIAL_TOKENS_ATTRIBUTES:
        value = options.get(option)
        if isinstance(value, list):
            options[option] = [_token(one) for one in value]
        elif value is not None:
            value = _token(value)
            options[option] = by_text.get(str(value), value)
    tokenizer = _tokenizer(cls, folder, {**cls._defaults, **options})
    if not os.path.isfile(os.path.join(folder, "tokenizer.json")):
        # What the older classes set, from which `transformers` makes a tokenizer then.
        for option in ("unk_token", "bos_token", "eos_token"):
            options[option] = AddedToken(str(options.get(option, _END)), normalized=True, special=True)
    return cls._of(tokenizer, {**options, "name_or_path": os.fspath(name), "added_tokens_decoder": described})


def _from_pretrained(cls, pretrained_model_name_or_path, *init_inputs, **kwargs):
    return loaded(cls, pretrained_model_name_or_path, init_inputs, kwargs)


PreTrainedTokenizerFast.from_pretrained = classmethod(_from_pretrained)


class AutoTokenizer:
    def __init__(self):
        raise EnvironmentError(
            "AutoTokenizer is designed to be instantiated using the "
            "`AutoTokenizer.from_pretrained(pretrained_model_name_or_path)` method."
        )

    @classmethod
    def from_pretrained(cls, pretrained_model_name_or_path, *inputs, **kwargs):
        return loaded(None, pretrained_model_name_or_path, inputs, kwargs)
