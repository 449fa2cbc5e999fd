"""An encoding: text to tokens and back."""

import operator
import re

import _byte_pairs

_GPT_2 = {"<|endoftext|>": 50256}
_GPT_4 = {
    "<|endoftext|>": 100257,
    "<|fim_prefix|>": 100258,
    "<|fim_middle|>": 100259,
    "<|fim_suffix|>": 100260,
    "<|endofprompt|>": 100276,
}
_SPECIAL = {"gpt2": _GPT_2, "r50k_base": _GPT_2, "cl100k_base": _GPT_4}


def _valid(text):
    """The text as UTF-8 can write it: two halves of a surrogate pair are one character, a single half is replaced."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


class Encoding:
    def __init__(self, name, *, pat_str, mergeable_ranks, special_tokens, explicit_n_vocab=None):
        raise NotImplementedError("attn has the encodings of tiktoken.list_encoding_names() and makes no others")

    @classmethod
    def _named(cls, name):
        self = object.__new__(cls)
        self.name = name
        self._pairs, self._special_tokens = _byte_pairs.ranked(name), _SPECIAL[name]
        self._found_bytes = self._tokens = None
        self.max_token_value = max(self._special_tokens.values())
        return self

    def __repr__(self):
        return f"<Encoding {self.name!r}>"

    @property
    def n_vocab(self):
        return self.max_token_value + 1

    @property
    def eot_token(self):
        return self._special_tokens["<|endoftext|>"]

    @property
    def special_tokens_set(self):
        return set(self._special_tokens)

    @property
    def _bytes(self):
        """The bytes of each token."""
        if self._found_bytes is None:
            self._found_bytes = _byte_pairs.token_bytes(self.name)
        return self._found_bytes

    def encode_ordinary(self, text):
        return self._pairs.tokens(_valid(text))

    def encode(self, text, *, allowed_special=set(), disallowed_special="all"):
        if allowed_special == "all":
            allowed_special = self.special_tokens_set
        if disallowed_special == "all":
            disallowed_special = self.special_tokens_set - set(allowed_special)
        found = [(text.find(token), token) for token in disallowed_special if token in text]
        if found:
            token = min(found)[1]
            raise ValueError(
                f"Encountered text corresponding to disallowed special token {token!r}.\n"
                "If you want this text to be encoded as a special token, "
                f"pass it to `allowed_special`, e.g. `allowed_special={{{token!r}, ...}}`.\n"
                f"If you want this text to be encoded as normal text, disable the check for this token "
                f"by passing `disallowed_special=(enc.special_tokens_set - {{{token!r}}})`.\n"
                "To disable this check for all special tokens, pass `disallowed_special=()`.\n"
            )
        allowed = [token for token in self._special_tokens if token in allowed_special]
        if not any(token in text for token in allowed):
            return self.encode_ordinary(text)
        tokens = []
        for part in re.split(f"({'|'.join(map(re.escape, allowed))})", _valid(text)):
            tokens += [self._special_tokens[part]] if part in allowed else self._pairs.tokens(part)
        return tokens

    def encode_ordinary_batch(self, text, *, num_threads=8):
        return [self.encode_ordinary(one) for one in text]

    def encode_batch(self, text, *, num_threads=8, allowed_special=set(), disallowed_special="all"):
        return [
            self.encode(one, allowed_special=allowed_special, disallowed_special=disallowed_special) for one in text
        ]

    def encode_single_token(self, text_or_bytes):
        if isinstance(text_or_bytes, str):
            if text_or_bytes in self._special_tokens:
                return self._special_tokens[text_or_bytes]
            text_or_bytes = text_or_bytes.encode("utf-8")
        if self._tokens is None:
            self._tokens = {token_bytes: token for token, token_bytes in enumerate(self._bytes)}
        return self._tokens[text_or_bytes]

    def decode_bytes(self, tokens):
        return b"".join(map(self.decode_single_token_bytes, tokens))

    def decode(self, tokens, errors="replace"):
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token):
        token = operator.index(token)
        if not 0 <= token < 1 << 32:
            raise OverflowError("out of range integral type conversion attempted")
        if token < len(self._bytes):
            return self._bytes[token]
        for text, number in self._special_tokens.items():
            if number == token:
                return text.encode()
        raise KeyError(f"Invalid token for decoding: {token}")

    def decode_tokens_bytes(self, tokens):
        return [self.decode_single_token_bytes(token) for token in tokens]

    def decode_batch(self, batch, *, errors="replace", num_threads=8):
        return [self.decode(tokens, errors=errors) for tokens in batch]
