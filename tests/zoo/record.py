"""Runs the programs of a folder with PyTorch and writes what each prints beside it: correct/rope.py, correct/rope.txt.

Usage: python record.py                    record correct/, fixed/ and reported/
       python record.py --check            compare with what is recorded; write nothing
       python record.py --attn ATTN        compare what attn prints with what is recorded (needs no PyTorch)
       python record.py --doctor ATTN      what `attn doctor` finds in each program; in correct/ and fixed/ it should be nothing

Dropout draws the numbers of a PyTorch build with Intel's library, hence `attn run --random mkl`.
"""
import json
import os
import re
import runpy
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROGRAMS = sorted([*HERE.glob("correct/*.py"), *HERE.glob("fixed/*.py"), *HERE.glob("reported/*.py")])


def printed(command):
    """What a command prints, with the last line of an error."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    return ended(done.stdout, done.returncode, done.stderr)


def ended(text, code, error):
    return text if code == 0 else text + "failed: " + (error.strip().splitlines() or ["?"])[-1] + "\n"


def printed_by_torch(program):
    """The same by PyTorch, in a fork of this process: importing it takes longer than most programs."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            os.dup2(err.fileno(), 2)
            code = 0
            try:
                runpy.run_path(str(program), run_name="__main__")
            except BaseException:
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        return ended(out.read(), os.waitstatus_to_exitcode(status), err.read())


def expected(program):
    """The mistakes that the first line of a program in reported/ names: one of them is to be found."""
    return re.match(r"# Expected: ([a-z, -]+)", program.read_text(encoding="utf-8")).group(1).strip().split(", ")


def found(attn, program):
    done = subprocess.run([attn, "doctor", "--json", str(program)], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    report = json.loads(done.stdout)
    return [(it["mistake"], it["line"]) for it in report["findings"]], report["error"]


def doctor(attn):
    failed = 0
    for program in PROGRAMS:
        findings, error = found(attn, program)
        told = ", ".join(f"{mistake} (line {line})" for mistake, line in findings) or "nothing"
        if error:
            told += f"; {error['type']}: {error['message']}"
        if program.parent.name in ("correct", "fixed"):
            good = not findings and not error
            failed += not good
            print(f"{'silent ' if good else 'ACCUSED'} {program.stem}: {told}")
        else:
            wanted = expected(program)
            good = bool(set(wanted) & {mistake for mistake, _ in findings})
            failed += not good
            print(f"{'found  ' if good else 'MISSED '} {program.stem} ({', '.join(wanted)}): {told}")
    return failed


def main(arguments):
    if arguments[:1] == ["--doctor"]:
        return doctor(arguments[1])
    attn = arguments[1] if arguments[:1] == ["--attn"] else None
    if not attn:
        import torch
        torch.set_num_threads(1)
    differ = 0
    for program in PROGRAMS:
        recorded = program.with_suffix(".txt")
        text = printed([attn, "run", "--random", "mkl", str(program)]) if attn else printed_by_torch(program)
        if not arguments:
            recorded.write_text(text, encoding="utf-8")
        elif not recorded.exists() or recorded.read_text(encoding="utf-8") != text:
            differ += 1
            print(f"{program.relative_to(HERE)} prints something else:\n{text}")
    print(f"{len(PROGRAMS)} programs, {differ} differ")
    return differ


if __name__ == "__main__":
    sys.exit(bool(main(sys.argv[1:])))
