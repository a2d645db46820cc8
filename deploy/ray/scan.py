#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An archive through vigil-scan on a Ray cluster.

    scan.py --out RESULTS [--shares N] [--gpus FRACTION] [--scan PROGRAM] LIST [-- OPTION...]

LIST has a path a line. The work is cut into N shares, each of which is one run of vigil-scan --task I/N. Ray starts a share
again whose worker dies; what was finished is passed over, so that nothing is lost and nothing is there twice. RESULTS and the
files must be on storage that all nodes see. Exit status: the worst of the shares' (3: files that cannot be read)."""
import argparse
import subprocess
import sys

import ray


def arguments():
    words, more = (sys.argv[1:], [])
    if "--" in words:
        at = words.index("--")
        words, more = words[:at], words[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--shares", type=int, default=0, help="default: four for each processor core of the cluster")
    parser.add_argument("--cpus", type=float, default=1, help="cores of a share")
    parser.add_argument("--gpus", type=float, default=0, help="of a share; 0.25: four shares on a GPU")
    parser.add_argument("--scan", default="vigil-scan", help="the program, on every node")
    parser.add_argument("list")
    return parser.parse_args(words), more


@ray.remote(max_retries=10)
def share(command):
    """Runs one share. A child that a signal ended is a failure of the worker, which Ray repeats; others are the share's own."""
    result = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode < 0:
        raise ray.exceptions.WorkerCrashedError()
    return result.returncode, result.stderr


def main():
    o, more = arguments()
    ray.init(log_to_driver=False)
    shares = o.shares or 4 * max(1, int(ray.cluster_resources().get("CPU", 1)))
    task = share.options(num_cpus=o.cpus, num_gpus=o.gpus, retry_exceptions=[ray.exceptions.WorkerCrashedError])
    waiting = {task.remote([o.scan, "--out", o.out, "--list", o.list, "--task", f"{i}/{shares}", *more]): i for i in range(shares)}
    worst = 0
    while waiting:
        done, _ = ray.wait(list(waiting), num_returns=1)
        number = waiting.pop(done[0])
        status, words = ray.get(done[0])
        worst = max(worst, status)
        print(f"share {number} of {shares}: status {status}; {words.strip().splitlines()[-1] if words.strip() else ''}", flush=True)
    return worst


if __name__ == "__main__":
    sys.exit(main())
