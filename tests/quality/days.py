# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole drawn days in pieces, on all processors: quality-day's visits and false events, summed for each seed.
Usage: days.py QUALITY_DAY [--seed N]... [--from HOUR] [--hours N] [--piece HOURS] [--jobs N] [OPTIONS OF QUALITY_DAY]

Pieces have the counts of a whole day: each is warmed up for 60 s of the scene's time. Prints what was missed or false, a line for each
seed, and one for all. It fails where recall is below 0.99 or a day has more than one false event.
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("program")
parser.add_argument("--seed", type=int, action="append")
parser.add_argument("--from", type=float, default=12, dest="begin")
parser.add_argument("--hours", type=float, default=24)
parser.add_argument("--piece", type=float, default=0.25)
parser.add_argument("--jobs", type=int, default=os.cpu_count())
options, more = parser.parse_known_args()


def piece(seed, begin):
    done = subprocess.run([options.program, "--seed", str(seed), "--from", str(begin % 24), "--hours", str(options.piece), "--warm-up", "60",
                           "--recall", "0", "--settings", "threads=1", *more], capture_output=True, text=True)
    counts = re.search(r"(\d+) of (\d+) visits found .*, (\d+) false events", done.stdout)
    if not counts:
        sys.exit(f"seed {seed}, {begin % 24} h: {done.stdout}{done.stderr}")
    said = [line for line in done.stdout.splitlines() if "false event until" in line or "was missed" in line or "camera-" in line]
    return [int(n) for n in counts.groups()], said


total, hours, failed = [0, 0, 0], 0., False
with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
    begins = [options.begin + i * options.piece for i in range(round(options.hours / options.piece))]
    asked = {seed: [pool.submit(piece, seed, b) for b in begins] for seed in options.seed or [1]}
    for seed, pieces in asked.items():
        found, wanted, wrong = (sum(p.result()[0][i] for p in pieces) for i in range(3))
        for p in pieces:
            for line in p.result()[1]:
                print(f"seed {seed}: {line}")
        print(f"seed {seed}, {options.hours:g} hours from {options.begin:g}: {found} of {wanted} visits, {wrong} false events", flush=True)
        total = [a + b for a, b in zip(total, (found, wanted, wrong))]
        hours += options.hours
        failed |= found < 0.99 * wanted or wrong * 24 > options.hours
print(f"together {hours:g} hours: {total[0]} of {total[1]} visits ({total[0] / max(1, total[1]):.4f}), {total[2]} false events "
      f"({total[2] * 24 / hours:.2f} a day)")
sys.exit(failed)
