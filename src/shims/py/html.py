"""html: text that a page shows as it is."""

_ESCAPES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"))
_QUOTES = (('"', "&quot;"), ("'", "&#x27;"))


def escape(s, quote=True):
    """The text with &, < and > as entities, and with quotes as well unless `quote` is false."""
    for character, entity in _ESCAPES + (_QUOTES if quote else ()):
        s = s.replace(character, entity)
    return s
