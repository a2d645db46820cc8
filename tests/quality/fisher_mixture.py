# SPDX-License-Identifier: LGPL-2.1-or-later
"""The mixture of vigil-train codebook compared with VLFeat's, on the same rows from the same start, with the same floor of variances.
Usage: fisher_mixture.py VIGIL_TRAIN WORK ITERATIONS CODEBOOK_ARGUMENTS...

The training is interrupted after its first iteration; the checkpoint holds the rows and the mixture, from which both go on.
Fails when the mean log-likelihood is lower than VLFeat's by more than 0.5 %. The floor matters: many descriptors are of
flat places and the same, so without it (scikit-learn has none) a component shrinks to a point and the likelihood grows without bound.
"""
import math
import pathlib
import re
import signal
import struct
import subprocess
import sys
import time
import zlib

import numpy as np

import vlfeat

program, work, iterations, *arguments = sys.argv[1:]
iterations = int(iterations)
out = pathlib.Path(work) / "mixture.model"
command = [program, "codebook", "-o", str(out), "--tolerance", "0", "-i", str(iterations), *arguments]


def read_arrays(path):  # as docs/reference/model-format.md has it
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"VIGILCKP" and struct.unpack_from("<II", data, 8) == (1, zlib.crc32(data[16:]))
    at, arrays = 24, {}
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        length, kind, dims = struct.unpack_from("<I4sI", data, at)
        shape = struct.unpack_from(f"<{dims}I", data, at + 12)
        name = data[at + 12 + 4 * dims:at + 12 + 4 * dims + length].decode()
        values = np.frombuffer(data, kind.rstrip(b"\0").decode(), math.prod(shape), at + 12 + 4 * dims + length)
        arrays[name], at = values.reshape(shape), at + 12 + 4 * dims + length + values.nbytes
    return arrays


start = time.monotonic()
with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
    for line in process.stdout:
        print(line, end="", flush=True)
        if line.startswith("iteration   1"):
            process.send_signal(signal.SIGINT)
assert process.returncode == 130, process.returncode
print(f"sampling, projection, k-means and one iteration: {time.monotonic() - start:.1f} s")
state = read_arrays(f"{out}.checkpoint")
dimension = state["rows"].shape[1]
start = time.monotonic()
said = subprocess.run([*command, "--resume"], check=True, stdout=subprocess.PIPE, text=True).stdout
ours = [float(v) for v in re.findall(r"log-likelihood (\S+)", said)]
print(f"vigil-train: {len(ours)} iterations in {time.monotonic() - start:.1f} s, {ours[0]:.4f} -> {ours[-1]:.4f}", flush=True)

rows = np.ascontiguousarray(state["rows"])
floor = np.full(dimension, 1e-4 * rows.var(0, dtype=np.float64).max())  # --variance-floor's default
start = time.monotonic()
# ours are each of the mixture before the iteration, VLFeat's after the last one
theirs = vlfeat.expectation_maximisation(rows, state["priors"], state["means"].reshape(-1, dimension),
                                         state["variances"].reshape(-1, dimension), floor, len(ours) - 1) / len(rows)
print(f"VLFeat: the same in {time.monotonic() - start:.1f} s, {theirs:.4f}", flush=True)
difference = (ours[-1] - theirs) / abs(theirs)
print(f"difference {100 * difference:+.3f} % of {len(rows)} rows, {len(state['priors'])} components")
sys.exit(int(difference < -0.005))
