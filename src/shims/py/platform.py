"""Fixed answers about the machine: a lesson must not depend on it."""

import sys

_ANSWERS = {
    "system": "Linux",
    "machine": "x86_64",
    "processor": "",
    "release": "",
    "version": "",
    "node": "attn",
    "python_version": ".".join(map(str, sys.version_info[:3])),
    "python_implementation": "RustPython",
    "platform": "attn",
}

for _name, _answer in _ANSWERS.items():
    globals()[_name] = lambda *args, _answer=_answer, **words: _answer
