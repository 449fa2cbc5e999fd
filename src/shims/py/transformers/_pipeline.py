"""The steps of a file `tokenizer.json`: added tokens are cut out of the text, the rest becomes byte-level byte pairs, and
special tokens are put around. What a file asks for beyond that is refused by name.
"""

import re
import unicodedata

from _byte_pairs import BytePairs

_WORDS = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
_PRINTED = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
# How a vocabulary writes each byte: as itself if it is printed, else as a character from U+0100 on.
_OTHERS = [byte for byte in range(256) if byte not in _PRINTED]
_BYTES = {**{chr(byte): byte for byte in _PRINTED}, **{chr(0x100 + at): byte for at, byte in enumerate(_OTHERS)}}
_LETTERS = "".join(sorted(_BYTES, key=_BYTES.get))


def _refuse(what):
    raise NotImplementedError(f"attn's tokenizers do not have what the file asks for: {what}")


def _fields(place, part, known):
    """The fields of a part of the file. Errors: one that is not known."""
    for name in part:
        if name not in known:
            _refuse(f"{place}: {name}")
    return part


def _kind(place, part, *kinds):
    kind = part.get("type") if isinstance(part, dict) else part
    if kind not in kinds:
        _refuse(f"{place}: {kind}; attn has byte-level byte pairs alone")
    return kind


class Pipeline:
    def __init__(self, file):
        names = "version truncation padding added_tokens normalizer pre_tokenizer post_processor decoder model".split()
        _fields("tokenizer.json", file, names)
        self._composes = _kind("normalizer", file.get("normalizer"), None, "NFC") is not None
        patterns = self._read_pre_tokenizer(file.get("pre_tokenizer"))
        _kind("decoder", file.get("decoder"), "ByteLevel")
        self._before, self._after = self._read_frame(file.get("post_processor"))
        self.cut, self.padding = file.get("truncation") or {}, file.get("padding") or {}
        self._read_model(dict(file["model"]), patterns)
        self.added = {}
        for token in file["added_tokens"]:
            self.add(**token)

    def _read_pre_tokenizer(self, part):
        """The patterns that cut a text, one after the other."""
        kind = _kind("pre_tokenizer", part, "ByteLevel", "Sequence")
        parts = part["pretokenizers"] if kind == "Sequence" else [part]
        patterns = []
        for one in parts[:-1]:
            if _kind("pre_tokenizer", one, "Split", "Digits") == "Digits":
                if not one.get("individual_digits"):
                    _refuse("pre_tokenizer: Digits without individual_digits")
                patterns.append(r"\p{N}")
                continue
            _fields("pre_tokenizer", one, ["type", "pattern", "behavior", "invert"])
            if one["behavior"] != "Isolated" or one.get("invert"):
                _refuse(f"pre_tokenizer: Split with {one['behavior']}, invert={one.get('invert')}")
            patterns += one["pattern"].values()
        _kind("pre_tokenizer", parts[-1], "ByteLevel")
        level = _fields("pre_tokenizer", parts[-1], ["type", "add_prefix_space", "trim_offsets", "use_regex"])
        self.prefix_space = level["add_prefix_space"]
        if self.prefix_space and patterns:
            _refuse("pre_tokenizer: add_prefix_space after Split")
        return patterns + [_WORDS] * level.get("use_regex", True)

    def _read_frame(self, part):
        """The special tokens before a text, and those after it."""
        if part is None:
            return [], []
        kind = _kind("post_processor", part, "ByteLevel", "TemplateProcessing", "Sequence")
        if kind == "ByteLevel":
            return [], []
        if kind == "Sequence":
            first, *rest = part["processors"]
            _kind("post_processor", first, "ByteLevel")
            if len(rest) > 1:
                _refuse("post_processor: a Sequence of more than two")
            return self._read_frame(rest[0]) if rest else ([], [])
        slots = [next(iter(slot.items())) for slot in part["single"]]
        texts = [at for at, (kind, slot) in enumerate(slots) if kind == "Sequence"]
        if len(texts) != 1 or any(slot["type_id"] for _, slot in slots):
            _refuse("post_processor: a template with other than one text, or with type numbers")

        def ids(slots):
            return [id for _, slot in slots for id in part["special_tokens"][slot["id"]]["ids"]]

        return ids(slots[: texts[0]]), ids(slots[texts[0] + 1 :])

    def _read_model(self, model, patterns):
        _kind("model", model.pop("type", "BPE" if "merges" in model else "no byte pairs"), "BPE")
        self.vocab, merges = model.pop("vocab"), model.pop("merges")
        whole_first = bool(model.pop("ignore_merges", False))
        # Each byte is in the vocabulary, so that nothing is unknown.
        model.pop("unk_token", None), model.pop("fuse_unk", None)
        for name, value in model.items():
            if value:
                _refuse(f"model: {name} {value}")
        merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in merges]
        try:
            self._pairs = BytePairs(_LETTERS, self.vocab, merges, whole_first, patterns)
        except ValueError as error:
            _refuse(error)
        self._texts = {id: text for text, id in self.vocab.items()}

    def add(self, content, id=None, single_word=False, lstrip=False, rstrip=False, normalized=True, special=False):
        """Adds a token. Returns whether it was not there; one that was there may become a special one."""
        if single_word or lstrip or rstrip:
            _refuse(f"the added token {content!r} with single_word, lstrip or rstrip")
        if not content:
            return False
        there = self.added.get(content)
        if id is None:
            id = self.vocab.get(content, max([len(self.vocab), *(row[0] + 1 for row in self.added.values())]))
        row = (id, normalized, special)
        self.added[content] = row if there is None else (*there[:2], there[2] or special)
        self._texts[id] = content
        self._searches = [
            re.compile("|".join(map(re.escape, sorted(texts, key=len, reverse=True)))) if texts else None
            for texts in ([text for text, row in self.added.items() if row[1] is kind] for kind in (False, True))
        ]
        return there is None

    def tokens(self, text):
        """The tokens of a text, without special ones around."""
        return [id for part in self._parts(text, 0) for id in part]

    def _parts(self, text, search):
        """Tokens of the added tokens in a text and of what is between; those written as they are come first."""
        if search == 2:
            if text:
                yield self._pairs.tokens(" " + text if self.prefix_space and text[0] != " " else text)
            return
        if search == 1 and self._composes:
            text = unicodedata.normalize("NFC", text)
        start = 0
        for found in self._searches[search].finditer(text) if self.added and self._searches[search] else ():
            yield from self._parts(text[start : found.start()], search + 1)
            yield [self.added[found.group()][0]]
            start = found.end()
        yield from self._parts(text[start:], search + 1)

    def framed(self, ids):
        """The tokens with special ones around."""
        return [*self._before, *ids, *self._after]

    @property
    def frame_size(self):
        return len(self._before) + len(self._after)

    def id(self, text):
        return self.added[text][0] if text in self.added else self.vocab.get(text)

    def text(self, id):
        return self._texts.get(id)

    def decoded(self, tokens):
        """The text of tokens that are given by their own texts."""
        found = bytearray()
        for token in tokens:
            known = [_BYTES.get(letter) for letter in token]
            found += token.encode("utf-8") if None in known else bytes(known)
        return found.decode("utf-8", "replace")
