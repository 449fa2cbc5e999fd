"""Times PyTorch and attn in turns on the same code and prints the ratios.

    python benches/compare_pytorch.py                      # all cases of cases.py, about ten minutes
    python benches/compare_pytorch.py --only 512x512       # those whose group or name matches a pattern
    python benches/compare_pytorch.py --train 12           # steps of the small transformer, one by one
    python benches/compare_pytorch.py --layer              # a layer forward, with peak memory (`attn bench`)

Needs PyTorch, which is not installed with attn. Both run `cases.py`. In each round a case is timed in one and then in
the other, so that what else the machine does falls on both. The figure is the fewest seconds over all rounds; a ratio
above 1 means that attn takes less time. `--json` writes a document for programs.
"""

import argparse
import json
import math
import pathlib
import re
import resource
import statistics
import subprocess
import sys
import time

HOME = pathlib.Path(__file__).resolve().parent.parent
LAYER = HOME / "src" / "app" / "commands" / "bench" / "layer.py"
CASES = HOME / "benches" / "cases.py"
WRITTEN = [*(HOME / "lessons" / "model" / name for name in ("gpt2.py", "write.py")), LAYER.parent / "decode.py"]
MODEL = "\n".join(file.read_text() for file in WRITTEN)
ANSWER = "answer: "


class Process:
    """PyTorch, in a process that stays."""

    def __init__(self, threads):
        words = [sys.executable, str(CASES)]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write(f"{threads}\n")

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return answer([self.process.stdout.readline()])


class Attn:
    """attn, which shows what a cell printed when the cell ends: a process for each request."""

    def __init__(self, words, threads):
        self.words, self.threads = [*map(str, words), str(CASES)], threads

    def ask(self, **request):
        text = f"{self.threads}\n{json.dumps(request)}\n"
        out = subprocess.run(self.words, input=text, capture_output=True, text=True)
        return answer(out.stdout.splitlines(), out.stderr)


def answer(lines, why=""):
    found = [line for line in lines if line.startswith(ANSWER)]
    if not found:
        sys.exit("a process ended early\n" + why)
    return json.loads(found[0].removeprefix(ANSWER))


def machine(binary, threads):
    """The processor, as `attn bench` names it."""
    words = [binary, "bench", "--json", "--tokens", "64", "--path", "fused", "--threads", threads, "--reps", "1"]
    out = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    found = json.loads(out.stdout) if out.returncode == 0 else {}
    return {"cpu": found.get("cpu"), "threads": threads}


def read(seconds):
    """A time in the unit that suits it."""
    for unit, size in (("s ", 1), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:8.2f} {unit}"
    return f"{seconds * 1e6:8.2f} µs"


def summary(results):
    ratios = [result["ratio"] for result in results]
    return {
        "cases": len(ratios),
        "geometric_mean": math.exp(statistics.fmean(map(math.log, ratios))),
        "below_0.7": sum(ratio < 0.7 for ratio in ratios),
        "below_1.0": sum(ratio < 1 for ratio in ratios),
    }


def compare(args, servers):
    """All cases that match, in turns."""
    sys.path.insert(0, str(CASES.parent))
    from cases import CASES as cases

    cases = [case for case in cases.values() if re.search(args.only, f"{case.group}: {case.name}")]
    host = machine(args.attn, args.threads)
    if not args.json:
        print(f"{host['cpu']}, {args.threads} threads")
        print(f"{'':44} {'PyTorch':>11} {'attn':>11}   ratio")
    results, group = [], None
    for case in cases:
        best = {name: math.inf for name in servers}
        wrong = {}
        for _ in range(args.rounds):
            for name, server in servers.items():
                answer = server.ask(case=case.name, seconds=args.seconds, model=MODEL)
                if isinstance(answer, str):
                    wrong[name] = answer
                else:
                    best[name] = min(best[name], answer)
        result = {"group": case.group, "name": case.name, "pytorch": best["pytorch"], "attn": best["attn"]}
        speed = lambda name: case.flops / best[name] / 1e9 if case.flops else None
        result |= {"ratio": best["pytorch"] / best["attn"], "gflops": speed("attn")}
        if case.group != group and not args.json:
            group = case.group
            print(group)
        if wrong:
            print(f"  {case.name:42} {wrong}", file=sys.stderr)
            continue
        results.append(result)
        if not args.json:
            speeds = f"  {speed('pytorch'):5.0f} and {speed('attn'):5.0f} GFLOP/s" if case.flops else ""
            line = f"  {case.name:42} {read(best['pytorch'])} {read(best['attn'])} {result['ratio']:7.2f}{speeds}"
            print(line, flush=True)
    groups = {group: summary(found) for group in dict.fromkeys(result["group"] for result in results)
              if (found := [result for result in results if result["group"] == group])}  # fmt: skip
    if args.json:
        return print(json.dumps({"machine": host, "cases": results, "groups": groups}, indent=1))
    for group, found in groups.items():
        print(
            f"{group}: {found['cases']} cases, geometric mean {found['geometric_mean']:.2f}, "
            f"{found['below_0.7']} below 0.7, {found['below_1.0']} below 1.0"
        )


