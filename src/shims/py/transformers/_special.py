"""Special tokens: their names, their numbers, and which of them are set."""


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


def _text(name, value):
    if not isinstance(value, (str, AddedToken)):
        raise TypeError(f"Special token {name} has to be either str or AddedToken but got: {type(value)}")
    return str(value)


def _token(name):
    """The property of a special token, as text."""

    def put(self, value):
        self._special[name] = None if value is None else _text(name, value)

    return property(lambda self: self._special[name], put)


def _number(name):
    """The property of its number."""

    def get(self):
        return self.convert_tokens_to_ids(self._special[name])

    def put(self, value):
        self._special[name] = None if value is None else self.convert_ids_to_tokens(value)

    return property(get, put)


_SINGLE = [which + "_token" for which in "bos eos unk sep pad cls mask".split()]


class SpecialTokens:
    SPECIAL_TOKENS_ATTRIBUTES = [*_SINGLE, "additional_special_tokens"]

    bos_token, eos_token, unk_token, sep_token, pad_token, cls_token, mask_token = map(_token, _SINGLE)
    bos_token_id, eos_token_id, unk_token_id, sep_token_id, pad_token_id, cls_token_id, mask_token_id = map(_number, _SINGLE)
    pad_token_type_id = 0

    def _set_special(self, given):
        self._special = {name: None if given[name] is None else _text(name, given[name]) for name in _SINGLE}
        self.additional_special_tokens = [str(token) for token in given["additional_special_tokens"] or []]

    @property
    def special_tokens_map(self):
        found = {**self._special, "additional_special_tokens": self.additional_special_tokens}
        return {name: value for name, value in found.items() if value}

    @property
    def all_special_tokens(self):
        return [*dict.fromkeys([token for token in self._special.values() if token] + self.additional_special_tokens)]

    @property
    def all_special_ids(self):
        return self.convert_tokens_to_ids(self.all_special_tokens)

    def add_special_tokens(self, special_tokens_dict, replace_additional_special_tokens=True):
        added = []
        for name, value in special_tokens_dict.items():
            assert name in self.SPECIAL_TOKENS_ATTRIBUTES, f"Key {name} is not a special token"
            if name == "additional_special_tokens":
                known = [] if replace_additional_special_tokens else self.additional_special_tokens
                new = [one for one in value if _text(name, one) not in known]
                self.additional_special_tokens = known + [str(one) for one in new] if new else self.additional_special_tokens
                added += new
            else:
                setattr(self, name, value)
                added.append(value)
        return self.add_tokens(added, special_tokens=True)

    def add_tokens(self, new_tokens, special_tokens=False):
        """Adds tokens. Returns how many were not there."""
        count = 0
        for token in new_tokens if isinstance(new_tokens, (list, tuple)) else [new_tokens]:
            token = AddedToken(token, special=special_tokens) if isinstance(token, str) else token
            count += self._tokenizer.add(**{**vars(token), "special": token.special or special_tokens})
        return count
