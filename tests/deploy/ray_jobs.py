# SPDX-License-Identifier: LGPL-2.1-or-later
"""deploy/ray/scan.py on this machine: four workers over 40 drawn clips. In the middle the program of one is killed, and later a worker
itself, whose program goes on beside the one that Ray starts in its place. The results are byte for byte those of a single process.

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

with tempfile.TemporaryDirectory(prefix="vigil-ray-") as name:
    folder = pathlib.Path(name)
    files = archive.draw(folder)
    subprocess.run([scan, "--out", folder / "one", "--list", files], check=True, timeout=600)

    out = folder / "shared"
    environment = {**os.environ, "RAY_ADDRESS": "local"}
    with subprocess.Popen([sys.executable, root / "deploy/ray/scan.py", "--out", out, "--shares", "4", "--cpus", "0.25", "--scan", scan, files],
                          env=environment) as driver:
        deadline, victims = time.monotonic() + 300, [(4, "program of a worker"), (10, "worker")]
        while driver.poll() is None and victims and time.monotonic() < deadline:
            done = archive.finished(out)
            after, victim = victims[0]
            if done >= after and (pid := archive.program_of(scan, out)):
                os.kill(pid if victim.startswith("program") else parent_of(pid), signal.SIGKILL)
                victims.pop(0)
                print(f"killed the {victim} after {done} of {archive.CLIPS} clips", flush=True)
            time.sleep(0.01)
        status = driver.wait(600)
    if status or victims:
        raise AssertionError(f"scan.py ended with {status}; not killed: {victims}")
    found = archive.results(out)
    if found != archive.results(folder / "one"):
        raise AssertionError("the results differ from those of a single process")
    print(f"{len(found) - 1} results, the same bytes as of a single process")
print("all good")
