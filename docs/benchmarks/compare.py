#!/usr/bin/env python3
"""Rates of all kernels of two gravlab binaries, measured by turns, as CSV.

    docs/benchmarks/compare.py OLD NEW [--backend cuda] [-n 1k,4k,16k,64k,256k,1M] [--rounds 3] [-o rates.csv] [--within 0.01]
                               [-- OPTIONS OF BENCH]

The turns are OLD NEW NEW OLD ..., so that a device that warms up slows both alike. A line has the best rate of each binary
over all rounds, in interactions per second, and their ratio. A rate that fails its check counts as none. Exits with 1 when a
rate falls by more than `--within`, or is there in OLD and not in NEW.
"""
import argparse
import csv
import io
import subprocess
import sys

KEYS = ("backend", "kernel", "n", "precision")


def measured(program, options):
    """Rates of one turn by row, or None where a row has none."""
    command = [program, "bench", "--backend", options.backend, "-n", options.n, "--format", "csv", *options.more]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode not in (0, 7):  # 7: a row failed its check and has no rate
        sys.exit(f"compare: {' '.join(command)} ended with {done.returncode}")
    rates = {}
    for row in csv.DictReader(io.StringIO(done.stdout)):
        if "interactions_per_second" not in row:
            sys.exit(f"compare: {program} printed no table of rates")
        rate = row["interactions_per_second"] if row["verified"] == "true" else ""
        rates[tuple(row[key] for key in KEYS)] = float(rate) if rate else None
    return rates


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("old")
    words.add_argument("new")
    words.add_argument("--backend", default="cuda")
    words.add_argument("-n", default="1k,4k,16k,64k,256k,1M")
    words.add_argument("--rounds", type=int, default=3)
    words.add_argument("-o", "--output")
    words.add_argument("--within", type=float, default=0.01)
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = words.parse_args(sys.argv[1:split])
    options.more = sys.argv[split + 1:]

    best = ({}, {})
    for turn in range(2 * options.rounds):
        which = (turn + 1) // 2 % 2  # old, new, new, old
        for key, rate in measured((options.old, options.new)[which], options).items():
            if rate is not None:
                best[which][key] = max(rate, best[which].get(key, 0))
            else:
                best[which].setdefault(key, 0)

    out = open(options.output, "w", newline="") if options.output else sys.stdout
    table = csv.writer(out, lineterminator="\n")
    table.writerow([*KEYS, "old", "new", "ratio"])
    worse = 0
    for key in dict.fromkeys([*best[0], *best[1]]):
        old, new = best[0].get(key, 0), best[1].get(key, 0)
        table.writerow([*key, old or "", new or "", f"{new / old:.4f}" if old and new else ""])
        worse += bool(old) and new < old * (1 - options.within)
    print(f"compare: {worse} of {len(best[0])} rates fell by more than {options.within:.1%}", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
