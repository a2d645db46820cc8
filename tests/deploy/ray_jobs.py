# SPDX-License-Identifier: LGPL-2.1-or-later
"""deploy/ray/scan.py on this machine: four workers over 40 drawn clips. In the middle the program of one is killed, and later a worker
itself, whose program goes on next to the one that Ray starts again. The results are byte for byte those of a single process. The same with
files in parts, where each kill comes while a file is partly done.

ray_jobs.py SOURCE_ROOT VIGIL_SCAN. Needs the Python package ray; without, it is skipped."""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import archive

try:
    import ray
except ImportError:
    print("SKIPPED: no Python package ray")
    sys.exit(77)


def parent_of(pid):
    return int(re.search(r"^PPid:\s*(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text(encoding="ascii"), re.M)[1])


root, scan = pathlib.Path(sys.argv[1]), sys.argv[2]



def killed_on_the_way(folder, files, name, options, ready):
    """Runs scan.py, kills a program and later a worker of it, and compares the results with those of a single process."""
    one, out = folder / f"{name}-one", folder / f"{name}-shared"
    subprocess.run([scan, "--out", one, "--list", files, *options], check=True, timeout=600)
    more = ["--", *options] if options else []
    with subprocess.Popen([sys.executable, root / "deploy/ray/scan.py", "--out", out, "--shares", "4", "--cpus", "0.25", "--scan", scan, files, *more],
                          env={**os.environ, "RAY_ADDRESS": "local"}) as driver:
        deadline, victims = time.monotonic() + 300, [(4, "program of a worker"), (10, "worker")]
        while driver.poll() is None and victims and time.monotonic() < deadline:
            done = archive.finished(out)
            after, victim = victims[0]
            if done >= after and ready(out) and (pid := archive.program_of(scan, out)):
                os.kill(pid if victim.startswith("program") else parent_of(pid), signal.SIGKILL)
                victims.pop(0)
                print(f"{name}: killed the {victim} after {done} of {archive.CLIPS} clips", flush=True)
            time.sleep(0.01)
        status = driver.wait(600)
    if status or victims:
        raise AssertionError(f"{name}: scan.py ended with {status}; not killed: {victims}")
    found = archive.results(out)
    if found != archive.results(one):
        raise AssertionError(f"{name}: the results differ from those of a single process")
    if parts := sorted(p.name for p in out.glob("*.part-*.json")):
        raise AssertionError(f"{name}: parts are left: {parts}")
    print(f"{name}: {len(found) - 1} results, the same bytes as of a single process", flush=True)


def has_parts(out):
    return any(out.glob("*.part-*.json"))


with tempfile.TemporaryDirectory(prefix="vigil-ray-") as root_folder:
    where = pathlib.Path(root_folder)
    clips = archive.draw(where)
    killed_on_the_way(where, clips, "whole files", [], lambda out: True)
    killed_on_the_way(where, clips, "files in parts", ["--split", "1", "--warm-up", "4"], has_parts)
print("all good")
