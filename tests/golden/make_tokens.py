"""Runs the programs of tokens/*.py with a real tiktoken, and records what each prints, in tokens.json.

Usage: python make_tokens.py FOLDER
The folder holds r50k_base.tiktoken and cl100k_base.tiktoken, which tiktoken downloads.
"""
import base64, contextlib, io, json, pathlib, re, sys

import tiktoken

HERE = pathlib.Path(__file__).resolve().parent
END = {"<|endoftext|>": 50256}
SPECIAL = {"<|endoftext|>": 100257, "<|fim_prefix|>": 100258, "<|fim_middle|>": 100259, "<|fim_suffix|>": 100260}
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"
GPT4 = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


def encoding(name):
    folder = pathlib.Path(sys.argv[1])
    pattern, special, file = GPT2, END, "r50k_base"
    if name == "cl100k_base":
        pattern, special, file = GPT4, {**SPECIAL, "<|endofprompt|>": 100276}, name
    lines = [line.split() for line in (folder / f"{file}.tiktoken").read_bytes().splitlines() if line]
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special)


def main():
    built = {name: encoding(name) for name in ["gpt2", "r50k_base", "cl100k_base"]}
    tiktoken.get_encoding = built.__getitem__
    cases = []
    for path in sorted(HERE.glob("tokens/*.py")):
        parts = re.split(r"^# %% *(.*)$", path.read_text(), flags=re.M)
        for name, body in zip(parts[1::2], parts[2::2]):
            program = body.strip() + "\n"
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                exec(compile(program, name, "exec"), {})
            cases.append({"family": path.stem, "name": name.strip(), "program": program, "stdout": printed.getvalue()})
    lines = ",\n".join(json.dumps(case) for case in cases)
    head = json.dumps({"tiktoken": tiktoken.__version__, "contract": "exact stdout; made by make_tokens.py"})
    (HERE / "tokens.json").write_text(head[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(len(cases), "programs")


if __name__ == "__main__":
    main()
