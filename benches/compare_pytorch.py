"""Times PyTorch and attn alternately on the same layer and prints the ratios.

    python benches/compare_pytorch.py [--attn target/release/attn] [--tokens 256,1024,4096] [--rounds 5] [--threads 2]

Needs PyTorch, which is not installed with attn. Each measurement is a process of its own, so that peak memory is
its own too; PyTorch and attn take turns, so that what else the machine does falls on both. What is computed
stands in `src/app/bench/layer.py` and is the same file for both.
"""

import argparse
import json
import pathlib
import resource
import statistics
import subprocess
import sys
import time

HOME = pathlib.Path(__file__).resolve().parent.parent
LAYER = HOME / "src" / "app" / "bench" / "layer.py"


def here(case):
    """One case under PyTorch, in this process: a line of JSON."""
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


def pytorch(case):
    out = subprocess.run([sys.executable, __file__, "--here", json.dumps(case)], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    return json.loads(out.stdout)


def attn(binary, case):
    words = [binary, "bench", "--json", "--tokens", case["tokens"], "--path", case["path"]]
    words += ["--threads", case["threads"], "--reps", case["reps"]] + ["--causal"] * case["causal"]
    out = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    document = json.loads(out.stdout)
    if not document["cases"]:
        sys.exit(str(document["skipped"]))
    return document["cases"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn", default=str(HOME / "target" / "release" / "attn"))
    parser.add_argument("--tokens", default="256,1024,4096")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--reps", type=int, default=9)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--here", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.here:
        return here(json.loads(args.here))

    print("                                 median of the rounds' medians        peak memory")
    print("tokens  path                       PyTorch       attn   ratio     PyTorch     attn")
    for tokens in map(int, args.tokens.split(",")):
        for path, causal in [("materialised", False), ("materialised", True), ("fused", False), ("fused", True)]:
            if path == "materialised" and tokens > 4096:
                continue
            case = {"tokens": tokens, "path": path, "causal": causal, "threads": args.threads, "reps": args.reps}
            pairs = [(pytorch(case), attn(args.attn, case)) for _ in range(args.rounds)]
            theirs, ours = (statistics.median(run["ms_median"] for run in side) for side in zip(*pairs))
            memory = [statistics.median(run["peak_rss_mb"] or 0 for run in side) for side in zip(*pairs)]
            name = path + (", causal" if causal else "")
            print(
                f"{tokens:6}  {name:24} {theirs:8.1f} ms {ours:7.1f} ms  {theirs / ours:4.2f}x"
                f"   {memory[0]:6.0f} MB  {memory[1]:4.0f} MB",
                flush=True,
            )


if __name__ == "__main__":
    main()
