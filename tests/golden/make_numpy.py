"""Runs the programs of numpy/*.py on a real NumPy 1.26 and PyTorch, and records what each prints, in numpy.json.

Usage: python make_numpy.py
A file holds one family; `# %% name` starts a program. Each runs in a process of its own.
"""
import json, pathlib, re, subprocess, sys

HERE = pathlib.Path(__file__).resolve().parent


def main():
    cases = []
    for path in sorted(HERE.glob("numpy/*.py")):
        parts = re.split(r"^# %% *(.*)$", path.read_text(), flags=re.M)
        for name, body in zip(parts[1::2], parts[2::2]):
            program = body.strip() + "\n"
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
            if done.returncode:
                sys.exit(f"{path.stem}/{name}: {done.stderr}")
            cases.append({"family": path.stem, "name": name.strip(), "program": program, "stdout": done.stdout})
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    head = json.dumps({"numpy": "1.26.4", "contract": "exact stdout; made by make_numpy.py"})
    (HERE / "numpy.json").write_text(head[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(len(cases), "programs")


if __name__ == "__main__":
    main()
