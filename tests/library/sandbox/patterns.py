# Changes the code of patterns and hands it to `_sre.compile`: it is refused, or runs within the text.
import _sre, random, re
from re import _compiler, _parser

PATTERNS = [
    r"abc", r"a|bc|d", r"(a)(b)?\1", r"(?P<n>x+)=(?P=n)", r"[a-z]+?\d*", r"(?:ab){2,3}c", r"(?<=a)b(?!c)", r"^\s*$",
    r"(?i)k[é-ü]+", r"(a)?(?(1)b|c)", r"(?>a+)b", r"a*+b", r"(?s).*x", r"[^日本a-f]{1,5}", r"\bword\b", r"(?:a+)+$",
]
TEXTS = ["", "a", "abcabc", "aaaab", "x=x 12", "日本語 word Ké", "ab" * 9]
random.seed(1)
refused = run = 0
for _ in range(3000):
    text = random.choice(PATTERNS)
    parsed = _parser.parse(text)
    code = _compiler._code(parsed, parsed.state.flags)
    for _ in range(random.randrange(1, 4)):
        place = random.randrange(len(code))
        what = random.randrange(4)
        if what == 0:
            code[place] = random.randrange(44)
        elif what == 1:
            code[place] = random.choice([0, 1, 2**31, 2**32 - 1, len(code), len(code) + 1])
        elif what == 2:
            del code[place]
        else:
            code.insert(place, random.randrange(44))
        if not code:
            break
    groups = parsed.state.groups - 1
    try:
        pattern = _sre.compile(text, 32, code, groups, {}, (None,) * (groups + 1))
    except RuntimeError as error:
        assert str(error) == "invalid SRE code", error
        refused += 1
        continue
    for text in TEXTS:
        for found in (pattern.search(text), pattern.match(text), pattern.fullmatch(text)):
            if found:
                assert 0 <= found.start() <= found.end() <= len(text), (code, text, found)
    run += 1
print(refused > 500, run > 250)
