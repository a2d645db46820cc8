# SPDX-License-Identifier: LGPL-2.1-or-later
"""vigil-tune: its table and JSON, what it leaves for the elements, and its refusals. Usage: vigil_tune.py VIGIL_TUNE"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

tool = sys.argv[1]
cache = tempfile.TemporaryDirectory()
env = dict(os.environ, XDG_CACHE_HOME=cache.name)
limit = 280 * float(os.environ.get("CK_TIMEOUT_MULTIPLIER", "1"))  # seconds; longer on a busy machine, as Check's own limits


def run(*args, status=0):
    done = subprocess.run([tool, *args], env=env, capture_output=True, text=True, timeout=limit, check=False)
    assert done.returncode == status, (args, done.returncode, done.stdout, done.stderr)
    return done.stdout if "--json" in args else done.stdout + done.stderr  # drivers write to stderr as they like


listed = run("--list-devices")
assert "  0: " in listed, listed

assert "see vigil-tune --help" in run("--nonsense", status=2)
assert "what is this" in run("this", status=2)
assert "column 10" in run("--chain", "invert ! medain", status=1)
assert "0: " in run("--device", "no such device", status=1), "the error lists what there is"
assert "nothing to forget" in run("--clear")
for flag in ("--exhaustive", "--list-devices", "--chain", "--json", "--clear"):
    assert flag in run("--help")

# Microbenchmarks: every group has values that can be true.
micro = json.loads(run("--no-tuning", "--json"))
groups = {m["group"] for m in micro["microbenchmarks"]}
assert groups == {"copy bandwidth", "loads and stores", "access patterns", "copies to local memory", "prefetch", "buffer or image",
                  "work of a work-item", "functions", "build options", "launches", "concurrent kernels", "transfers",
                  "effective bandwidth"}, groups
missing = [m for m in micro["microbenchmarks"] if m["value"] is None]
# Not every driver has images, and PoCL 6 ends the process that loads async_work_group_copy.
ended = [m for m in missing if m["group"] == "copies to local memory" and "signal" in m["missing"]]
assert all("image" in m["name"] for m in missing if m not in ended), missing
assert all(m["value"] > 0 for m in micro["microbenchmarks"] if m not in missing)

# Tuning: one kernel is enough here, the others take long on a processor.
table = run("--no-microbenchmarks", "--only", "filter", "--chain", "invert")
assert "filter: invert, RGBA" in table and "verified (default)" in table, table
assert "WRONG" not in table and "failed" not in table, table
stars = [line for line in table.splitlines() if line.startswith("  * ")]
assert len(stars) == table.count("filter: "), table
files = list((pathlib.Path(cache.name) / "vigil" / "tuning").iterdir())
assert len([f for f in files if f.suffix == ".tuning"]) == len(stars), (files, table)
assert {f.suffix for f in files} <= {".tuning", ".cost"}, files  # .cost: what stages cost here, by which chains are cut
assert "is removed" in run("--clear")
assert not (pathlib.Path(cache.name) / "vigil" / "tuning").exists()
print("vigil-tune: all as it should be")
