#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A codebook from more descriptors than one machine holds, on a Ray cluster: expectation maximisation whose expectation is shared out.

    codebook.py --out MODEL --work FOLDER [--shares N] [--iterations N] [--tolerance X] START LIST

START is a model of vigil-train codebook, fitted to a sample; LIST has a path a line. Each iteration is one vigil-train statistics
--task I/N for each share and one maximise. FOLDER, on storage that all nodes see, keeps the files of each iteration: a run that
was interrupted goes on from them. The result has the same bits for any N."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys

import ray


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    parser.add_argument("--shares", type=int, default=0, help="default: one for each processor core of the cluster")
    parser.add_argument("--cpus", type=float, default=1, help="cores of a share")
    parser.add_argument("--gpus", type=float, default=0, help="of a share, for the descriptors")
    parser.add_argument("--iterations", type=int, default=60, help="at most")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="stop when the log-likelihood rises by less than this part of it")
    parser.add_argument("--every", type=int, default=1, help="take each N-th frame")
    parser.add_argument("--filter", default="", help="elements that frames go through first")
    parser.add_argument("--train", default="vigil-train", help="the program, on every node")
    parser.add_argument("start", type=pathlib.Path)
    parser.add_argument("list", type=pathlib.Path)
    return parser.parse_args()


@ray.remote(max_retries=10)
def run(command):
    """A child that a signal ended is a failure of the worker, which Ray repeats."""
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode < 0:
        raise ray.exceptions.WorkerCrashedError()
    return result.returncode, result.stdout, result.stderr


def main():
    o = arguments()
    files = [line for line in o.list.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    o.work.mkdir(parents=True, exist_ok=True)
    ray.init(log_to_driver=False)
    shares = o.shares or max(1, int(ray.cluster_resources().get("CPU", 1)))
    task = run.options(num_cpus=o.cpus, num_gpus=o.gpus, retry_exceptions=[ray.exceptions.WorkerCrashedError])
    frames = ["--every", str(o.every)] + (["--filter", o.filter] if o.filter else [])

    def finish(results):
        for status, words, errors in results:
            if status:
                sys.exit(f"codebook.py: vigil-train ended with {status}: {errors.strip()}")
        return results[-1][1]

    model, before = o.start, None
    for iteration in range(o.iterations):
        parts = [o.work / f"{iteration:03}-{i}-of-{shares}.statistics" for i in range(shares)]
        missing = [(i, p) for i, p in enumerate(parts) if not p.exists()]  # they appear whole or not at all
        if missing:
            finish(ray.get([task.remote([o.train, "statistics", "-o", str(p), *frames, "--task", f"{i}/{shares}", str(model), *files])
                            for i, p in missing]))
        following = o.work / f"{iteration + 1:03}.model"
        words = finish([ray.get(task.remote([o.train, "maximise", "-o", str(following), str(model), *map(str, parts)]))])
        likelihood = float(re.search(r"log-likelihood (\S+)", words)[1])
        print(f"iteration {iteration + 1}: log-likelihood {likelihood:.6f} a descriptor before it", flush=True)
        model = following
        if before is not None and likelihood - before < o.tolerance * abs(likelihood):
            break
        before = likelihood
    shutil.copy(model, o.out)
    print(f"wrote {o.out}")


if __name__ == "__main__":
    main()