def train(args, servers):
    """A training in each, one after the other: its first steps, and of many steps the first of each doubling."""
    shown, step = {1, 3, 6, 12, args.train}, 25
    while step < args.train:
        shown.add(step)
        step *= 2
    print("milliseconds of forward / backward / optimizer: " + ", ".join(servers))
    trained = {name: server.ask(train=args.train) for name, server in servers.items()}
    for step in sorted(shown):
        if step <= args.train:
            parts = (" / ".join(f"{part * 1e3:5.1f}" for part in steps[step - 1]) for steps in trained.values())
            print(f"{step:6}  " + "   ".join(parts))
    median = {name: statistics.median(map(sum, steps)) for name, steps in trained.items()}
    print("median of a step: " + ", ".join(f"{name} {time * 1e3:.1f} ms" for name, time in median.items()))
    print(f"PyTorch / attn {median['pytorch'] / median['attn']:.2f}")


def layer_here(case):
    """One case of the layer under PyTorch, in this process: a line of JSON."""
    import torch

    torch.set_num_threads(case["threads"])
    sizes = {"BATCH": 1, "TOKENS": case["tokens"], "WIDTH": 768, "HEADS": 12, "CAUSAL": case["causal"]}
    exec(compile(LAYER.read_text(), str(LAYER), "exec"), sizes)
    if case["causal"] and case["path"] == "materialised":
        sizes["hidden"] = sizes["causal_mask"]()
    call = sizes[case["path"]]
    times = []
    start = time.perf_counter()
    call()
    while len(times) < case["reps"] and (not times or time.perf_counter() - start < 4):
        before = time.perf_counter()
        call()
        times.append((time.perf_counter() - before) * 1e3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"ms_min": min(times), "ms_median": statistics.median(times), "peak_rss_mb": peak}))


def output(words):
    """The JSON that a process of its own writes: its peak memory is its own too."""
    out = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    return json.loads(out.stdout)


def layer_attn(binary, case):
    words = [binary, "bench", "--json", "--tokens", case["tokens"], "--path", case["path"]]
    words += ["--threads", case["threads"], "--reps", case["reps"]] + ["--causal"] * case["causal"]
    document = output(words)
    if not document["cases"]:
        sys.exit(str(document["skipped"]))
    return document["cases"][0]


def layer(args):
    """One layer of attention forward, time and memory."""
    print("                                 median of the rounds' medians        peak memory")
    print("tokens  path                       PyTorch       attn   ratio     PyTorch     attn")
    for tokens in map(int, args.tokens.split(",")):
        for path, causal in [("materialised", False), ("materialised", True), ("fused", False), ("fused", True)]:
            if path == "materialised" and tokens > 4096:
                continue
            case = {"tokens": tokens, "path": path, "causal": causal, "threads": args.threads, "reps": args.reps}
            here = [sys.executable, __file__, "--here", json.dumps(case)]
            pairs = [(output(here), layer_attn(args.attn, case)) for _ in range(args.rounds)]
            theirs, ours = (statistics.median(run["ms_median"] for run in side) for side in zip(*pairs))
            memory = [statistics.median(run["peak_rss_mb"] or 0 for run in side) for side in zip(*pairs)]
            name = path + (", causal" if causal else "")
            print(
                f"{tokens:6}  {name:24} {theirs:8.1f} ms {ours:7.1f} ms  {theirs / ours:4.2f}x"
                f"   {memory[0]:6.0f} MB  {memory[1]:4.0f} MB",
                flush=True,
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn", default=str(HOME / "target" / "release" / "attn"))
    parser.add_argument("--only", default="", metavar="PATTERN", help="cases whose 'group: name' it matches")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.1, help="for each case in each round")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--train", type=int, metavar="STEPS")
    parser.add_argument("--layer", action="store_true")
    parser.add_argument("--tokens", default="256,1024,4096", help="for --layer")
    parser.add_argument("--reps", type=int, default=9, help="for --layer")
    parser.add_argument("--here", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        return layer_here(json.loads(args.here))
    if args.layer:
        return layer(args)
    servers = {"pytorch": Process(args.threads), "attn": Attn([args.attn, "run"], args.threads)}
    if args.train:
        servers["attn --no-record"] = Attn([args.attn, "run", "--no-record"], args.threads)
        return train(args, servers)
    compare(args, servers)


if __name__ == "__main__":
    main()
