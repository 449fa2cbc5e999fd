"""Runs the programs of numpy/*.py on a real NumPy 1.26 and PyTorch, and records what each prints, in numpy.json.

Usage: python make_numpy.py [FAMILY...]
A file holds one family; `# %% name` starts a program. Each runs in a process of its own. With families, only their
programs are recorded anew, and the others stay as they are. The family `public` needs matplotlib 3.8, seaborn 0.13,
einops and tqdm. NumPy computes without AVX-512, whose `exp` and `log` differ in the last digit.
"""
import json, os, pathlib, re, subprocess, sys, tempfile

HERE = pathlib.Path(__file__).resolve().parent


WITHOUT = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL"


def main(families):
    known = json.loads((HERE / "numpy.json").read_text())["cases"] if families else []
    cases = []
    for path in sorted(HERE.glob("numpy/*.py")):
        if families and path.stem not in families:
            cases += [case for case in known if case["family"] == path.stem]
            continue
        parts = re.split(r"^# %% *(.*)$", path.read_text(), flags=re.M)
        for name, body in zip(parts[1::2], parts[2::2]):
            program = body.strip() + "\n"
            words = {**os.environ, "MPLBACKEND": "Agg", "NPY_DISABLE_CPU_FEATURES": WITHOUT}
            # A file, so that `inspect.getsource` finds what it asks for.
            with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
                file.write(program)
                file.flush()
                run = [sys.executable, "-W", "ignore", file.name]
                done = subprocess.run(run, capture_output=True, text=True, env=words)
            if done.returncode:
                sys.exit(f"{path.stem}/{name}: {done.stderr}")
            cases.append({"family": path.stem, "name": name.strip(), "program": program, "stdout": done.stdout})
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    head = json.dumps({"numpy": "1.26.4", "contract": "exact stdout; made by make_numpy.py"})
    (HERE / "numpy.json").write_text(head[:-1] + ', "cases": [\n' + lines + "\n]}\n")
    print(len(cases), "programs")


if __name__ == "__main__":
    main(sys.argv[1:])
