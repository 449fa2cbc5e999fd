"""Tokenizers: text to numbers and back, one text or a batch, cut and padded."""

import json
import sys

from ._batch import BatchEncoding
from ._pipeline import Pipeline
from ._special import AddedToken, SpecialTokens

VERY_LARGE_INTEGER = int(1e30)
LARGE_INTEGER = int(1e20)

_NOT_TEXT = "attn's tokenizers take a text or a list of texts"
_ONE = "attn's tokenizers encode one text at a time: join the two, with a special token between"
_STRATEGIES = {
    "padding": ("longest", "max_length", "do_not_pad"),
    "truncation": ("longest_first", "do_not_truncate"),
}
_ABSENT = (
    "stride is_split_into_words return_overflowing_tokens return_offsets_mapping return_special_tokens_mask return_length "
    "split_special_tokens pad_to_multiple_of padding_side"
).split()
_CLASSES = {"padding": "PaddingStrategy", "truncation": "TruncationStrategy"}


def _strategy(argument, value):
    value = getattr(value, "value", value)
    if value not in _STRATEGIES[argument]:
        names = ", ".join(map(repr, _STRATEGIES[argument]))
        raise ValueError(f"{value} is not a valid {_CLASSES[argument]}, please select one of [{names}]")
    return value


def _numbers(value):
    """Numbers as Python has them, of a tensor or an array as well."""
    if isinstance(value, (list, tuple)):
        return [_numbers(one) for one in value]
    return value.tolist() if hasattr(value, "tolist") else value


# `hasattr` takes such a name for one that is not there.
_Absent = type("NotImplementedError", (NotImplementedError, AttributeError), {"__module__": "builtins"})


