# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-tune on a driver that ends the process which starts one of its kernels. Usage: vigil_tune_broken_driver.py VIGIL_TUNE
OPENCL_LAYERS names the layer that plays it (broken_kernel_layer.cpp)."""
import json
import os
import subprocess
import sys
import tempfile

tool = sys.argv[1]
cache = tempfile.TemporaryDirectory()


def measure(kernel, how, *args, status=0):
    env = dict(os.environ, XDG_CACHE_HOME=cache.name, TMPDIR=cache.name, VIGIL_BREAKS=kernel, VIGIL_BREAKS_BY=how)
    done = subprocess.run([tool, "--no-tuning", *args], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == status, (kernel, how, done.returncode, done.stdout, done.stderr)
    return done.stdout


def by_group(out):
    groups = {}
    for m in json.loads(out)["microbenchmarks"]:
        groups.setdefault(m["group"], []).append(m)
    return groups


# A kernel in the middle: what was measured before it stays, what comes after is measured, and the reason is reported.
# PoCL 6.0 ends the process for "copies to local memory" by itself, and some versions have no images.
groups = by_group(measure("write_there", "abort", "--json"))
assert len(groups) == 13, groups.keys()
whole, rest = groups["access patterns"]
assert whole["name"] == "side by side, read" and whole["value"] > 0, whole
assert rest["value"] is None and "signal 6" in rest["missing"], rest
assert "played break-down of write_there" in rest["missing"], rest
others = [all for g, all in groups.items() if g not in ("access patterns", "copies to local memory", "buffer or image")]
assert all(m["value"] is not None for all in others for m in all), groups
assert all(m["value"] > 0 for m in groups["prefetch"] + groups["effective bandwidth"]), groups

# A kernel that two groups start, each time the end: each is reported, and the program comes to its end. exit(0) of a driver is no success.
table = measure("copy", "exit").splitlines()
at = {name: table.index(name) for name in ("copy bandwidth", "loads and stores", "access patterns")}
for first, last in (("copy bandwidth", "loads and stores"), ("loads and stores", "access patterns")):
    line = table[at[last] - 1]
    assert at[first] < at[last] and "the rest" in line and "not measured:" in line, table
    assert "status 0" in line and "played break-down of copy" in line, line
assert "effective bandwidth" in table and table[-1].endswith("GB/s"), table
assert not [f for f in os.listdir(cache.name) if f.startswith("vigil-tune-")], "temporary files are left"
print("vigil-tune with a broken driver: all as it should be")
