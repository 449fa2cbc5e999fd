"""Special tokens: their names, their numbers, and which of them are set."""

import sys


def warn(message):
    sys.stderr.write(message + "\n")


class AddedToken:
    """A token that is found in a text before it is cut."""

    def __init__(self, content="", single_word=False, lstrip=False, rstrip=False, normalized=None, special=False):
        self.content = content
        self.single_word, self.lstrip, self.rstrip, self.special = single_word, lstrip, rstrip, special
        self.normalized = not special if normalized is None else normalized

    def __str__(self):
        return self.content

    def __repr__(self):
        return (
            f'AddedToken("{self.content}", rstrip={self.rstrip}, lstrip={self.lstrip}, '
            f"single_word={self.single_word}, normalized={self.normalized}, special={self.special})"
        )

    def __eq__(self, other):
        return isinstance(other, AddedToken) and repr(self) == repr(other)

    def __hash__(self):
        return hash(self.content)


def _token(name):
    """The property of a special token, as text."""

    def get(self):
        value = self._special[name]
        if value is None:
            if self.verbose:
                warn(f"Using {name}, but it is not set yet.")
            return None
        return str(value)

    def put(self, value):
        if not isinstance(value, (str, AddedToken)) and value is not None:
            raise ValueError(f"Cannot set a non-string value as the {name[:3].upper() if name != 'mask_token' else 'MASK'} token")
        self._special[name] = value

    return property(get, put)


def _number(name):
    """The property of its number."""

    def get(self):
        value = self._special[name]
        return None if value is None else self.convert_tokens_to_ids(str(value))

    def put(self, value):
        self._special[name] = None if value is None else self.convert_ids_to_tokens(value)

    return property(get, put)


class SpecialTokens:
    SPECIAL_TOKENS_ATTRIBUTES = [
        "bos_token",
        "eos_token",
        "unk_token",
        "sep_token",
        "pad_token",
        "cls_token",
        "mask_token",
        "additional_special_tokens",
    ]

    bos_token, bos_token_id = _token("bos_token"), _number("bos_token")
    eos_token, eos_token_id = _token("eos_token"), _number("eos_token")
    unk_token, unk_token_id = _token("unk_token"), _number("unk_token")
    sep_token, sep_token_id = _token("sep_token"), _number("sep_token")
    pad_token, pad_token_id = _token("pad_token"), _number("pad_token")
    cls_token, cls_token_id = _token("cls_token"), _number("cls_token")
    mask_token, mask_token_id = _token("mask_token"), _number("mask_token")
    pad_token_type_id = 0

    def _set_special(self, given):
        self.verbose = False
        self._special = dict.fromkeys(self.SPECIAL_TOKENS_ATTRIBUTES[:-1])
        self._more_special = []
        for name, value in given.items():
            if value is None:
                continue
            if name == "additional_special_tokens":
                self._more_special = list(value)
            elif isinstance(value, (str, AddedToken)):
                self._special[name] = value
            else:
                raise TypeError(f"Special token {name} has to be either str or AddedToken but got: {type(value)}")

    @property
    def additional_special_tokens(self):
        return [str(token) for token in self._more_special]

    @additional_special_tokens.setter
    def additional_special_tokens(self, value):
        self._more_special = list(value or [])

    @property
    def additional_special_tokens_ids(self):
        return self.convert_tokens_to_ids(self.additional_special_tokens)

    @property
    def special_tokens_map_extended(self):
        found = {**self._special, "additional_special_tokens": self._more_special}
        return {name: value for name, value in found.items() if value}

    @property
    def special_tokens_map(self):
        def words(value):
            return [str(one) for one in value] if isinstance(value, list) else str(value)

        return {name: words(value) for name, value in self.special_tokens_map_extended.items()}

    @property
    def all_special_tokens_extended(self):
        found = {}
        for value in self.special_tokens_map_extended.values():
            for token in value if isinstance(value, list) else [value]:
                found.setdefault(str(token), token)
        return list(found.values())

    @property
    def all_special_tokens(self):
        return [str(token) for token in self.all_special_tokens_extended]

    @property
    def all_special_ids(self):
        return self.convert_tokens_to_ids(self.all_special_tokens)

    def add_special_tokens(self, special_tokens_dict, replace_additional_special_tokens=True):
        added = []
        for name, value in special_tokens_dict.items():
            assert name in self.SPECIAL_TOKENS_ATTRIBUTES, f"Key {name} is not a special token"
            if name == "additional_special_tokens":
                assert isinstance(value, (list, tuple)) and all(isinstance(one, (str, AddedToken)) for one in value), (
                    f"Tokens {value} for key {name} should all be str or AddedToken instances"
                )
                known = () if replace_additional_special_tokens else self.additional_special_tokens
                new = [_as_special(one) for one in value if str(one) not in known]
                if replace_additional_special_tokens and new:
                    self._more_special = list(new)
                else:
                    self._more_special += new
                added += new
            else:
                if not isinstance(value, (str, AddedToken)):
                    raise ValueError(f"Token {value} for key {name} should be a str or an AddedToken instance")
                self._special[name] = _as_special(value)
                added.append(self._special[name])
        return self.add_tokens(added, special_tokens=True)

    def add_tokens(self, new_tokens, special_tokens=False):
        if not new_tokens:
            return 0
        if not isinstance(new_tokens, (list, tuple)):
            new_tokens = [new_tokens]
        count = 0
        for token in new_tokens:
            if isinstance(token, str):
                token = AddedToken(token, special=special_tokens)
            special = token.special or special_tokens
            count += self._tokenizer.add(
                token.content, None, token.single_word, token.lstrip, token.rstrip, token.normalized, special
            )
        return count


def _as_special(token):
    return AddedToken(token, normalized=False, special=True) if isinstance(token, str) else token