class PreTrainedTokenizerFast(SpecialTokens):
    model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    padding_side = truncation_side = "right"
    is_fast = True
    # What a class sets where nothing is given: its special tokens.
    _defaults = {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        raise _Absent(f"attn does not have PreTrainedTokenizerFast.{name}")

    def __init__(self, *, tokenizer_file=None, tokenizer_object=None, **kwargs):
        if tokenizer_object is not None:
            raise NotImplementedError("attn reads tokenizers from files; it has no package `tokenizers`")
        if tokenizer_file is None:
            raise ValueError("attn's tokenizers need `tokenizer_file`, or from_pretrained(FOLDER)")
        with open(tokenizer_file, encoding="utf-8") as file:
            self._begin(Pipeline(json.load(file)), kwargs)

    @classmethod
    def _of(cls, tokenizer, options):
        self = cls.__new__(cls)
        self._begin(tokenizer, options)
        return self

    def _begin(self, tokenizer, options):
        self._tokenizer, self._warned = tokenizer, set()
        side = {"Left": "left", "Right": "right"}
        saved = {
            "truncation_side": side.get(tokenizer.cut.get("direction")),
            "pad_token": tokenizer.padding.get("pad_token"),
            "padding_side": side.get(tokenizer.padding.get("direction")),
        }
        options = {**self._defaults, **{name: value for name, value in saved.items() if value}, **options}
        self.name_or_path = options.get("name_or_path", "")
        length = options.get("model_max_length", options.get("max_len"))
        self.model_max_length = VERY_LARGE_INTEGER if length is None else length
        for which, name in [("Padding", "padding_side"), ("Truncation", "truncation_side")]:
            value = options.get(name, getattr(self, name))
            if value not in ("right", "left"):
                raise ValueError(f"{which} side should be selected between 'right' and 'left', current value: {value}")
            setattr(self, name, value)
        self.model_input_names = options.get("model_input_names", self.model_input_names)
        self.clean_up_tokenization_spaces = options.get("clean_up_tokenization_spaces", False)
        self.chat_template = options.get("chat_template")
        self._set_special({name: options.get(name) for name in self.SPECIAL_TOKENS_ATTRIBUTES})
        if "add_prefix_space" in options:
            tokenizer.prefix_space = bool(options["add_prefix_space"])
        if options.get("split_special_tokens"):
            raise NotImplementedError("attn's tokenizers do not have split_special_tokens=True")
        special, there = self.all_special_tokens, {repr(token) for token in self.added_tokens_decoder.values()}
        for _, token in sorted(options.get("added_tokens_decoder", {}).items()):
            if repr(token) not in there:
                self.add_tokens(token, special_tokens=str(token) in special)
        for name in self.SPECIAL_TOKENS_ATTRIBUTES:
            value = options.get(name) or []
            for token in value if isinstance(value, (list, tuple)) else [value]:
                if str(token) not in tokenizer.added:
                    self.add_tokens(token, special_tokens=True)

    @property
    def vocab_size(self):
        return len(self._tokenizer.vocab)

    def __len__(self):
        return len(self.get_vocab())

    def get_vocab(self):
        both = {**self._tokenizer.vocab, **self.added_tokens_encoder}
        return dict(sorted(both.items(), key=lambda token: token[1]))

    @property
    def vocab(self):
        return self.get_vocab()

    @property
    def added_tokens_decoder(self):
        rows = sorted(self._tokenizer.added.items(), key=lambda token: token[1])
        return {id: AddedToken(text, normalized=normalized, special=special) for text, (id, normalized, special) in rows}

    @property
    def added_tokens_encoder(self):
        return {str(token): number for number, token in self.added_tokens_decoder.items()}

    def __repr__(self):
        added = "\n\t".join(f"{number}: {token!r}," for number, token in self.added_tokens_decoder.items())
        return (
            f"{self.__class__.__name__}(name_or_path='{self.name_or_path}', vocab_size={self.vocab_size}, "
            f"model_max_length={self.model_max_length}, is_fast={self.is_fast}, padding_side='{self.padding_side}', "
            f"truncation_side='{self.truncation_side}', special_tokens={self.special_tokens_map}, "
            f"clean_up_tokenization_spaces={self.clean_up_tokenization_spaces}),  added_tokens_decoder={{\n\t{added}\n}}"
        )

    def convert_tokens_to_ids(self, tokens):
        if tokens is None:
            return None
        if isinstance(tokens, str):
            number = self._tokenizer.id(tokens)
            # An unknown token that is not in the vocabulary itself has no number either.
            is_unknown = number is None and self.unk_token not in (None, tokens)
            return self.unk_token_id if is_unknown else number
        return [self.convert_tokens_to_ids(token) for token in tokens]

    def convert_ids_to_tokens(self, ids, skip_special_tokens=False):
        if isinstance(ids, int):
            return self._tokenizer.text(ids)
        skipped = set(self.all_special_ids) if skip_special_tokens else ()
        return [self._tokenizer.text(number) for number in map(int, ids) if number not in skipped]

    def tokenize(self, text, pair=None, add_special_tokens=False, **kwargs):
        return self.encode_plus(text, pair, add_special_tokens=add_special_tokens, **kwargs).tokens()

    def encode(self, text, text_pair=None, add_special_tokens=True, **kwargs):
        return self.encode_plus(text, text_pair, add_special_tokens=add_special_tokens, **kwargs)["input_ids"]

    def __call__(self, text=None, text_pair=None, **kwargs):
        if text is None:
            raise ValueError("You need to specify either `text` or `text_target`.")
        if text_pair is not None:
            raise NotImplementedError(_ONE)
        if not isinstance(text, (list, tuple)):
            return self.encode_plus(text, **kwargs)
        return self.batch_encode_plus(text, **kwargs)

    def encode_plus(self, text, text_pair=None, return_tensors=None, **kwargs):
        if text_pair is not None:
            raise NotImplementedError(_ONE)
        made = self.batch_encode_plus([text], **kwargs)
        if return_tensors is not None:
            return made.convert_to_tensors(return_tensors)
        for key, value in made.items():
            if isinstance(value[0], list):
                made[key] = value[0]
        return made

    def batch_encode_plus(
        self,
        batch_text,
        add_special_tokens=True,
        padding=False,
        truncation=None,
        max_length=None,
        return_tensors=None,
        return_token_type_ids=None,
        return_attention_mask=None,
        verbose=True,
        **absent,
    ):
        for name, value in absent.items():
            if name not in _ABSENT:
                raise TypeError(f"PreTrainedTokenizerFast._batch_encode_plus() got an unexpected keyword argument '{name}'")
            if value:
                raise NotImplementedError(f"attn's tokenizers do not have {name}={value!r}")
        if not batch_text or not all(isinstance(text, str) for text in batch_text):
            raise ValueError(_NOT_TEXT)
        padding, truncation, max_length = self._plan(padding, truncation, max_length, verbose)
        room = None if truncation == "do_not_truncate" else max_length
        rows = []
        for text in batch_text:
            ids = self._tokenizer.tokens(text)
            # Where the special tokens alone are too many, nothing is cut.
            if room is not None and room >= (around := self._tokenizer.frame_size * bool(add_special_tokens)):
                ids = ids[max(0, len(ids) - room + around) :] if self.truncation_side == "left" else ids[: room - around]
            ids = self._tokenizer.framed(ids) if add_special_tokens else ids
            rows.append([ids, [0] * len(ids), [1] * len(ids), [*map(self._tokenizer.text, ids)]])
        self._pad_rows(rows, padding, max_length)
        ids, types, mask, tokens = map(list, zip(*rows))
        data = {"input_ids": ids}
        names = self.model_input_names
        if "token_type_ids" in names if return_token_type_ids is None else return_token_type_ids:
            data["token_type_ids"] = types
        if "attention_mask" in names if return_attention_mask is None else return_attention_mask:
            data["attention_mask"] = mask
        longest = max(map(len, ids))
        if room is None and max_length is None and longest > self.model_max_length:
            self._warn_once(
                verbose,
                "Token indices sequence length is longer than the specified maximum sequence length "
                f"for this model ({longest} > {self.model_max_length}). Running this sequence through the model "
                "will result in indexing errors",
            )
        return BatchEncoding(data, tokens, return_tensors)

    def _warn_once(self, verbose, message):
        # A message begins with what it is about.
        if verbose and message[:20] not in self._warned:
            self._warned.add(message[:20])
            sys.stderr.write(message + "\n")

    def _plan(self, padding, truncation, max_length, verbose):
        """What is padded and cut, and to which length."""
        if max_length is not None and padding is False and truncation is None:
            message = "`max_length` is given without `truncation`: texts are cut to it. Say so with `truncation=True`."
            self._warn_once(verbose, message)
            truncation = "longest_first"
        if padding is True and max_length is not None and truncation in (None, False, "do_not_truncate"):
            self._warn_once(verbose, "`max_length` is ignored with `padding=True`: use `padding='max_length'`.")
        padding = {True: "longest", False: "do_not_pad"}.get(padding, padding)
        padding = _strategy("padding", padding)
        kinds = {True: "longest_first", False: "do_not_truncate", None: "do_not_truncate", "only_first": "longest_first"}
        truncation = kinds.get(truncation, truncation)
        truncation = _strategy("truncation", truncation)
        if max_length is None:
            for wanted, what in [(padding == "max_length", "pad"), (truncation != "do_not_truncate", "truncate")]:
                if not wanted:
                    continue
                if self.model_max_length <= LARGE_INTEGER:
                    max_length = self.model_max_length
                    continue
                self._warn_once(verbose, f"Asking to {what} to max_length, but there is no maximum length: it is not done.")
                if what == "pad":
                    padding = "do_not_pad"
                else:
                    truncation = "do_not_truncate"
        if padding != "do_not_pad" and self.pad_token_id is None:
            raise ValueError(
                "Asking to pad but the tokenizer does not have a padding token. "
                "Please select a token to use as `pad_token` `(tokenizer.pad_token = tokenizer.eos_token e.g.)` "
                "or add a new pad token via `tokenizer.add_special_tokens({'pad_token': '[PAD]'})`."
            )
        return padding, truncation, max_length

    def _pad_rows(self, rows, padding, max_length):
        if padding == "do_not_pad" or not rows:
            return
        size = max_length if padding == "max_length" else max(len(row[0]) for row in rows)
        fill = [self.pad_token_id, self.pad_token_type_id, 0, self.pad_token]
        for row in rows:
            missing = size - len(row[0])
            for at, value in enumerate(fill):
                row[at] = [value] * missing + row[at] if self.padding_side == "left" else row[at] + [value] * missing

    def decode(self, token_ids, skip_special_tokens=False, clean_up_tokenization_spaces=None):
        token_ids = _numbers(token_ids)
        if isinstance(token_ids, int):
            token_ids = [token_ids]
        skipped = {id for id, _, special in self._tokenizer.added.values() if special and skip_special_tokens}
        tokens = [self._tokenizer.text(id) for id in token_ids if id not in skipped]
        text = self._tokenizer.decoded([token for token in tokens if token is not None])
        if clean_up_tokenization_spaces is None:
            clean_up_tokenization_spaces = self.clean_up_tokenization_spaces
        return self.clean_up_tokenization(text) if clean_up_tokenization_spaces else text

    def batch_decode(self, sequences, skip_special_tokens=False, clean_up_tokenization_spaces=None):
        return [self.decode(one, skip_special_tokens, clean_up_tokenization_spaces) for one in sequences]

    @staticmethod
    def clean_up_tokenization(out_string):
        for apart in (" .", " ?", " !", " ,", " ' ", " n't", " 'm", " 's", " 've", " 're"):
            out_string = out_string.replace(apart, apart.strip())
        return out_string
