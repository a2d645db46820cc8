#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hardware counters of the steps of paper A and B (tests/bench/mog/ladder.h) by NVIDIA's profiler ncu, as a table: the paper's
figures 6 to 8, 11b and 12b (branch and memory efficiency, occupancy, registers). K = 3 and 5, double and single.

Usage: mog_counters.py MOG_LADDER [--gpucheck GPUCHECK] [--size WxH] [--csv FILE]

With --gpucheck the times of groups of 1 to 32 frames (figure 10) are printed as well. The profiler needs leave to read the
GPU's counters (root, or NVreg_RestrictProfilingToAdminUsers=0).
"""
import argparse
import collections
import csv
import io
import statistics
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


def profile(ladder, size):
    # The eighth launch of each kernel: the model has learnt by then, and all launches would take an hour.
    command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--kernel-name-base", "demangled",
               "--kernel-id", ":::8", "--metrics", ",".join(METRICS.values()),
               ladder, "--size", size, "--frames", "8", "--serial-frames", "1"]
    done = subprocess.run(command, capture_output=True, text=True)
    table = done.stdout[done.stdout.find('"ID"'):] if '"ID"' in done.stdout else ""
    if done.returncode or not table:
        sys.exit(f"mog_counters: {' '.join(command)} failed ({done.returncode}):\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return csv.DictReader(io.StringIO(table))


def number(text):
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None  # a metric that this GPU does not have, or the row of units


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("ladder", metavar="MOG_LADDER")
    parser.add_argument("--gpucheck")
    parser.add_argument("--size", default="1920x1080")
    parser.add_argument("--csv", help="writes the table to this file as well")
    o = parser.parse_args()
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in profile(o.ladder, o.size):
        for name, metric in METRICS.items():
            value = number(row.get(metric))
            if value is not None:
                found[row["Kernel Name"]][name].append(value / 1e6 if name == "DRAM MB" else value)
    if not found:
        sys.exit("mog_counters: the profiler saw no kernel with these counters")
    rows = [["kernel", "launches", *METRICS]]
    for kernel, values in sorted(found.items()):
        launches = max(len(v) for v in values.values())
        rows.append([kernel, launches, *(f"{statistics.median(values[m]):.4g}" if values[m] else "-" for m in METRICS)])
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    if o.csv:
        with open(o.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    if o.gpucheck:
        subprocess.run([o.gpucheck, "--backend", "cuda", "--test", "mog/groups", "--bench"], check=True)


if __name__ == "__main__":
    main()
