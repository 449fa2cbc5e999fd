"""Tokenizers from local folders: which files are read, and which class they ask for."""

import json
import os

import _files
import _tokenizers

from ._classes import (
    BertTokenizerFast,
    DistilBertTokenizerFast,
    GPT2TokenizerFast,
    Qwen2TokenizerFast,
    RobertaTokenizerFast,
)
from ._fast import PreTrainedTokenizerFast
from ._special import AddedToken

_CLASSES = {
    one.__name__.removesuffix("Fast"): one
    for one in [
        PreTrainedTokenizerFast,
        GPT2TokenizerFast,
        RobertaTokenizerFast,
        Qwen2TokenizerFast,
        BertTokenizerFast,
        DistilBertTokenizerFast,
    ]
}
# By `model_type` of config.json.
_MODELS = {
    "gpt2": "GPT2Tokenizer",
    "roberta": "RobertaTokenizer",
    "qwen2": "Qwen2Tokenizer",
    "bert": "BertTokenizer",
    "distilbert": "DistilBertTokenizer",
}
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
    "do_lower_case",
    "strip_accents",
    "tokenize_chinese_chars",
    "split_special_tokens",
    "chat_template",
}


def _is_hub_name(name):
    return not name.startswith((".", "/", "~")) and name.count("/") <= 1


def _folder(name):
    """The folder of this name. Errors: there is none, with what to do."""
    name = os.fspath(name)
    if _files.home() is not None and os.path.isdir(name):
        return name
    if not _is_hub_name(name):
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


def _byte_level(prefix_space):
    return {"type": "ByteLevel", "add_prefix_space": prefix_space, "trim_offsets": True, "use_regex": True}


def _gpt2(options):
    """What GPT-2's tokenizer.json says beside the vocabulary."""
    if options.get("add_bos_token"):
        raise NotImplementedError("attn's GPT2TokenizerFast does not have add_bos_token=True")
    return {
        "pre_tokenizer": _byte_level(options.get("add_prefix_space", False)),
        "post_processor": _byte_level(False),
        "decoder": _byte_level(True),
        "normalizer": None,
        "model": {"type": "BPE", "continuing_subword_prefix": "", "end_of_word_suffix": "", "fuse_unk": False},
    }


def _bert(words, options):
    """What BERT's tokenizer.json says, for the words of vocab.txt."""
    vocab = {}
    for word in words.removesuffix("\n").split("\n"):
        vocab[word] = len(vocab)
    names = {name: str(options.get(f"{name}_token", f"[{name.upper()}]")) for name in ("cls", "sep", "unk")}
    for name in names.values():
        if name not in vocab:
            raise ValueError(f"vocab.txt does not have {name}")

    def special(name, kind):
        return {"SpecialToken": {"id": names[name], "type_id": kind}}

    def text(which, kind):
        return {"Sequence": {"id": which, "type_id": kind}}

    single = [special("cls", 0), text("A", 0), special("sep", 0)]
    return {
        "normalizer": {
            "type": "BertNormalizer",
            "clean_text": True,
            "handle_chinese_chars": options.get("tokenize_chinese_chars", True),
            "strip_accents": options.get("strip_accents"),
            "lowercase": options.get("do_lower_case", True),
        },
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": single,
            "pair": [*single, text("B", 1), special("sep", 1)],
            "special_tokens": {
                names[name]: {"id": names[name], "ids": [vocab[names[name]]], "tokens": [names[name]]}
                for name in ("cls", "sep")
            },
        },
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {
            "type": "WordPiece",
            "unk_token": names["unk"],
            "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100,
            "vocab": vocab,
        },
    }


def _tokenizer(cls, folder, options):
    text = _text(folder, "tokenizer.json")
    if text is not None:
        return _tokenizers.Tokenizer(text, None, None)
    if _text(folder, "added_tokens.json") is not None:
        raise NotImplementedError("attn reads added tokens from tokenizer.json, not from added_tokens.json")
    rest = {"truncation": None, "padding": None, "added_tokens": []}
    if issubclass(cls, BertTokenizerFast):
        words = _text(folder, "vocab.txt")
        if words is not None:
            return _tokenizers.Tokenizer(json.dumps({**rest, **_bert(words, options)}), None, None)
    elif cls is GPT2TokenizerFast:
        vocab, merges = _text(folder, "vocab.json"), _text(folder, "merges.txt")
        if vocab is not None and merges is not None:
            return _tokenizers.Tokenizer(json.dumps({**rest, **_gpt2(options)}), vocab, merges)
    raise OSError(
        f"Can't load tokenizer for '{folder}': it has no tokenizer.json, which attn reads (nor vocab.json and merges.txt of "
        "GPT-2, nor vocab.txt of BERT)"
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
        if cls is GPT2TokenizerFast:
            for option, token in cls._defaults.items():
                options[option] = AddedToken(str(options.get(option, token)), normalized=True, special=True)
        else:
            options.setdefault("clean_up_tokenization_spaces", True)
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
