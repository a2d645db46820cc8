#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hardware counters of the steps of paper A and B (tests/bench/mog/ladder.h) by NVIDIA's profiler ncu, as a table: the paper's
figures 6 to 8, 11b and 12b (branch and memory efficiency, occupancy, registers), K = 3 and 5, double and single; and those of cudamog's
kernels over the size of the group (figure 10b).

Usage: mog_counters.py MOG_PROFILE FOLDER [--limit SECONDS] [SET]...

Each SET (double-3, double-5, single-3, single-5, groups; all of them) is one run of the profiler, which may take --limit seconds.
What ncu wrote is kept as FOLDER/SET.csv, also of a run that failed; the table is printed and written to FOLDER/counters.csv. The
profiler needs leave to read the GPU's counters (root, or NVreg_RestrictProfilingToAdminUsers=0). Clocks are left as they are.
"""
import argparse
import csv
import pathlib
import re
import subprocess
import sys

METRICS = {
    "registers": "launch__registers_per_thread",
    "occupancy %": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "branch efficiency %": "smsp__sass_average_branch_targets_threads_uniform.pct",
    "load efficiency %": "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
    "store efficiency %": "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct",
    "branches": "smsp__sass_branch_targets.sum",
    "DRAM MB": "dram__bytes.sum",
}
SETS = ["double-3", "double-5", "single-3", "single-5", "groups"]
GROUPS = [1, 2, 4, 8, 16, 32]  # frames of the launches of `groups`
RUNGS = ["serial", "A", "B, C", "", "D", "E", "F", "W", "serial", "B1", "B2", "B3, B4", ""]  # as in the enum Rung


def profile(program, what, path, limit):
    """Returns what went wrong, or nothing."""
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--kernel-name-base", "demangled", "--clock-control", "none",
               "--profile-from-start", "off", "--log-file", str(path), "--metrics", ",".join(METRICS.values()), program, what]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False)
    except FileNotFoundError:
        return "there is no program ncu"
    except subprocess.TimeoutExpired:
        return f"ncu was not done after {limit} s"
    return f"ncu returned {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}" if done.returncode else None


def kernels(path):
    """Name and counters of each launch, in their order."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    table = [l for l in lines if l.startswith('"')]
    for row in csv.DictReader(table):
        if row["ID"]:  # else the row of units
            yield row["Kernel Name"], [number(row.get(m)) for m in METRICS.values()]


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None  # a metric that this GPU does not have


def name_of(kernel):
    rung = re.search(r"(?:luma|colour)_kernel<(?:\([^)]*\))?(\d+)", kernel)
    mog = re.search(r"mog_kernel<(.*), (?:\(int\))?(\d), \S+>\(", kernel)
    return RUNGS[int(rung[1])] if rung else f"{mog[1]}, K = {mog[2]}" if mog else kernel


def rows_of(what, path):
    for n, (kernel, values) in enumerate(kernels(path)):
        yield [what if what != "groups" else f"group of {GROUPS[n % len(GROUPS)]}", name_of(kernel), *values]


def cell(name, value):
    if isinstance(value, float):
        return f"{value / 1e6:.1f}" if name == "DRAM MB" else f"{value:.4g}"
    return "-" if value is None else value


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("program", metavar="MOG_PROFILE")
    parser.add_argument("folder", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("sets", metavar="SET", nargs="*")
    parser.add_argument("--limit", type=float, default=600)
    o = parser.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    head, rows, failed = ["set", "kernel", *METRICS], [], 0
    for what in o.sets or SETS:
        path = o.folder / f"{what}.csv"
        trouble = profile(o.program, what, path, o.limit)
        found = [[cell(n, v) for n, v in zip(head, row)] for row in rows_of(what, path)]
        if trouble or not found:
            failed += 1
            print(f"mog_counters: {what}: {trouble or f'no counters in {path}'}", file=sys.stderr, flush=True)
        for row in found:
            print("| " + " | ".join(row) + " |", flush=True)
        rows += found
    with open(o.folder / "counters.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([head, *rows])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
