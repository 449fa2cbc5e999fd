"""Runs recorded programs through `attn run --json` and says, family by family, what agrees to the character.

Usage: python compare_programs.py ATTN FILE.json... [--family NAME] [--show N] [--save DIFFERING.json] [--jobs N]

`close` means: the same text but for digits that lie within one unit of their last place, or 1e-6 of zero.
`--save` keeps the cases that differ, in the recorded form, so that they can be tried again or kept for good.
"""
import argparse, collections, concurrent.futures, difflib, json, os, re, subprocess, sys, tempfile

NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]\d+)?")


def run(attn, program):
    """What the program prints under attn, then the error it ended with, if any."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program.py")
        with open(path, "w") as file:
            file.write(program)
        try:
            done = subprocess.run([attn, "run", path, "--json", "--no-input"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return "", "took more than a minute"
    try:
        cells = json.loads(done.stdout)["cells"]
    except (ValueError, KeyError):
        return "", f"no document, exit {done.returncode}: {(done.stderr or done.stdout).strip()[:300]}"
    error = next((c["error"] for c in cells if c.get("error")), None)
    return "".join(c["stdout"] for c in cells), error and f"{error['type']}: {error['message']} (line {error.get('line')})"


def close(a, b):
    """The same words, and numbers that differ by no more than their last place."""
    if re.sub(r"\s+", "", NUMBER.sub("#", a)) != re.sub(r"\s+", "", NUMBER.sub("#", b)):
        return False
    for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)):
        mantissa, _, exponent = x.partition("e")
        unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
        if "." not in x + y and x != y or abs(float(x) - float(y)) > max(1.01 * unit, 1e-6):
            return False
    return True


def verdict(attn, case):
    text, error = run(attn, case["program"])
    if error:
        return "raised", text, error
    if text == case["stdout"]:
        return "same", text, None
    return ("close" if close(text, case["stdout"]) else "differs"), text, None


def main():
    args = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    args.add_argument("attn")
    args.add_argument("files", nargs="+")
    args.add_argument("--family", action="append")
    args.add_argument("--show", type=int, default=10)
    args.add_argument("--save")
    args.add_argument("--jobs", type=int, default=2)
    args = args.parse_args()
    cases = [c for f in args.files for c in json.load(open(f))["cases"] if not args.family or c.get("family") in args.family]
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        verdicts = list(pool.map(lambda c: verdict(args.attn, c), cases))
    table, wrong, reasons = collections.defaultdict(collections.Counter), [], collections.Counter()
    for case, (word, text, error) in zip(cases, verdicts):
        table[case.get("family", "")][word] += 1
        if word != "same":
            wrong.append(case)
            if error:
                reasons[error.split(" (line")[0][:110]] += 1
            if len(wrong) <= args.show:
                print(f"==== {case.get('family')}/{case.get('name')}: {word} {error or ''}")
                print(case["program"] if args.show <= 20 else "", end="")
                print("\n".join(difflib.unified_diff(case["stdout"].splitlines(), text.splitlines(), "recorded", "printed", lineterm="", n=1)))
    for family in sorted(table):
        row = table[family]
        print(f"{family:<14}" + "".join(f"{word} {row[word]:>5}   " for word in ("same", "close", "differs", "raised")))
    for reason, n in reasons.most_common(25):
        print(f"{n:>5}  {reason}")
    same = sum(row["same"] for row in table.values())
    print(f"{same} of {len(cases)} agree to the character ({100 * same / max(len(cases), 1):.1f}%)")
    if args.save:
        with open(args.save, "w") as file:
            json.dump({"cases": wrong}, file, ensure_ascii=False)
    return same != len(cases)


if __name__ == "__main__":
    sys.exit(main())
