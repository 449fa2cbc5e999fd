"""The encodings beyond ASCII and UTF-8, looked up when first asked for."""

import codecs

_FAMILIES = {
    "latin_1": ("latin1", "latin_1", "iso8859_1", "iso_8859_1", "l1", "8859"),
    "utf_16": ("utf16", "utf_16", "u16"),
    "utf_16_le": ("utf16le", "utf_16_le", "utf_16le"),
    "utf_16_be": ("utf16be", "utf_16_be", "utf_16be"),
    "utf_32": ("utf32", "utf_32", "u32"),
    "unicode_escape": ("unicode_escape",),
    "raw_unicode_escape": ("raw_unicode_escape",),
    "ascii": ("us_ascii", "646"),
    "utf_8": ("u8", "utf", "cp65001"),
}


def _encode_with_mark(text, errors="strict"):
    return codecs.BOM_UTF8 + codecs.utf_8_encode(text, errors)[0], len(text)


def _decode_with_mark(data, errors="strict"):
    data = bytes(data)
    return codecs.utf_8_decode(data.removeprefix(codecs.BOM_UTF8), errors, True)[0], len(data)


def search_function(encoding):
    plain = encoding.lower().replace("-", "_").replace(" ", "_")
    if plain == "utf_8_sig":
        return codecs.CodecInfo(_encode_with_mark, _decode_with_mark, name="utf-8-sig")
    for family, names in _FAMILIES.items():
        if plain in names:
            encode = getattr(codecs, family + "_encode")
            decode = getattr(codecs, family + "_decode")
            return codecs.CodecInfo(encode, decode, name=family.replace("_", "-"))
    return None
